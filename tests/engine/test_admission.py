from dataclasses import replace

import pytest

from winze.engine.admission import Admission, From
from winze.engine.site import Site
from winze.model import ErrorCode, Link, Status
from winze.urls.canonical import key
from winze.urls.scope import Scope

SITE = Site("shop", Scope.around(["http://shop.example/"]))

ORIGIN = From(b"k" * 16, "http://shop.example/", depth=1, weight=2)


def admitted(urls, site=SITE, admission=None, origin=ORIGIN):
    new = (admission or Admission()).admit([Link(url) for url in urls], origin, site)
    return [row.link.url for row in new if row.status is Status.DISCOVERED]


@pytest.mark.parametrize(
    ("site", "url", "wanted"),
    [
        (SITE, "http://shop.example/a", True),
        (SITE, "https://www.shop.example/a", True),
        (SITE, "http://blog.shop.example/a", False),
        (SITE, "http://other.example/a", False),
        (SITE, "http://shop.example/a.jpg", False),
        (SITE, "http://shop.example/a.pdf?x=1", False),
        (SITE, "not a url", False),
        (SITE, "http://[::1/", False),
        (replace(SITE, max_depth=2), "http://shop.example/a", True),
        (replace(SITE, max_depth=1), "http://shop.example/a", False),
        (replace(SITE, deny=("/login",)), "http://shop.example/login?x", False),
        (replace(SITE, allow=("/p/",)), "http://shop.example/p/1", True),
        (replace(SITE, allow=("/p/",)), "http://shop.example/q/1", False),
        (replace(SITE, allow=("/p/",), deny=("/1$",)), "http://shop.example/p/1", False),
    ],
)
def test_who_is_let_in(site, url, wanted):
    assert bool(admitted([url], site)) is wanted


def test_a_page_is_let_in_once_however_it_is_spelled():
    admission = Admission([key("http://shop.example/known")])
    urls = [
        "http://shop.example/a?b=1&utm_source=x",
        "https://www.shop.example/a/?b=1",
        "http://shop.example/a?b=1#part",
        "http://shop.example/a?b=2",
        "http://shop.example/known/",
    ]
    assert admitted(urls, admission=admission) == [
        "http://shop.example/a?b=1",
        "http://shop.example/a?b=2",
    ]
    assert admitted(urls, admission=admission) == []
    assert len(admission) == 3


def test_what_the_users_filters_refuse_has_a_row_that_says_so():
    site = replace(SITE, deny=("login",))
    (row,) = Admission().admit([Link("http://shop.example/login")], ORIGIN, site)
    assert (row.status, row.error) == (Status.EXCLUDED, ErrorCode.FILTER_ERROR)


def test_a_row_knows_where_it_was_found():
    link = Link("http://shop.example/p/1", "One", "ul>li>a", 3)
    (row,) = Admission().admit([link], ORIGIN, SITE)
    assert (row.parent, row.depth, row.parent_weight, row.link) == (ORIGIN.key, 2, 2, link)
    (start,) = Admission().admit([link], From(), SITE)
    assert (start.depth, start.parent) == (0, b"")


def test_links_are_asked_for_at_the_origin_that_the_plan_uses():
    site = replace(SITE, origins=(("http://shop.example", "https://www.shop.example"),))
    urls = ["http://shop.example/a", "https://shop.example/b"]
    assert admitted(urls, site) == ["https://www.shop.example/a", "https://www.shop.example/b"]
