import gzip
import time
import zlib
from pathlib import Path

import brotli
import pytest
import zstandard

from tests.fetch.server import get, page, raw_server, stream
from winze.model import ErrorCode

HTML = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


PAGE = b"<h1>" + b"page " * 5000 + b"</h1>"


@pytest.mark.parametrize(
    ("coding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("br", brotli.compress),
        ("zstd", zstandard.compress),
        ("gzip", bytes),
    ],
)
async def test_bodies_are_unpacked(site, client, coding, pack):
    site.routes["/p"] = page(pack(PAGE), headers={"Content-Encoding": coding})
    assert (await get(client, f"{site.url}/p")).body == PAGE
    assert coding in site.seen[0].headers["Accept-Encoding"]


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="peak memory needs /proc")
@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
async def test_a_bomb_is_too_large_and_memory_stays_flat(site, client, coding):
    data = b"<p>" + b"a" * 300_000_000
    if coding == "br":
        pack = brotli.Compressor(quality=1)
        bomb = pack.process(data) + pack.finish()
    else:
        bomb = {"gzip": gzip.compress, "zstd": zstandard.compress}[coding](data)
    del data
    site.routes["/bomb"] = page(bomb, headers={"Content-Encoding": coding})
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = _peak_kilobytes()
    response = await get(client, f"{site.url}/bomb", max_bytes=5_000_000)
    assert (response.error, response.body) == (ErrorCode.TOO_LARGE, b"")
    assert _peak_kilobytes() - before < 40_000


def _peak_kilobytes():
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


async def test_a_declared_length_beyond_the_cap_is_not_read(site, client):
    site.routes["/p"] = page(b"x" * 2000)
    assert (await get(client, f"{site.url}/p", max_bytes=1999)).error is ErrorCode.TOO_LARGE
    assert (await get(client, f"{site.url}/p", max_bytes=2000)).error is ErrorCode.OK


async def test_an_endless_stream_is_too_large(site, client):
    site.routes["/p"] = stream(b"x" * 10_000, 0)
    response = await get(client, f"{site.url}/p", max_bytes=500_000)
    assert (response.http_status, response.error) == (200, ErrorCode.TOO_LARGE)


async def test_a_slow_drip_ends_with_the_time_limit(site, client):
    site.routes["/p"] = stream(b"x", 0.02)
    start = time.monotonic()
    response = await get(client, f"{site.url}/p", timeout=0.3)
    assert response.error is ErrorCode.URL_TIME_OUT
    assert 0.25 < time.monotonic() - start < 1.5


@pytest.mark.parametrize(
    "content_type", ["image/png", "video/mp4", "application/pdf", "application/zip"]
)
async def test_what_is_no_page_is_not_read(site, client, content_type):
    site.routes = {
        "/f": stream(b"x" * 100_000, 0.01, content_type),
        "/s": page(b"x", content_type=content_type),
    }
    start = time.monotonic()
    for path in ("/f", "/s"):
        response = await get(client, site.url + path)
        assert (response.http_status, response.error, response.body) == (200, ErrorCode.OK, b"")
    assert time.monotonic() - start < 2


async def test_a_page_under_a_vague_type_is_read(site, client):
    packed = gzip.compress(b"<!doctype html>" + PAGE)
    site.routes = {
        "/p": page(
            packed, content_type="application/octet-stream", headers={"Content-Encoding": "gzip"}
        ),
        "/f": page(b"MZ" + PAGE, content_type="application/octet-stream"),
    }
    assert (await get(client, f"{site.url}/p")).body == b"<!doctype html>" + PAGE
    assert (await get(client, f"{site.url}/f")).body == b""


async def test_a_single_request_can_have_limits_of_its_own(site, client):
    site.routes = {"/s.gz": page(b"x" * 3000, content_type="application/gzip")}
    async with client(obey_robots=False, max_bytes=1000) as fetch:
        response = await fetch.fetch(f"{site.url}/s.gz", max_bytes=5000, any_type=True)
        assert len(response.body) == 3000
        assert (await fetch.fetch(f"{site.url}/s.gz", any_type=True)).error is ErrorCode.TOO_LARGE


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (HTML + b"Content-Length: 999\r\n\r\n<p>short", ErrorCode.CONNECTION),
        (HTML + b"Transfer-Encoding: chunked\r\n\r\n5\r\n<p>ab\r\n", ErrorCode.CONNECTION),
        (
            HTML + b"Content-Encoding: br\r\nContent-Length: 9\r\n\r\n<p>abcdef",
            ErrorCode.BAD_ENCODING,
        ),
        (HTML + b"Content-Length: nine\r\n\r\n<p>", ErrorCode.OTHER_ERROR),
        (HTML + b"Content-Length: 4\r\n\r\n<p>ab and more than was said", ErrorCode.OTHER_ERROR),
        (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", ErrorCode.OTHER_ERROR),
        (HTML + b"X: " + b"x" * 300_000 + b"\r\n\r\n", ErrorCode.OTHER_ERROR),
        (b"", ErrorCode.CONNECTION),
    ],
)
async def test_broken_answers_become_error_codes(client, answer, error):
    async with raw_server(answer) as url:
        response = await get(client, url + "/p")
    assert (response.error, response.body) == (error, b"")


@pytest.mark.parametrize(
    "answer",
    [
        HTML + b"\r\n<p>a",
        HTML + b"X: " + b"x" * 65_000 + b"\r\nContent-Length: 4\r\n\r\n<p>a",
        HTML + b"X-Name: \xb2\xcb\r\nContent-Length: 4\r\n\r\n<p>a",
        b"HTTP/1.0 200\r\nContent-Type: text/html\r\n\r\n<p>a",
    ],
)
async def test_odd_answers_are_read_as_far_as_they_go(client, answer):
    async with raw_server(answer) as url:
        response = await get(client, url + "/p")
    assert (response.http_status, response.error, response.body) == (200, ErrorCode.OK, b"<p>a")


async def test_a_reset_connection(client):
    async with raw_server(b"", reset=True) as url:
        assert (await get(client, url + "/p")).error is ErrorCode.CONNECTION


async def test_no_server_no_name_no_tls(site, client):
    assert (await get(client, "http://127.0.0.1:1/")).error is ErrorCode.CONNECTION
    assert (await get(client, "http://nowhere.invalid/")).error is ErrorCode.DNS
    response = await get(client, "https" + site.url.removeprefix("http") + "/p")
    assert response.error is ErrorCode.TLS
