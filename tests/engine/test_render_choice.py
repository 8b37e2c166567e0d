"""Which pages a browser draws, decided from plain values."""

import pytest

from tests.engine.web import failed, moved, page
from winze.engine.render_choice import FORM_WHOLE, RenderChoice, is_better, lacks_something
from winze.engine.site import Site
from winze.engine.visit import examine
from winze.extract.wrapper import Wrapper
from winze.model import ErrorCode, Request
from winze.urls.patterns import Pattern
from winze.urls.scope import Scope

URL = "http://shop.example/p/1"

SHELL = "<title>Shop</title><div id=app></div><script src=/app.js></script>"

TEXT = "<p>" + "Some words that the server has sent. " * 10

BOOK = "<h1>Book</h1><b>£5</b>"

SITE = Site(
    "shop",
    Scope.around(["http://shop.example/"]),
    targets=(Pattern(r"https?://shop\.example/p/\d+"),),
    by_url=True,
    wrapper=Wrapper.from_json({"title": "h1", "price": "b"}),
    required=("title",),
)

FREE = Site("shop", Scope.around(["http://shop.example/"]))


def story(html, url=URL, site=SITE):
    response = html if not isinstance(html, str) else page(url, html)
    return examine(Request(url), response, site)


@pytest.mark.parametrize(
    ("html", "lacks"),
    [
        (SHELL, True),
        # A target's form, and text, but not the record.
        (SHELL + TEXT, True),
        (SHELL + TEXT + "<b>£5</b>", True),
        (SHELL + TEXT + BOOK, False),
        (SHELL + BOOK, False),
        # No script could bring it.
        (TEXT, False),
        ("", False),
        (failed(URL, ErrorCode.URL_404, 404), False),
        (moved(URL, "/p/2"), False),
    ],
)
def test_what_a_target_page_lacks(html, lacks):
    assert lacks_something(story(html), SITE) is lacks


@pytest.mark.parametrize(
    ("html", "lacks"), [(SHELL, True), (SHELL + TEXT, False), (TEXT, False), (SHELL + BOOK, True)]
)
@pytest.mark.parametrize(("url", "site"), [("http://shop.example/list", SITE), (URL, FREE)])
def test_without_a_targets_form_it_is_the_text_that_tells(html, lacks, url, site):
    assert lacks_something(story(html, url, site), site) is lacks


@pytest.mark.parametrize(
    ("drawn", "sent", "better"),
    [
        (BOOK, SHELL, True),
        (BOOK, "<b>£5</b>", True),
        ("<b>£5</b>", BOOK, False),
        (BOOK, BOOK, False),
        (BOOK + TEXT, BOOK, True),
        (BOOK + "<a href=/1>1</a>" * 2, BOOK, False),
        (BOOK + "".join(f"<a href=/{n}>{n}</a>" for n in range(3)), BOOK, True),
        (failed(URL, ErrorCode.URL_TIME_OUT), SHELL, False),
        (moved(URL, "/p/2"), SHELL, False),
    ],
)
def test_which_page_is_the_better_one(drawn, sent, better):
    assert is_better(story(drawn), story(sent)) is better


def test_a_form_that_was_never_helped_is_not_tried_any_more_but_others_are():
    choice = RenderChoice()
    for n in range(3):
        assert choice.may_help(f"http://a.example/p/{n}")
        choice.learn(f"http://a.example/p/{n}", helped=False)
    assert not choice.may_help("http://a.example/p/9")
    assert choice.may_help("http://a.example/list")


def test_a_host_that_was_never_helped_is_given_up():
    choice = RenderChoice()
    for n in range(10):
        choice.learn(f"http://a.example/{'x' * n}dir/p", helped=False)
    assert not choice.may_help("http://a.example/never-seen/before?q=1")
    assert choice.may_help("http://b.example/never-seen/before?q=1")


def test_one_success_keeps_a_host_and_a_failure_ends_the_proof():
    choice = RenderChoice()
    choice.learn("http://a.example/list", helped=True)
    for n in range(20):
        choice.learn(f"http://a.example/{'x' * n}dir/p", helped=False)
    assert choice.may_help("http://a.example/other")
    choice.prove("http://a.example/p/1")
    assert choice.is_proven("http://a.example/p/2")
    choice.learn("http://a.example/p/3", helped=False)
    assert not choice.is_proven("http://a.example/p/2")
    assert choice.may_help("http://a.example/p/2")


def test_pages_that_are_whole_as_sent_spare_their_kin_the_browser():
    choice = RenderChoice()
    for n in range(FORM_WHOLE):
        assert choice.may_help(f"http://a.example/p/{n}")
        choice.note_whole(f"http://a.example/p/{n}")
    assert not choice.may_help("http://a.example/p/9")
    assert choice.may_help("http://a.example/list")
    choice.prove("http://a.example/p/1")
    assert choice.may_help("http://a.example/p/9")
