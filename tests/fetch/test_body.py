import gzip
import tracemalloc
import zlib

import brotli
import pytest
import zstandard

from winze.fetch.body import BodyTooLargeError, BrokenBodyError, may_be_page, unpack

TEXT = b"<p>page</p>" * 2000
RAW_DEFLATE = zlib.compressobj(wbits=-15)
PACKED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT[:99]) + gzip.compress(TEXT[99:]) + b"\x00\x00",
    "deflate": zlib.compress(TEXT),
    "DEFLATE": RAW_DEFLATE.compress(TEXT) + RAW_DEFLATE.flush(),
    "br": brotli.compress(TEXT),
    "zstd": zstandard.compress(TEXT),
    "gzip, br": brotli.compress(gzip.compress(TEXT)),
    "identity": TEXT,
    "": TEXT,
    "klingon": TEXT,
}


@pytest.mark.parametrize("coding", PACKED)
def test_content_encodings_are_undone(coding):
    assert unpack(PACKED[coding], coding, max_bytes=len(TEXT)) == TEXT


@pytest.mark.parametrize("coding", PACKED)
def test_the_cap_holds_for_each(coding):
    with pytest.raises(BodyTooLargeError):
        unpack(PACKED[coding], coding, max_bytes=len(TEXT) - 1)
    assert unpack(PACKED[coding], coding, max_bytes=999, cut=True) == TEXT[:999]


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_a_body_that_was_never_packed_is_taken_as_it_is(coding):
    assert unpack(TEXT, coding, max_bytes=len(TEXT)) == TEXT


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_cut_body_gives_what_was_there(coding):
    body = unpack(PACKED[coding][:-2], coding, max_bytes=len(TEXT))
    assert TEXT.startswith(body)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_a_broken_body_is_said_to_be_broken(coding):
    packed = PACKED[coding]
    with pytest.raises(BrokenBodyError):
        unpack(packed[:9] + b"\xff" * 40 + packed[9:], coding, max_bytes=len(TEXT))


def bomb(coding, size=100_000_000):
    pack = {
        "gzip": gzip.compress,
        "br": _brotli,
        "zstd": zstandard.compress,
        "deflate": zlib.compress,
    }
    return pack[coding](b"a" * size)


def _brotli(data):
    return brotli.compress(data, quality=1)


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd", "deflate"])
def test_bombs_stay_flat(coding):
    body = bomb(coding)
    assert len(body) < 200_000
    tracemalloc.start()
    with pytest.raises(BodyTooLargeError):
        unpack(body, coding, max_bytes=1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000


@pytest.mark.parametrize(
    ("content_type", "start", "expected"),
    [
        ("text/html", b"", True),
        ("TEXT/HTML;charset=gbk", b"", True),
        ("application/xhtml+xml", b"", True),
        ("application/rss+xml", b"", True),
        ("text/xml", b"", True),
        ("text/plain", b"", True),
        ("image/png", b"<html>", False),
        ("image/svg+xml", b"<svg>", False),
        ("application/pdf", b"%PDF", False),
        ("application/json", b"{}", False),
        ("video/mp4", b"", False),
        ("", b"<!doctype html>", True),
        ("", b"\xef\xbb\xbf <!-- x --> <HTML>", True),
        ("application/octet-stream", b"\n<html lang=zh>", True),
        ("application/octet-stream", b"MZ\x90", False),
        ("", b"", False),
    ],
)
def test_which_bodies_may_be_pages(content_type, start, expected):
    assert may_be_page(content_type, start) is expected
