"""Header and meta elements that ask robots not to keep or follow a page."""

import pytest

from winze.model import Response
from winze.parse.html import Tree
from winze.parse.robots_meta import Wishes, wishes

NEITHER = Wishes()


def asked(html: str = "", *values: str) -> Wishes:
    headers = tuple(("x-robots-tag", value) for value in values)
    return wishes(Response("http://a.example/", headers=headers), Tree(html))


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<meta name=robots content=noindex>", Wishes(noindex=True)),
        ("<META NAME='ROBOTS' CONTENT='NoFollow , NOARCHIVE'>", Wishes(nofollow=True)),
        ("<meta name=robots content=none>", Wishes(noindex=True, nofollow=True)),
        ("<meta name=winze content='noindex'>", Wishes(noindex=True)),
        ("<meta name=googlebot content='noindex'>", NEITHER),
        ("<meta name=robots content='index, follow'>", NEITHER),
        ("<meta name=robots>", NEITHER),
        ("<p>noindex</p>", NEITHER),
    ],
)
def test_meta(html, found):
    assert asked(html) == found


@pytest.mark.parametrize(
    ("values", "found"),
    [
        (("noindex",), Wishes(noindex=True)),
        (("noindex, nofollow",), Wishes(noindex=True, nofollow=True)),
        (("otherbot: noindex, nofollow",), NEITHER),
        (("otherbot: noindex", "winze: nofollow"), Wishes(nofollow=True)),
        (("unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow",), Wishes(nofollow=True)),
        (("max-snippet: 20, noindex",), Wishes(noindex=True)),
    ],
)
def test_header(values, found):
    assert asked("", *values) == found


def test_header_and_meta_add_up():
    assert asked("<meta name=robots content=noindex>", "nofollow") == Wishes(True, True)
