import pickle

import pytest

from winze.judge.keywords import parse, parse_all


@pytest.mark.parametrize(
    ("expression", "text", "holds"),
    [
        ("成都", "我在成都吃火锅", True),
        ("成都", "我在重庆", False),
        ("成都 && 川菜", "成都的粤菜", False),
        ("成都&&川菜", "成都川菜馆", True),
        ("川菜 || 火锅", "老火锅", True),
        ("成都 && (川菜 || 火锅)", "成都火锅", True),
        ("成都 && (川菜 || 火锅)", "重庆火锅", False),
        ("a || b && c", "a", True),  # && binds closer than ||
        ("(a || b) && c", "a", False),
        ("redis && !cluster", "Redis on one machine", True),
        ("redis && !cluster", "Redis CLUSTER", False),
        ("!!redis", "redis", True),
        ('"out of stock"', "Out  of\nstock", True),
        ('"out of stock"', "out stock of", False),
        ("“日本 动画” || 「电影」", "电影", True),
        ('"a && b"', "a && b", True),
        ("ＩＳＢＮ　＆＆　（出版社｜｜定价）", "isbn 978 定价 3", True),
        ("ISBN", "ＩＳＢＮ 978", True),
        ("AT&T", "at&t mobile", True),
        ("Пушкин", "ПУШКИН", True),
        ("日本", "", False),
    ],
)
def test_holds(expression, text, holds):
    assert parse(expression).holds(text) is holds


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("成都&&", "'&&' needs a word on its right: '成都&&'"),
        ("成都 ||", "'||' needs a word on its right: '成都 ||'"),
        ("&& 成都", "'&&' needs a word on its left: '&& 成都'"),
        ("a && || b", "'&&' needs a word on its right: 'a && || b'"),
        ("a && !", "'!' needs a word on its right: 'a && !'"),
        ("a && (b || c", "'(' is never closed, put ')' at the end: 'a && (b || c'"),
        ("(a", "'(' is never closed, put ')' at the end: '(a'"),
        ("a)", "')' closes nothing, take it out: 'a)'"),
        (")", "')' closes nothing, take it out: ')'"),
        ("a && ()", "nothing stands between the parentheses: 'a && ()'"),
        ("a b", "write && or || between 'a' and 'b', or put a phrase in quotes: 'a b'"),
        ("(a b)", "write && or || between 'a' and 'b', or put a phrase in quotes: '(a b)'"),
        ('"a', "the quote \" is never closed: '\"a'"),
        ('a && ""', "an empty phrase stands on every page, take it out: 'a && \"\"'"),
        ("", "the expression is empty: write a word, or leave it out"),
        ("   ", "the expression is empty: write a word, or leave it out"),
    ],
)
def test_a_bad_expression_says_what_to_mend(expression, message):
    with pytest.raises(ValueError) as raised:
        parse(expression)
    assert str(raised.value) == message


def test_a_list_must_hold_as_a_whole():
    both = parse_all(["日本", "动画||剧情"])
    assert both is not None
    assert both.holds("日本 剧情")
    assert not both.holds("日本")
    assert not both.holds("动画")
    assert parse_all([]) is None
    assert parse_all(["日本"]) == parse("日本")


def test_words_leave_out_what_speaks_against_a_page():
    assert parse("(Redis || 缓存) && !cluster && redis").words() == ("redis", "缓存")


def test_an_expression_travels_to_another_process():
    expression = parse("成都 && !(川菜 || “火锅 店”)")
    assert pickle.loads(pickle.dumps(expression)) == expression
    assert hash(expression) == hash(parse("成都 && !(川菜 || “火锅 店”)"))


def test_a_source_joined_of_several_reads_back_the_same():
    joined = parse_all(["a || b", "!c"])
    assert joined is not None
    assert parse(joined.source).root == joined.root
