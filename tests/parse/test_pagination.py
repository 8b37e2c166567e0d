"""Which ways to the next page of a list are found, and which are not."""

import pytest

from winze.parse.html import Tree
from winze.parse.links import find_links
from winze.parse.more import may_have_more, more_links

URL = "http://a.example/list?page=1"


def linked(html):
    return [link.url.removeprefix("http://a.example") for link in find_links(Tree(html), URL)]


def more(html, url=URL):
    return [link.url.removeprefix("http://a.example") for link in more_links(Tree(html), url)]


@pytest.mark.parametrize(
    "html",
    [
        '<link rel="next" href="/list?page=2">',
        '<link rel="Prefetch NEXT" href="?page=2">',
        '<a rel="next" href="?page=2">&gt;</a>',
        '<ul class="pagination"><li><a href="?page=2">2</a></ul>',
        '<a class="load-more" href="?page=2" data-url="/api/list?page=2">More</a>',
        '<base href="/x/"><a href="../list?page=2">2</a>',
    ],
)
def test_links_to_the_next_page_are_links(html):
    assert linked(html) == ["/list?page=2"]


def test_rel_prev_is_a_link_and_other_link_elements_are_none():
    html = "<link rel=prev href=/0><link rel=stylesheet href=/a.css><link rel=canonical href=/c>"
    assert linked(html) == ["/0"]


@pytest.mark.parametrize(
    "html",
    [
        '<button class="load-more" data-url="/list?page=2">Load</button>',
        '<button data-href="?page=2">查看更多</button>',
        '<div hx-get="/list?page=2" hx-trigger="revealed" class="infinite-scroll"></div>',
        '<a data-hx-get="?page=2" aria-label="Next page">&gt;</a>',
        '<button data-next-page="/list?page=2">x</button>',
        '<div id="list" data-next-url="list?page=2"></div>',
        "<span onclick=\"location.href='/list?page=2'\">2</span>",
        "<span onclick='window.location = \"/list?page=2\";return false'>2</span>",
        "<span onclick=\"window.open('?page=2', '_self')\">下一页</span>",
    ],
)
def test_buttons_that_lead_on_are_found_beside_the_links(html):
    assert linked(html) == []
    assert more(html) == ["/list?page=2"]
    assert may_have_more(html.encode())


@pytest.mark.parametrize(
    "html",
    [
        # A number, or what a script makes of it: only a browser knows.
        '<button data-next-page="2">More</button>',
        '<button data-page="2" class="load-more">More</button>',
        '<button onclick="load(2)">More</button>',
        "<a onclick=\"location.href='/p/' + id\">More</a>",
        # The button does not say that it leads on.
        '<button data-url="/api/share?id=7">Share</button>',
        '<img data-url="/picture.jpg" class="lazy">',
        '<form hx-get="/suggest"><input></form>',
        '<div class="more" data-url=\'{"page": 2}\'></div>',
        '<button class="more" data-url="javascript:more()">More</button>',
        '<button class="more" data-url="mailto:more@a.example">More</button>',
        '<button class="more" data-url="/list?page=1">This page</button>',
        "<a onclick=\"if (location.href == '/x') go()\">x</a>",
    ],
)
def test_what_leads_nowhere_or_only_by_script_is_not(html):
    assert more(html) == []


def test_a_button_keeps_its_text_and_place_and_stands_once():
    html = "<div class=list><button class=more data-url='/2'> Load \n more</button></div>" * 2
    (link,) = more_links(Tree(html), URL)
    assert (link.anchor, link.tag_path) == ("Load more", "html>body>div.list>button.more")
