"""Reading a plan; its errors are in cli/test_bad_plans.py."""

from pathlib import Path

import pytest

from winze.errors import PlanError
from winze.plan import load_plan

START = 'start = ["https://shop.example/"]\n'

EXAMPLES = 'examples = ["https://shop.example/1", "https://shop.example/2"]\n'


def plan(tmp_path: Path, text: str, **environment: str):
    path = tmp_path / "shop" / "plan.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text, "utf-8")
    return load_plan(path, environment)


@pytest.mark.parametrize(
    ("value", "first", "second"),
    [
        ('["One", "Two"]', "One", "Two"),
        ('"One"', "One", None),
        ('["One"]', "One", None),
        ('["", "Two"]', "", "Two"),
        ('[["a", "b"], []]', ["a", "b"], []),
        ('[["a"]]', ["a"], None),
    ],
)
def test_values_belong_to_examples_in_order(value, first, second, tmp_path):
    read = plan(tmp_path, f"{START}{EXAMPLES}[fields]\ntitle = {value}")
    assert [read.values_of(0), read.values_of(1)] == [{"title": first}, {"title": second}]


def test_defaults(tmp_path):
    read = plan(tmp_path, START)
    assert (read.scope, read.concurrency, read.concurrency_total) == ("host", 2, 16)
    assert (read.robots, read.sitemap, read.timeout) == (True, True, 30.0)
    assert read.expression is None
    assert read.values_of(0) == {}


@pytest.mark.parametrize(
    ("text", "pace"),
    [
        (START, 1.0),
        (START + "delay = 0.25", 0.25),
        (START + "delay = 3", 3.0),
        ('start = ["http://127.0.0.1:8080/"]', 0.0),
        ('start = ["http://localhost/", "http://[::1]:80/"]', 0.0),
        ('start = ["http://127.0.0.1/", "http://shop.example/"]', 1.0),
        ('start = ["http://127.0.0.1/"]\ndelay = 2', 2.0),
        # Asked in its place is loopback.
        (START + '[connect_to]\n"https://shop.example" = "http://127.0.0.1:80"', 0.0),
    ],
)
def test_pace_is_a_second_except_on_loopback(text, pace, tmp_path):
    assert plan(tmp_path, text).pace == pace


def test_seeds_are_read_anew_each_time(tmp_path):
    read = plan(tmp_path, START + 'seeds = "urls.txt"')
    seeds = read.folder / "urls.txt"
    seeds.write_text("\ufeff# ours\n\nhttps://shop.example/a\n", "utf-8")
    assert read.starts() == ["https://shop.example/", "https://shop.example/a"]
    seeds.write_text("https://shop.example/b")
    assert read.starts() == ["https://shop.example/", "https://shop.example/b"]
    seeds.write_bytes("成都".encode("gbk"))
    with pytest.raises(PlanError, match=r"seeds: cannot read urls\.txt"):
        read.starts()


def test_variables_are_filled_in_wherever_a_text_stands(tmp_path):
    text = (
        'start = ["https://${HOST}/"]\nproxy = "http://u:${PASS}@p/"\n'
        '[headers]\nkey = "a${KEY}b${KEY}"\ndollar = "$KEY ${} $"\n'
    )
    read = plan(tmp_path, text, HOST="shop.example", PASS="s3", KEY="k")
    assert read.start == ["https://shop.example/"]
    assert read.proxy == "http://u:s3@p/"
    assert read.headers == {"key": "akbk", "dollar": "$KEY ${} $"}


def test_a_secret_is_not_told_in_an_error(tmp_path):
    with pytest.raises(PlanError) as caught:
        plan(tmp_path, f'{START}delay = "${{TOKEN}}"', TOKEN="s3cret")
    assert "s3cret" not in str(caught.value)


def test_a_site_is_named_by_its_folder_or_file(tmp_path):
    read = plan(tmp_path, START)
    assert (read.name, read.learned_path.name) == ("shop", "learned.json")
    assert load_plan(tmp_path / "shop").path == read.path
    other = tmp_path / "books.toml"
    other.write_text(START)
    assert (load_plan(other).name, load_plan(other).learned_path.name) == (
        "books",
        "books.learned.json",
    )


def test_a_plan_may_begin_with_a_byte_order_mark(tmp_path):
    assert plan(tmp_path, "\ufeff" + START).start == ["https://shop.example/"]


@pytest.mark.parametrize(
    "select", ['title = "h1"', '"cover#src" = "img.c"', "price = '#p > span:nth-child(2)'"]
)
def test_paths_by_hand(select, tmp_path):
    assert plan(tmp_path, f"{START}[select]\n{select}").select
