import asyncio
import gzip
import subprocess
import sys
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from tests.fetch.server import page, redirect, running_site
from winze.engine.source_files import BATCH, Root, opener, sitemap_roots
from winze.engine.sources import AGAIN, SourceLimits, Sources
from winze.fetch.client import Client
from winze.fetch.politeness import Politeness
from winze.store import runs
from winze.store.database import open_store, writing
from winze.store.sources import SourceRow, ask_again, read_sources, write_sources

XML = {"content_type": "application/xml"}


@pytest.fixture
async def site():
    async with running_site() as running:
        yield running


@pytest.fixture
async def client():
    politeness = Politeness(delay=0.0, concurrency=4, total=16)
    async with Client(user_agent="winze/0", politeness=politeness, retries=0) as opened:
        yield opened


@pytest.fixture
def store(tmp_path):
    engine = open_store(str(tmp_path / "store.db"))
    yield engine
    engine.dispose()


def urlset(urls):
    return f"<urlset>{''.join(f'<url><loc>{url}</loc></url>' for url in urls)}</urlset>"


def index(*urls):
    items = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f"<sitemapindex>{items}</sitemapindex>"


def robots(*sitemaps):
    lines = "\n".join(f"Sitemap: {url}" for url in sitemaps)
    return page(f"User-agent: *\nDisallow: /private\n{lines}", content_type="text/plain")


async def read(client, roots, known=(), **options):
    sources = Sources(opener(client), roots, known, **options)
    batches = [batch async for batch in sources.batches()]
    rows = {row.url: row for batch in batches for row in batch.rows}
    return [link.url for batch in batches for link in batch.links], rows, sources.counts


async def test_listed_sitemaps_of_every_form_are_read(site, client):
    site.routes = {
        "/robots.txt": robots("/index.xml", "/list.txt"),
        "/index.xml": page(index("/packed.xml.gz", "/news.xml", "/deeper.xml"), **XML),
        "/packed.xml.gz": page(
            gzip.compress(urlset(["/packed?a=1&b=2"]).encode()), content_type="application/gzip"
        ),
        "/news.xml": page(
            '<urlset xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><url><loc>/news'
            "</loc><news:news><news:title>Fish &amp; chips</news:title></news:news></url></urlset>",
            **XML,
        ),
        "/deeper.xml": page(index("/rss.xml"), **XML),
        "/rss.xml": page("<rss><item><link>/rss</link><title>R</title></item></rss>", **XML),
        "/list.txt": page(f"{site.url}/text\n", content_type="text/plain"),
    }
    roots = await sitemap_roots(client, [f"{site.url}/a", f"{site.url}/b"])
    assert [(root.url, root.listed) for root in roots] == [
        (f"{site.url}/index.xml", True),
        (f"{site.url}/list.txt", True),
    ]
    sources = Sources(opener(client), roots)
    links = [link async for batch in sources.batches() for link in batch.links]
    assert [(link.url.removeprefix(site.url), link.anchor, link.tag_path) for link in links] == [
        ("/text", "", "sitemap"),
        ("/packed?a=1&b=2", "", "sitemap"),
        ("/news", "Fish & chips", "sitemap"),
        ("/rss", "R", "sitemap"),
    ]
    assert (sources.counts.read, sources.counts.links, sources.counts.nothing) == (6, 4, 0)


@pytest.mark.parametrize("broken", ["404", "html", "empty", "loop", "picture"])
async def test_what_is_no_sitemap_is_counted_and_not_asked_again(site, client, broken):
    routes = {
        "html": page("<!DOCTYPE html><title>Not here</title><a href=/x>x</a>"),
        "empty": page("", **XML),
        "loop": [redirect("/sitemap.xml?1"), redirect("/sitemap.xml?2"), redirect("/sitemap.xml")],
        "picture": page(b"\x89PNG\r\n\x1a\n" + bytes(range(256)), content_type="image/png"),
    }
    if broken in routes:
        site.routes["/sitemap.xml"] = routes[broken]
    roots = await sitemap_roots(client, [f"{site.url}/start"])
    links, rows, counts = await read(client, roots)
    assert (links, counts.read, counts.nothing, counts.failed) == ([], 0, 1, 0)
    row = rows[f"{site.url}/sitemap.xml"]
    assert (row.entries, row.done) == (0, True)
    asked = len(site.log)
    links, _, counts = await read(client, roots, rows.values())
    assert (links, counts.still_good, len(site.log)) == ([], 1, asked)


async def test_without_robots_txt_the_usual_place_of_each_origin_is_asked(site, client):
    site.routes = {"/sitemap.xml": page(urlset(["/a"]), **XML)}
    roots = await sitemap_roots(client, [f"{site.url}/start", f"{site.url}/other"])
    links, _, _ = await read(client, roots)
    assert (links, site.paths()) == ([f"{site.url}/a"], ["/sitemap.xml"])


async def test_only_robots_txt_may_name_a_sitemap_of_another_host(site, client):
    async with running_site() as other:
        other.routes = {
            "/leave.xml": page(urlset([f"{site.url}/1"]), **XML),
            "/none.xml": page(urlset([f"{site.url}/2"]), **XML),
        }
        site.routes = {
            "/robots.txt": robots(f"{other.url}/leave.xml", "/index.xml", "/moved.xml"),
            "/index.xml": page(index(f"{other.url}/none.xml", f"{other.url}/leave.xml"), **XML),
            "/moved.xml": redirect(f"{other.url}/none.xml"),
        }
        roots = await sitemap_roots(client, [f"{site.url}/"])
        links, _, counts = await read(client, roots)
        assert links == [f"{site.url}/1"]
        assert (counts.refused, counts.read) == (2, 2)
        assert other.paths() == ["/leave.xml"]


async def test_loops_depth_and_number_are_limited(site, client):
    async def endless(request):
        number = int(request.query.get("n", 0))
        body = index(f"/endless.xml?n={number + 1}", "/endless.xml", *(f"/x{n}" for n in range(9)))
        return web.Response(text=body, **XML)

    site.routes = {"/endless.xml": endless}
    roots = [Root(f"{site.url}/endless.xml")]
    limits = SourceLimits(depth=2, files=1000)
    links, _, counts = await read(client, roots, limits=limits)
    indexes = [path for path in site.paths() if path.startswith("/endless")]
    assert indexes == ["/endless.xml", "/endless.xml?n=1", "/endless.xml?n=2"]
    assert (links, counts.read, counts.nothing) == ([], 3, 9)
    assert counts.refused == 11  # all that the third one names
    site.log.clear()
    _, _, counts = await read(client, roots, limits=SourceLimits(files=5))
    assert len(site.paths()) == 5
    assert counts.beyond > 0


async def test_entries_of_all_files_are_limited(site, client):
    many = [f"/{n}" for n in range(3 * BATCH)]
    site.routes = {
        "/robots.txt": robots("/1.xml", "/2.xml"),
        "/1.xml": page(urlset(many), **XML),
        "/2.xml": page(urlset(["/later"]), **XML),
    }
    roots = await sitemap_roots(client, [f"{site.url}/"])
    links, _, counts = await read(client, roots, limits=SourceLimits(entries=1000))
    assert BATCH < len(links) <= 3 * BATCH
    assert counts.beyond == 1
    assert site.paths() == ["/1.xml"]


async def test_batches_are_small_and_carry_the_progress_that_they_make(site, client):
    site.routes = {"/s.xml": page(urlset(f"/{n}" for n in range(1234)), **XML)}
    sources = Sources(opener(client), [Root(f"{site.url}/s.xml")])
    batches = [batch async for batch in sources.batches()]
    assert [len(batch.links) for batch in batches] == [500, 500, 234]
    assert [(b.rows[0].entries, b.rows[0].done) for b in batches] == [
        (500, False),
        (1000, False),
        (1234, True),
    ]


class KilledError(Exception):
    """Stands for kill -9 between two batches."""


async def crawl_once(client, store, roots, *, kill_after=None, now=1000.0):
    """Do what a crawl does: write each batch and its progress in one transaction."""
    with writing(store) as connection:
        number = runs.site_id(connection, "shop")
        known = read_sources(connection, number)
    sources = Sources(opener(client), roots, known, clock=lambda: now)
    got = []
    async for batch in sources.batches():
        if kill_after is not None and len(got) >= kill_after:
            raise KilledError
        with writing(store) as connection:
            write_sources(connection, number, batch.rows)
        got += [link.url for link in batch.links]
    return got, sources.counts


@asynccontextmanager
async def big_site(site):
    """An index of two sitemaps, of which each has 1,200 pages."""
    site.routes = {
        "/robots.txt": robots("/index.xml"),
        "/index.xml": page(index("/1.xml", "/2.xml"), **XML),
        "/1.xml": page(urlset(f"/1/{n}" for n in range(1200)), **XML),
        "/2.xml": page(urlset(f"/2/{n}" for n in range(1200)), **XML),
    }
    yield [Root(f"{site.url}/index.xml", listed=True)]


@pytest.mark.parametrize("kill_after", [0, 500, 1000, 1200, 1700, 2200])
async def test_a_killed_reading_goes_on_where_it_was(site, client, store, kill_after):
    async with big_site(site) as roots:
        with pytest.raises(KilledError):
            await crawl_once(client, store, roots, kill_after=kill_after)
        site.log.clear()
        got, _ = await crawl_once(client, store, roots, now=2000.0)
        paths = [f"/{file}/{n}" for file in (1, 2) for n in range(1200)]
        assert [url.removeprefix(site.url) for url in got] == paths[kill_after:]
        index_again = ["/index.xml"] if kill_after == 0 else []
        files = ["/1.xml", "/2.xml"][kill_after >= 1200 :]
        assert site.paths() == index_again + files
        again, counts = await crawl_once(client, store, roots, now=3000.0)
        assert (again, counts.still_good) == ([], 3)


async def test_after_a_day_or_with_fresh_the_site_is_asked_what_changed(site, client, store):
    seen = []
    entries = ["/a", "/b"]

    async def sitemap(request):
        seen.append(request.headers.get("If-None-Match"))
        etag = f'"{len(entries)}"'
        if seen[-1] == etag:
            return web.Response(status=304, headers={"ETag": etag})
        return web.Response(text=urlset(entries), headers={"ETag": etag}, **XML)

    site.routes = {"/s.xml": sitemap}
    roots = [Root(f"{site.url}/s.xml")]
    got, _ = await crawl_once(client, store, roots)
    assert len(got) == 2
    got, counts = await crawl_once(client, store, roots, now=1000.0 + AGAIN - 1)
    assert (got, counts.still_good, seen) == ([], 1, [None])
    got, counts = await crawl_once(client, store, roots, now=1000.0 + AGAIN)
    assert (got, counts.unchanged, seen[1:]) == ([], 1, ['"2"'])
    # The answer 304 is good for another day.
    _, counts = await crawl_once(client, store, roots, now=1000.0 + AGAIN + 1)
    assert counts.still_good == 1
    with writing(store) as connection:
        ask_again(connection, runs.site_id(connection, "shop"))
    entries.append("/c")
    got, counts = await crawl_once(client, store, roots, now=1000.0 + AGAIN + 2)
    assert [url.removeprefix(site.url) for url in got] == ["/a", "/b", "/c"]
    assert (counts.read, '"2"' in seen[2:]) == (1, True)


async def test_another_copy_of_a_half_read_sitemap_is_read_from_its_beginning(site, client):
    site.routes = {"/s.xml": page(urlset(["/new", "/a"]), headers={"ETag": '"2"'}, **XML)}
    half = SourceRow(f"{site.url}/s.xml", entries=1, etag='"1"', read_at=1.0)
    links, _, _ = await read(client, [Root(half.url)], [half])
    assert links == [f"{site.url}/new", f"{site.url}/a"]
    same = SourceRow(half.url, entries=1, etag='"2"', read_at=1.0)
    links, rows, _ = await read(client, [Root(half.url)], [same])
    assert links == [f"{site.url}/a"]
    assert rows[half.url].entries == 2


async def test_no_answer_is_asked_again_in_the_next_run(site, client):
    site.routes = {"/s.xml": [page("", status=503), page(urlset(["/a"]), **XML)]}
    roots = [Root(f"{site.url}/s.xml")]
    links, rows, counts = await read(client, roots)
    assert (links, rows, counts.failed) == ([], {}, 1)
    links, _, counts = await read(client, roots, rows.values())
    assert (links, counts.read) == ([f"{site.url}/a"], 1)


async def test_what_robots_forbids_is_not_asked(site, client):
    site.routes = {"/robots.txt": robots("/private/s.xml")}
    links, _, counts = await read(client, await sitemap_roots(client, [f"{site.url}/"]))
    assert (links, counts.nothing, site.paths()) == ([], 1, [])


MEMORY = """
import asyncio, re, sys
from pathlib import Path
from winze.engine.source_files import Root, opener
from winze.engine.sources import Sources
from winze.fetch.client import Client
from winze.fetch.politeness import Politeness

async def count(url):
    politeness = Politeness(delay=0.0, concurrency=1, total=1)
    async with Client(user_agent="winze/0", politeness=politeness, obey_robots=False) as client:
        sources = Sources(opener(client), [Root(url)])
        return sum([len(batch.links) async for batch in sources.batches()])

def peak():
    # Not ru_maxrss: a child inherits that of the process that started it.
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", status)[1]) // 1024

async def main():
    small, large = sys.argv[1:]
    await count(small)
    before = peak()
    print(await count(large), peak() - before)

asyncio.run(main())
"""


def entry(n):
    name = b"a-long-name-" * 16
    return b"<url><loc>http://shop.example/%s%d</loc><lastmod>2024-01-01</lastmod></url>" % (
        name,
        n,
    )


@pytest.mark.parametrize("packed", [True, False])
async def test_memory_is_flat_however_large_the_file(site, packed):
    count = 185_000
    body = b"<urlset>" + b"".join(map(entry, range(count))) + b"</urlset>"
    assert 48_000_000 < len(body) < 52_000_000
    content_type = "application/gzip" if packed else "application/xml"
    site.routes = {
        "/small": page(urlset(f"/{n}" for n in range(2000)), **XML),
        "/large": page(gzip.compress(body, 1) if packed else body, content_type=content_type),
    }
    urls = [f"{site.url}/small", f"{site.url}/large"]
    found, rise = await output_of([sys.executable, "-c", MEMORY, *urls])
    assert found == count
    assert rise < 12


async def output_of(command):
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    out, _ = await process.communicate()
    assert process.returncode == 0
    return map(int, out.split())
