import gzip
import tracemalloc

import pytest

from winze.parse.sitemap import Entry, SitemapReader, links_of_sitemap, read_sitemap

BASE = "http://a.example/sitemap.xml"
XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urlset(count):
    lines = "".join(f"<url><loc>http://a.example/{n}</loc></url>\n" for n in range(count))
    return f'<?xml version="1.0"?><urlset {XMLNS}>{lines}</urlset>'.encode()


def urls(body, **options):
    return [entry.url for entry in read_sitemap(body, BASE, **options)]


@pytest.mark.parametrize("prefix", [b"", b"\xef\xbb\xbf", b"\n  "])
def test_entries_come_in_order(prefix):
    assert urls(prefix + urlset(3)) == [f"http://a.example/{n}" for n in range(3)]


def test_an_index_names_sitemaps():
    body = (
        f"<sitemapindex {XMLNS}><sitemap><loc>/s1.xml.gz</loc><lastmod>2024-01-01</lastmod>"
        "</sitemap></sitemapindex>"
    )
    assert list(read_sitemap(body.encode(), BASE)) == [
        Entry("http://a.example/s1.xml.gz", "2024-01-01", is_sitemap=True)
    ]


def test_the_locs_of_images_and_alternates_are_not_pages():
    body = (
        f'<urlset {XMLNS} xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">'
        "<url><image:image><image:loc>http://a.example/x.png</image:loc></image:image>"
        "<loc><![CDATA[http://a.example/p?a=1&b=2]]></loc><!-- note --></url></urlset>"
    )
    assert urls(body.encode()) == ["http://a.example/p?a=1&b=2"]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_gzip_in_pieces_and_members(size):
    half = len(urlset(20)) // 2
    packed = gzip.compress(urlset(20)[:half]) + gzip.compress(urlset(20)[half:])
    chunks = (packed[at : at + size] for at in range(0, len(packed), size))
    assert len(urls(chunks)) == 20


@pytest.mark.parametrize(
    "body",
    [
        urlset(50)[: len(urlset(50)) // 2],
        gzip.compress(urlset(500))[:-600],
        urlset(25).replace(b"</urlset>", b"<url><loc>&nonsense; < <<"),
        urlset(25) + b"<!-- and more -->\x00\x01",
    ],
)
def test_a_broken_sitemap_gives_what_stands_before_the_fault(body):
    found = urls(body)
    assert len(found) >= 20
    assert found[:20] == [f"http://a.example/{n}" for n in range(20)]


@pytest.mark.parametrize(
    "body", [b"", b"\x1f\x8b", b"<", b"<html><body>404</body></html>", b"\x00" * 9]
)
def test_what_is_no_sitemap_has_no_entries(body):
    assert urls(body) == []


def test_plain_text():
    body = b"\xef\xbb\xbfhttp://a.example/1\r\nnot a url\nhttp://a.example/2"
    assert urls(body) == ["http://a.example/1", "http://a.example/2"]


def test_entities_are_not_expanded():
    levels = "".join(f'<!ENTITY e{n + 1} "{f"&e{n};" * 10}">' for n in range(9))
    bomb = f'<!DOCTYPE x [<!ENTITY e0 "boom">{levels}]><urlset><url><loc>&e9;</loc></url></urlset>'
    secret = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/hostname">]><urlset><url><loc>/a&f;</loc></url></urlset>'
    assert urls(bomb.encode()) == ["http://a.example/&e9;"]
    assert urls(secret.encode()) == ["http://a.example/a&f;"]


def test_a_bare_ampersand_is_meant_as_one():
    body = "<urlset><url><loc>/?a=1&b=2&copy=3&nbsp;x</loc></url><url><loc>/?a=1&amp;b=2"
    cdata = "</loc></url><url><loc><![CDATA[/?c=1&d=2]]></loc></url></urlset>"
    whole = (body + cdata).encode()
    expected = [
        "http://a.example/?a=1&b=2&copy=3%C2%A0x",
        "http://a.example/?a=1&b=2",
        "http://a.example/?c=1&d=2",
    ]
    assert urls(whole) == expected
    for size in (1, 2, 3, 7):
        assert urls(whole[at : at + size] for at in range(0, len(whole), size)) == expected


def test_news_titles_and_feeds_as_sitemaps():
    news = (
        f'<urlset {XMLNS} xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>/1'
        "</loc><n:news><n:title>Fish &amp; chips</n:title></n:news></url></urlset>"
    )
    assert list(read_sitemap(news.encode(), BASE)) == [
        Entry("http://a.example/1", title="Fish & chips")
    ]
    atom = (
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry><link href="/2"/><title>B</title></entry>'
    )
    assert list(read_sitemap(atom.encode(), BASE)) == [Entry("http://a.example/2", title="B")]


@pytest.mark.parametrize(
    ("body", "is_sitemap"),
    [
        (urlset(0), True),
        (b"<sitemapindex/>", True),
        (b"http://a.example/1", True),
        (b"<rss></rss>", True),
        (b"<!DOCTYPE html><html><p>404</html>", False),
        (b"Not found", False),
        (b"", False),
        (b"<x><url><loc>/a</loc></url></x>", False),
    ],
)
def test_the_reader_knows_what_is_a_sitemap(body, is_sitemap):
    reader = SitemapReader(BASE)
    reader.feed(body)
    reader.close()
    assert reader.is_sitemap is is_sitemap


def test_a_page_is_not_read_to_its_end():
    reader = SitemapReader(BASE)
    assert reader.feed(b"<!DOCTYPE html><html><head>" + b"<p>x</p>" * 100) == []
    assert reader.ended


def test_the_links_of_a_visited_sitemap():
    body = b"<sitemapindex><sitemap><loc>/s</loc></sitemap><sitemap><loc>/s</loc></sitemap>"
    (link,) = links_of_sitemap(body, BASE)
    assert (link.url, link.tag_path, link.rank) == ("http://a.example/s", "sitemap", 0)


def peak_of(work):
    """Return the result of a function, and the most bytes that Python held meanwhile."""
    tracemalloc.start()
    result = work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return result, peak


def test_memory_stays_flat_and_reading_ends_at_the_cap():
    line = b"<url><loc>http://a.example/page</loc><lastmod>2024-01-01</lastmod></url>" * 1000

    def endless():
        yield b"<urlset>"
        while True:
            yield line

    read = read_sitemap(endless(), BASE, max_bytes=5_000_000)
    count, peak = peak_of(lambda: sum(1 for _ in read))
    assert 60_000 < count < 75_000
    assert peak < 3_000_000


def test_a_gzip_bomb_stays_flat():
    bomb = gzip.compress(b"<urlset>" + b" " * 40_000_000)
    found, peak = peak_of(lambda: urls(bomb))
    assert found == []
    assert peak < 3_000_000


def many(pattern):
    """Yield pieces of 64 KB and more, 100 MB in all if somebody reads them."""
    number = 0
    for _ in range(1600):
        count = 65_536 // len(pattern)
        yield b"".join(pattern.replace(b"N", b"%d" % n) for n in range(number, number + count))
        number += count


@pytest.mark.parametrize(
    ("start", "pattern"),
    [
        (b"<urlset>", b"<aN/>"),
        (b"<urlset>", b"<a/>"),
        (b"<urlset>", b"<a xmlns='uN'/>"),
        (b"<urlset>", b"</x>&bad;<a b=1>"),
        (b"<urlset><url>", b"<loc>/a</loc>"),
        (b"<urlset><!--", b"comment"),
        (b"<urlset x='", b"value"),
        (b"<urlset ", b"aN='x' "),
        (b"<urlset><url><loc>", b"/text"),
        (b"<!DOCTYPE a [", b"<!ENTITY aN 'x'>"),
        (b"<urlset>", b"<"),
    ],
)
def test_what_would_fill_the_memory_is_given_up(start, pattern):
    taken = 0

    def bomb():
        nonlocal taken
        yield start
        for piece in many(pattern):
            taken += len(piece)
            yield piece

    assert len(urls(bomb())) <= 1
    # libxml2 holds what it cannot finish: 9 MB of it do no harm.
    assert 0 < taken < 9_000_000


def test_a_text_without_lines_is_not_held():
    pieces = (b"http://a.example/" * 4000 for _ in range(200))
    found, peak = peak_of(lambda: urls(pieces))
    assert found == []
    assert peak < 3_000_000


def test_gzip_members_without_number_end():
    empty = gzip.compress(b"")
    taken = 0

    def members():
        nonlocal taken
        while True:
            taken += 1000
            yield empty * 1000

    reader = SitemapReader(BASE)
    for chunk in members():
        reader.feed(chunk)
        if reader.ended:
            break
    assert taken <= 11_000
