import pytest

from winze.parse.html import Tree
from winze.parse.links import ANCHOR_LENGTH, base_url, canonical_link, find_links

URL = "http://shop.example/a/b.html"


def urls(html: str, **options: str) -> list[str]:
    return [link.url for link in find_links(Tree(html), URL, **options)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href='c'>C</a>", ["http://shop.example/a/c"]),
        ("<a href=' /c \n'>C</a>", ["http://shop.example/c"]),
        ("<a href='//x.example/c'>C</a>", ["http://x.example/c"]),
        ("<a href='?p=2'>2</a>", ["http://shop.example/a/b.html?p=2"]),
        ("<a href='c?a=1&amp;b=2'>C</a>", ["http://shop.example/a/c?a=1&b=2"]),
        ("<a href='#top'>T</a><a href=''>E</a><a>N</a>", []),
        ("<a href='mailto:a@b'>M</a><a href='javascript:x()'>J</a><a href='tel:1'>T</a>", []),
        ("<a href='http://[bad/'>B</a>", []),
        ("<area href='/m'>", ["http://shop.example/m"]),
        ("<link rel='next' href='/2'>", ["http://shop.example/2"]),
        ("<link rel='stylesheet' href='/s.css'><img src='/i.jpg'>", []),
        ("<iframe src='/f'></iframe>", ["http://shop.example/f"]),
        (
            "<frameset><frame src='/l'><frame src='/r'></frameset>",
            ["http://shop.example/l", "http://shop.example/r"],
        ),
        ("<base href='/shop/'><a href='c'>C</a>", ["http://shop.example/shop/c"]),
        ("<base href='http://x.example/y/'><a href='c'>C</a>", ["http://x.example/y/c"]),
        ("<base target=_top><a href='c'>C</a>", ["http://shop.example/a/c"]),
    ],
)
def test_which_links_a_page_has(html, expected):
    assert urls(html) == expected


def test_queries_are_written_in_the_pages_charset():
    assert urls("<a href='/s?q=川菜'>S</a>", encoding="gbk") == [
        "http://shop.example/s?q=%B4%A8%B2%CB"
    ]


def test_a_url_is_one_link_with_the_first_anchor_that_says_something():
    html = "<a href=/c><img src=x></a><a href=/c#r>Cover</a><a href=/c>more</a>"
    (link,) = find_links(Tree(html), URL)
    assert link.anchor == "Cover"


@pytest.mark.parametrize(
    ("html", "anchor"),
    [
        ("<a href=/c> A \n <b>b</b></a>", "A b"),
        ("<a href=/c title=Named><img src=x alt=Alt></a>", "Named"),
        ("<a href=/c><img src=x><img src=y alt=' Alt  text '></a>", "Alt text"),
        (f"<a href=/c>{'x' * 500}</a>", "x" * ANCHOR_LENGTH),
        ("<a href=/c></a>", ""),
    ],
)
def test_anchors(html, anchor):
    (link,) = find_links(Tree(html), URL)
    assert link.anchor == anchor


def test_rank_counts_links_of_the_same_place():
    html = "<ul class=m><li><a href=/1>1</a><li><a href=/2>2</a></ul><p><a href=/3>3</a></p>"
    found = find_links(Tree(html), URL)
    assert [link.rank for link in found] == [0, 1, 0]
    assert found[0].tag_path == found[1].tag_path != found[2].tag_path


@pytest.mark.parametrize(
    ("rel", "nofollow"),
    [("nofollow", True), ("NoFollow ugc", True), ("follow", False), ("", False)],
)
def test_nofollow_is_noted(rel, nofollow):
    (link,) = find_links(Tree(f"<a rel='{rel}' href=/c>C</a>"), URL)
    assert link.nofollow is nofollow


@pytest.mark.parametrize(
    ("html", "canonical"),
    [
        ("<link rel=canonical href='/c'>", "http://shop.example/c"),
        ("<base href='/x/'><link rel='canonical' href='c'>", "http://shop.example/x/c"),
        ("<link rel=canonical>", ""),
        ("<p>none", ""),
    ],
)
def test_canonical_links(html, canonical):
    assert canonical_link(Tree(html), URL) == canonical


def test_an_unusable_base_is_the_page_itself():
    assert base_url(Tree("<base href='javascript:1'>"), URL) == URL
