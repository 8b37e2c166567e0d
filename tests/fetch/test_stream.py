"""A large file read piece by piece: what ends it, and when it is asked for again."""

import asyncio

from aiohttp import web

from tests.fetch.server import page, raw_server
from winze.model import ErrorCode

MEGABYTE = 1_000_000


async def read(client, url, **options):
    """Read a stream to its end; return it and the bytes."""
    options = {"max_bytes": 10 * MEGABYTE, "timeout": 5.0} | options
    async with client.stream(url, **options) as stream:
        body = b"".join([piece async for piece in stream.chunks])
    return stream, body


async def test_a_body_comes_in_pieces_and_as_it_was_sent(site, client):
    site.routes["/map"] = page(b"x" * 3 * MEGABYTE, content_type="application/gzip")
    async with (
        client() as fetch,
        fetch.stream(f"{site.url}/map", max_bytes=5 * MEGABYTE, timeout=5) as stream,
    ):
        sizes = [len(piece) async for piece in stream.chunks]
    assert (stream.response.http_status, stream.error) == (200, ErrorCode.OK)
    assert sum(sizes) == 3 * MEGABYTE
    assert max(sizes) < MEGABYTE


async def test_a_fault_that_passes_is_asked_again(site, client):
    site.routes["/map"] = [page("busy", status=503), page("here")]
    async with client(retries=1) as fetch:
        stream, body = await read(fetch, f"{site.url}/map")
    assert (stream.response.http_status, body) == (200, b"here")
    assert site.paths() == ["/map", "/map"]
    assert fetch.counts.retries == 1


async def test_a_fault_that_stays_is_told(site, client):
    site.routes["/map"] = page("busy", status=503)
    async with client(retries=2) as fetch:
        stream, body = await read(fetch, f"{site.url}/map")
    assert stream.response.error is ErrorCode.HTTP_5XX
    assert body == b"busy"
    assert site.paths() == ["/map"] * 3


async def test_what_is_too_large_ends_with_what_was_read(site, client):
    site.routes["/map"] = page(b"x" * 2 * MEGABYTE)
    async with client() as fetch:
        stream, body = await read(fetch, f"{site.url}/map", max_bytes=MEGABYTE)
    assert stream.error is ErrorCode.TOO_LARGE
    assert len(body) <= MEGABYTE


async def test_a_body_that_breaks_off_is_no_whole_one(client):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n"
    async with raw_server(head + b"<urlset>") as url, client() as fetch:
        stream, body = await read(fetch, f"{url}/map")
    assert (stream.error, body) == (ErrorCode.CONNECTION, b"<urlset>")


async def test_a_body_that_stalls_times_out(site, client):
    async def stall(request):
        answer = web.StreamResponse()
        await answer.prepare(request)
        await answer.write(b"begun")
        await asyncio.sleep(3)
        return answer

    site.routes["/map"] = stall
    async with client() as fetch:
        stream, body = await read(fetch, f"{site.url}/map", timeout=0.3)
    assert (stream.error, body) == (ErrorCode.URL_TIME_OUT, b"begun")


async def test_an_unchanged_file_has_no_body(site, client):
    async def unchanged(request):
        assert request.headers["If-None-Match"] == '"7"'
        return web.Response(status=304)

    site.routes["/map"] = unchanged
    async with client() as fetch:
        stream, body = await read(fetch, f"{site.url}/map", validators=('"7"', ""))
    assert (stream.response.http_status, stream.error, body) == (304, ErrorCode.OK, b"")


async def test_robots_are_asked_first_and_the_turn_ends_with_the_stream(site, client):
    site.routes["/robots.txt"] = page("User-agent: *\nDisallow: /secret", content_type="text/plain")
    site.routes["/map"] = page("x")
    async with client(concurrency=1) as fetch:
        stream, _ = await read(fetch, f"{site.url}/secret")
        assert stream.response.error is ErrorCode.ROBOTS_DENIED
        for _ in range(2):
            await asyncio.wait_for(read(fetch, f"{site.url}/map"), 2)
    assert site.paths() == ["/map", "/map"]
