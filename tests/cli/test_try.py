"""`winze try` shows what the plan gets from one page, and keeps nothing."""

import pytest

from tests.cli.command import winze, write_plan
from tests.cli.site import article_page, book_page, book_shop
from winze.demo.server import ShopServer

PLAN = """
start = ["{url}/"]
keywords = "book && !secondhand"
examples = ["{url}/book/1", "{url}/book/2"]
[filters]
deny = ["/denied"]
[fields]
title = ["Book no. 1", "Book no. 2"]
price = ["£1.50", "£2.50"]
"""


@pytest.fixture(scope="module")
def server():
    shop = book_shop(60, bad=1)
    shop.pages["/article"] = article_page()
    shop.pages["/used"] = book_page("A secondhand book", "£1")
    shop.pages["/denied"] = book_page("A denied book", "£1")
    with ShopServer(shop) as running:
        yield running


@pytest.fixture(scope="module", params=["plan alone", "learned"])
def plan(request, server, tmp_path_factory):
    path = write_plan(tmp_path_factory.mktemp("books"), PLAN.format(url=server.url))
    return path, request.param == "learned"


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("/book/7", ["A target: its record goes to the table", "Book no. 7", "£7.50"]),
        ("/book/60", ["Book no. 60", "absent"]),
        ("/article", ["Not a target", "too little"]),
        ("/used", ["Not a target", "keywords: they do not hold"]),
        ("/denied", ["The plan's filters refuse it"]),
    ],
)
def test_verdict_and_record_are_shown(capfd, server, plan, page, said):
    path, learned = plan
    if learned and not (path.parent / "learned.json").exists():
        assert winze(capfd, "learn", path).code == 0
    result = winze(capfd, "try", path, server.url + page)
    assert (result.code, result.err) == (0, "")
    assert ("learned.json" in result.out) == learned
    for text in said:
        assert text in result.out


def test_a_required_field_that_is_absent_means_quarantine(capfd, server, tmp_path):
    title, price = PLAN.format(url=server.url).splitlines()[-2:]
    text = PLAN.format(url=server.url).replace(f"{title}\n{price}", f"{price}\n{title}")
    path = write_plan(tmp_path / "books", text)
    result = winze(capfd, "try", path, f"{server.url}/book/60")
    assert "goes to quarantine: price: missing" in result.out


def test_nothing_is_kept(capfd, server, tmp_path):
    path = write_plan(tmp_path / "books", PLAN.format(url=server.url))
    assert winze(capfd, "try", path, f"{server.url}/book/7").code == 0
    assert [file.name for file in path.parent.iterdir()] == ["plan.toml"]


def test_a_plan_without_examples_says_that_it_cannot_judge(capfd, server, tmp_path):
    path = write_plan(tmp_path / "books", f'start = ["{server.url}/"]')
    result = winze(capfd, "try", path, f"{server.url}/book/7")
    assert result.code == 0
    assert "Nothing to judge it by" in result.out
    assert "Book no. 7" in result.out  # what the page says of itself


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("{url}/nowhere", (4, "No page: HTTP 404, URL_404.")),
        ("http://127.0.0.1:9/", (4, "out of the plan's scope")),
        ("book/1", (2, "'book/1' is not a web address")),
    ],
)
def test_no_page_has_its_exit_code(capfd, server, tmp_path, page, said):
    path = write_plan(tmp_path / "books", PLAN.format(url=server.url))
    result = winze(capfd, "try", path, page.format(url=server.url))
    assert result.code == said[0]
    assert said[1] in result.out + result.err
