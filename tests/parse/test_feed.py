import json

import pytest

from winze.model import ErrorCode, Response
from winze.parse.dates import epoch
from winze.parse.feed import MAX_ENTRIES, feed_links, is_feed, links_of_feed, read_feed
from winze.parse.html import Tree
from winze.parse.link_lists import listed_links

URL = "http://a.example/blog/feed.xml"

#: 10 June 2003, 4:00 UTC.
THEN = 1055217600.0


def rss(*items, head=""):
    return f'<rss version="2.0">{head}<channel><title>T</title>{"".join(items)}</channel></rss>'


def urls(body, content_type="", url=URL):
    data = body.encode() if isinstance(body, str) else body
    return [entry.url for entry in read_feed(data, url, content_type)]


def only(body):
    (entry,) = read_feed(body.encode() if isinstance(body, str) else body, URL)
    return entry


def test_rss_2():
    entry = only(
        rss(
            "<item><title>Fish &amp;amp; &lt;b&gt;Chips&lt;/b&gt;</title>"
            "<link> /p?a=1&amp;b=2#c </link><guid isPermaLink='false'>tag:7</guid>"
            "<pubDate>Tue, 10 Jun 2003 06:00:00 +0200</pubDate>"
            "<media:title>Other</media:title><enclosure url='/a.mp3'/></item>"
        )
    )
    assert (entry.url, entry.title) == ("http://a.example/p?a=1&b=2", "Fish & Chips")
    assert (entry.id, entry.published, entry.updated) == ("tag:7", THEN, None)


def test_rss_1_is_rdf():
    body = (
        '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        ' xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>'
        '<link>/</link></channel><item rdf:about="x"><title>A</title><link>/a</link>'
        "<dc:date>2003-06-10T04:00:00Z</dc:date></item></rdf:RDF>"
    )
    entry = only(body)
    assert (entry.url, entry.title, entry.published) == ("http://a.example/a", "A", THEN)
    assert is_feed("text/xml", body.encode())


def test_atom_with_bases_and_several_links():
    body = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.example/x/"><link href="/"/>'
        '<entry xml:base="y/"><link rel="self" href="self"/><link rel="enclosure" href="e.mp3"/>'
        '<link type="application/json" href="a.json"/><link type="text/html" href="a"/>'
        '<title type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml">A <i>b</i></div></title>'
        "<source><title>Elsewhere</title><link href='/no'/></source><id>urn:1</id>"
        "<published>2003-06-10T04:00:00Z</published><updated>2003-06-10T05:00:00.5Z</updated></entry>"
        '<entry><link href="z"/></entry></feed>'
    )
    first, second = read_feed(body.encode(), URL)
    assert (first.url, first.title, first.id) == ("http://b.example/x/y/a", "A b", "urn:1")
    assert (first.published, first.updated) == (THEN, THEN + 3600)
    assert (second.url, second.id) == ("http://b.example/x/z", "http://b.example/x/z")


def test_a_json_feed():
    items = [
        {"id": 7, "url": "../a", "title": "A", "date_published": "2003-06-10T04:00:00Z"},
        {"id": "http://a.example/b", "title": None},
        {"id": "c", "external_url": "/c"},
        {"id": "no address"},
        "no item",
    ]
    feed = {"version": "https://jsonfeed.org/version/1.1", "items": items}
    body = json.dumps(feed).encode()
    assert is_feed("application/json", body)
    entries = read_feed(body, URL)
    assert [(entry.url, entry.title, entry.published, entry.id) for entry in entries] == [
        ("http://a.example/a", "A", THEN, "7"),
        ("http://a.example/b", "", None, "http://a.example/b"),
        ("http://a.example/c", "", None, "c"),
    ]
    assert not is_feed("application/json", b'{"items": []}')
    assert urls("{" * 100_000) == urls('{"version": 1, "items": 5}') == urls("{}") == []


def test_a_guid_stands_for_a_link_that_is_missing():
    items = ["<item><guid>http://a.example/g</guid></item>", "<item><guid>g</guid></item>"]
    items.append("<item><guid isPermaLink='false'>http://a.example/h</guid></item>")
    items.append("<item><link></link><guid>http://a.example/i</guid></item>")
    assert urls(rss(*items)) == ["http://a.example/g", "http://a.example/i"]


CHINESE = rss("<item><title>川菜</title><link>/1</link></item>")

GBK_CLAIM = '<?xml version="1.0" encoding="gbk"?>'


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        (f"{GBK_CLAIM}{CHINESE}".encode("gbk"), "text/xml"),
        (CHINESE.encode("gbk"), "text/xml; charset=gb2312"),
        (CHINESE.encode("utf-16"), "application/rss+xml"),
        (b"\xef\xbb\xbf \n" + f"{GBK_CLAIM}{CHINESE}".encode(), ""),
    ],
)
def test_charsets(body, content_type):
    assert is_feed(content_type, body)
    (entry,) = read_feed(body, URL, content_type)
    assert (entry.title, entry.url) == ("川菜", "http://a.example/1")


def test_links_within_cdata_and_bare_ampersands():
    items = ["<item><title><![CDATA[1 < 2 & <b>3</b>]]></title><link><![CDATA[/a?b=1&c=2]]></link>"]
    items.append("</item><item><title>A & B&nbsp;&eacute; &bogus;</title><link>/a?d=1&e=2</link>")
    first, second = read_feed(rss(*items, "</item>").encode(), URL)
    assert (first.url, first.title) == ("http://a.example/a?b=1&c=2", "1 < 2 & 3")
    assert (second.url, second.title) == ("http://a.example/a?d=1&e=2", "A & B é &bogus;")


GOOD = "<item><title>{n}</title><link>/{n}</link></item>"


@pytest.mark.parametrize(
    ("broken", "kept"),
    [
        ("<item><title>x</title><link>/1</item>", ["/0", "/1", "/2"]),
        ("<item><title>x<link>/1</link></item>", ["/0", "/2"]),
        ("<item><link>/1</link>", ["/0", "/1", "/2"]),
        ("<item><link>/1</link><p>not closed<br></item>", ["/0", "/1", "/2"]),
        ("<item><link>/1</link><a b=c d></a></item>", ["/0", "/1", "/2"]),
        ("<item><link>/1\x01\x02</link></item>", ["/0", "/1", "/2"]),
        ("</rss></channel></item>", ["/0"]),
        ("<item><link>javascript:alert(1)</link></item>", ["/0", "/2"]),
    ],
)
def test_broken_xml_gives_what_can_be_read(broken, kept):
    found = urls(rss(GOOD.format(n=0), broken, GOOD.format(n=2)))
    assert found[: len(kept)] == [f"http://a.example{path}" for path in kept]


def test_a_cut_feed_has_no_half_link():
    body = rss(*(GOOD.format(n=n) for n in range(1000, 1010)))
    for end in range(len(body)):
        found = urls(body[:end])
        assert found == [f"http://a.example/{n}" for n in range(1000, 1000 + len(found))]
    assert len(found) == 10


def test_nothing_is_loaded_and_no_entity_is_expanded(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("s3cret")
    levels = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    head = f'<!DOCTYPE rss [<!ENTITY e0 "boom">{levels}<!ENTITY f SYSTEM "file://{secret}">]>'
    body = head + rss("<item><title>a&f;&e9;</title><link>/&f;</link></item>")
    entry = only(body)
    assert "s3cret" not in repr(entry)
    assert "boom" not in repr(entry)
    assert urls(str(secret)) == urls(f"file://{secret}") == []


def test_a_feed_without_end_is_cut():
    entries = read_feed(rss(*["<item><link>/1</link></item>"] * (MAX_ENTRIES + 10)).encode(), URL)
    assert len(entries) == MAX_ENTRIES


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Tue, 10 Jun 2003 04:00:00 GMT", THEN),
        ("Tue, 10 Jun 03 00:00:00 EDT", THEN),
        ("10 Jun 2003 04:00", THEN),
        ("2003-06-10 04:00:00", THEN),
        ("2003-06-10T04:00:00.123Z", THEN),
        ("2003-06-10T12:00+0800", THEN),
        ("2003-06-10", THEN - 4 * 3600),
        ("2003年06月10日 04:00", THEN),
        ("2003/6/10 4:00:00", THEN),
        ("2003", 1041379200.0),
        ("1969-12-31T23:59:59Z", -1.0),
        ("2016-12-31T23:59:60Z", 1483228799.0),
        ("", None),
        ("soon", None),
        ("2003-13-45", None),
        ("9" * 5000, None),
        ("Tue, 99 Jun 2003 04:00:00 GMT", None),
    ],
)
def test_dates(text, seconds):
    assert epoch(text) == seconds


@pytest.mark.parametrize(
    ("start", "content_type", "answer"),
    [
        (b"<rss version='2.0'>", "text/html", True),
        (b"<!-- a --><?xml-stylesheet href='x'?>\n<feed xmlns='http://www.w3.org/'>", "", True),
        (b"<?xml version='1.0'?><!DOCTYPE rss [<!ENTITY nbsp '&#160;'>]><rss>", "text/xml", True),
        (b"<a:feed xmlns:a='http://www.w3.org/2005/Atom'>", "text/xml", True),
        (b"<?xml version='1.0'?>" + b"<!-- long -->" * 300, "application/atom+xml", True),
        (b"<!DOCTYPE html><html><body>rss", "application/rss+xml", False),
        (b"<?xml version='1.0'?><!DOCTYPE html><html>", "application/rss+xml", False),
        (b"<urlset>", "text/xml", False),
        (b"<feedback>", "text/xml", False),
        (b"<rdf:RDF xmlns:rdf='x'><foaf:Person/>", "application/rdf+xml", False),
        (b"", "application/rss+xml", False),
        (b'{"version": "https://jsonfeed.org/version/1"}', "application/feed+json", True),
        (b"<!---->" * 300 + b"x", "text/xml", False),
    ],
)  # fmt: skip
def test_the_body_tells_a_feed(start, content_type, answer):
    assert is_feed(content_type, start) is answer


def test_a_page_names_its_feeds():
    tree = Tree(
        "<base href='/b/'><link rel='alternate home' type='Application/RSS+XML; q=1' href=rss>"
        "<link rel=alternate type=application/atom+xml href=/atom><link rel=alternate hreflang=de"
        " href=/de><link rel=stylesheet type=application/rss+xml href=/no>"
        "<a type=application/feed+json href=http://c.example/j>Feed</a>"
        "<link rel=alternate type=application/rss+xml href='javascript:x'>"
        "<link rel=alternate type=application/atom+xml href=/atom>"
    )
    assert feed_links(tree, "http://a.example/") == (
        "http://a.example/b/rss",
        "http://a.example/atom",
        "http://c.example/j",
    )


def test_the_links_of_a_feed_stand_once_and_keep_their_title():
    items = ["<item><link>/a</link></item>", "<item><link>/a</link><title>A</title></item>"]
    found = links_of_feed(rss(*items, GOOD.format(n=1)).encode(), URL)
    assert [(link.url, link.anchor, link.tag_path, link.rank) for link in found] == [
        ("http://a.example/a", "A", "feed", 0),
        ("http://a.example/1", "1", "feed", 1),
    ]


def answer(body, status=200, error=ErrorCode.OK, content_type="application/xml"):
    return Response(URL, status, (("content-type", content_type),), body.encode(), error)


def test_a_visited_list_gives_its_links_and_a_page_none():
    sitemap = (
        '<?xml version="1.0"?><s:urlset xmlns:s="x"><s:url><s:loc>/a</s:loc></s:url></s:urlset>'
    )
    found = listed_links(answer(sitemap)) or ()
    assert [(link.url, link.tag_path) for link in found] == [("http://a.example/a", "sitemap")]
    index = "<sitemapindex><sitemap><loc>/s.xml</loc></sitemap></sitemapindex>"
    assert [link.url for link in listed_links(answer(index)) or ()] == ["http://a.example/s.xml"]
    assert [link.url for link in listed_links(answer(rss(GOOD.format(n=1)))) or ()] == [
        "http://a.example/1"
    ]
    assert listed_links(answer(rss())) == ()
    assert listed_links(answer("<html><a href=/x>", content_type="text/html")) is None
    assert listed_links(answer(rss(GOOD), status=404, error=ErrorCode.URL_404)) is None
    assert listed_links(answer("")) is None
