import pytest

from winze.judge.missing import (
    Likeness,
    answer_of,
    first_directory,
    likeness,
    made_up,
    says_missing,
)
from winze.model import ErrorCode, Page, Status
from winze.text.signature import signature

HOST = "http://shop.example"


def page(path, text, title="Shop", status=200):
    return Page(
        HOST + path,
        Status.FETCHED,
        http_status=status,
        title=title,
        text=text,
        signature=signature(text),
    )


@pytest.mark.parametrize(
    ("path", "directory"),
    [
        ("", "/"),
        ("/", "/"),
        ("/17", "/"),
        ("/p/17", "/p/"),
        ("/p/q/17?a=/b/#c/d", "/p/"),
    ],
)
def test_the_first_directory_is_asked(path, directory):
    assert first_directory(HOST + path) == HOST + directory
    url = made_up(HOST + path)
    assert url.startswith(HOST + directory)
    assert len(url) == len(HOST + directory) + 20
    assert url == made_up(HOST + path)


@pytest.mark.parametrize(
    ("text", "title", "like"),
    [
        ("Sorry, not found", "Shop", Likeness.SAME),
        ("Sorry, not found", "Chair", Likeness.NONE),
        ("An oak chair", "Shop", Likeness.NONE),
    ],
)
def test_likeness_of_plain_answers(text, title, like):
    answer = answer_of(page("/p/made-up", "Sorry, not found"))
    assert likeness(answer, answer_of(page("/p/17", text, title))) is like


@pytest.mark.parametrize(
    "text",
    ["There is no {url}.", "{path}: not found", "Is '{name}' no more?", "Nothing for {name}"],
)
@pytest.mark.parametrize("path", ["/p/17", "/p/%E5%B7%9D", "/p/oak-chair", "/p/7"])
def test_an_answer_may_repeat_the_address(text, path):
    def said(path):
        name = path.rpartition("/")[2]
        return text.format(url=HOST + path, path=path, name=name)

    answer = answer_of(page("/p/made-up", said("/p/made-up")))
    assert likeness(answer, answer_of(page(path, said(path)))) is Likeness.NEARLY


def test_an_answer_may_change_a_little():
    long = "We are sorry but this page is not here any more, please look around in our shop. " * 5
    answer = answer_of(page("/p/x", f"{long} 12:30"))
    assert likeness(answer, answer_of(page("/p/1", f"{long} 12:47"))) is Likeness.NEARLY


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (page("/x", "Sorry"), True),
        (page("/x", "Sorry", status=404), False),
        (Page(f"{HOST}/x", Status.GONE, ErrorCode.URL_404, 404), False),
        (Page(f"{HOST}/x", Status.REDIRECTED, http_status=302, location=HOST), False),
    ],
)
def test_only_a_page_with_status_200_has_to_be_remembered(answer, expected):
    assert says_missing(answer) is expected
