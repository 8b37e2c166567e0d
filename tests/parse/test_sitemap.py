import gzip
import resource
import tracemalloc

import pytest

from winze.parse.sitemap import Entry, read_sitemap

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


def test_memory_stays_flat_and_reading_ends_at_the_cap():
    line = b"<url><loc>http://a.example/page</loc><lastmod>2024-01-01</lastmod></url>" * 1000

    def endless():
        yield b"<urlset>"
        while True:
            yield line

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    tracemalloc.start()
    count = sum(1 for _ in read_sitemap(endless(), BASE, max_bytes=5_000_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 60_000 < count < 75_000
    assert peak < 5_000_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 40_000


def test_a_gzip_bomb_stays_flat():
    bomb = gzip.compress(b"<urlset>" + b" " * 40_000_000)
    tracemalloc.start()
    assert urls(bomb) == []
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000
