from datetime import UTC, datetime

import pytest
from warcio.archiveiterator import ArchiveIterator

from winze.model import ErrorCode, Response
from winze.store.archive import Archive, Span
from winze.store.warc import Context

PAGES = [
    Response(
        f"http://shop.example/{n}?q=川菜",
        200,
        (("content-type", "text/html; charset=gbk"), ("content-encoding", "gzip")),
        f"川菜 {n}".encode("gbk"),
        fetched_at=1_700_000_000.25 + n,
    )
    for n in range(3)
]


class Clock:
    """A time of day that the test sets."""

    def __init__(self, day: str) -> None:
        self.set(day)

    def set(self, day: str) -> None:
        self.now = datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp()

    def __call__(self) -> float:
        return self.now


def open_archive(folder, day="2026-12-01", **options):
    return Archive(folder, "shop.warc.gz", clock=Clock(day), **options)


def warc_records(path):
    """Every record of a file as warcio reads it: kind, headers, content; its digests checked."""
    with path.open("rb") as file:
        return [
            (record.rec_type, dict(record.rec_headers.headers), _content(record))
            for record in ArchiveIterator(file, check_digests="raise")
        ]


def _content(record):
    """A request's head, anything else's body."""
    body = record.content_stream().read().decode("utf-8", "replace")
    return str(record.http_headers) if record.rec_type == "request" else body


def bodies(path):
    with path.open("rb") as file:
        return [
            record.content_stream().read()
            for record in ArchiveIterator(file, check_digests="raise")
            if record.rec_type == "response"
        ]


def test_what_was_archived_is_read_back(tmp_path):
    with open_archive(tmp_path / "archive") as archive:
        spans = [archive.append(page) for page in PAGES]
        archive.flush()
        for page, span in reversed(list(zip(PAGES, spans, strict=True))):
            found = archive.read(span)
            assert (found.url, found.http_status, found.body, found.fetched_at) == (
                page.url,
                200,
                page.body,
                page.fetched_at,
            )
            assert found.header("content-type") == "text/html; charset=gbk"
            assert found.header("content-encoding") == ""


def test_other_tools_read_the_file_record_for_record(tmp_path):
    context = Context(
        request_headers=(("User-Agent", "winze/1 (+x)"), ("Cookie", "secret=1")),
        depth=2,
        parent="http://shop.example/list",
        error=ErrorCode.VALIDATE_ERROR,
    )
    with open_archive(tmp_path) as archive:
        for page in PAGES:
            archive.append(page, context)
    records = warc_records(tmp_path / archive.file)
    kinds = [kind for kind, _, _ in records]
    assert kinds == ["warcinfo", *["request", "metadata", "response"] * 3]
    assert len({headers["WARC-Record-ID"] for _, headers, _ in records}) == len(records)
    assert records[0][1]["WARC-Filename"] == "shop-20261201-00001.warc.gz"
    request, metadata, response = records[1:4]
    for _, headers, _ in (request, metadata):
        assert headers["WARC-Concurrent-To"] == response[1]["WARC-Record-ID"]
        assert headers["WARC-Target-URI"] == PAGES[0].url
    assert response[1]["WARC-Date"] == "2023-11-14T22:13:20.250000Z"
    assert request[2].splitlines() == [
        "GET /0?q=川菜 HTTP/1.1",
        "Host: shop.example",
        "User-Agent: winze/1 (+x)",
    ]
    assert metadata[2].splitlines() == [
        "via: http://shop.example/list",
        "hopsFromSeed: LL",
        "depth: 2",
        "error: VALIDATE_ERROR",
    ]
    assert bodies(tmp_path / archive.file) == [page.body for page in PAGES]


def test_fastwarc_finds_the_digests_right_and_the_places_ours(tmp_path):
    fastwarc = pytest.importorskip("fastwarc.warc")
    with open_archive(tmp_path) as archive:
        spans = [archive.append(page) for page in PAGES]
    with (tmp_path / archive.file).open("rb") as file:
        seen = [
            (record.verify_block_digest(), record.stream_pos)
            for record in fastwarc.ArchiveIterator(
                file, record_types=fastwarc.WarcRecordType.response, parse_http=False
            )
        ]
    assert seen == [(True, span.offset) for span in spans]


def test_a_header_cannot_break_out_of_its_line(tmp_path):
    page = Response("http://a.example/", 200, (("x-a", "1\r\nX-B: 2\0"), ("x-c", "\ud800é")), b"x")
    with open_archive(tmp_path) as archive:
        span = archive.append(page)
        archive.flush()
        found = archive.read(span)
    assert found.headers == (("x-a", "1  X-B: 2"), ("x-c", "?é"), ("content-length", "1"))
    assert bodies(tmp_path / archive.file) == [b"x"]


def test_an_answer_without_a_body_and_one_with_blank_lines(tmp_path):
    pages = [
        Response("http://a.example/1", 299),
        Response("http://a.example/2", 200, (), b"\r\n\r\n\r\n\0\xff" * 50_000),
    ]
    with open_archive(tmp_path) as archive:
        spans = [archive.append(page) for page in pages]
        archive.flush()
        assert [archive.read(span).body for span in spans] == [page.body for page in pages]
        assert archive.read(spans[0]).http_status == 299
    assert bodies(tmp_path / archive.file) == [page.body for page in pages]


def test_a_torn_member_is_cut_off(tmp_path):
    with open_archive(tmp_path) as archive:
        first, second = archive.append(PAGES[0]), archive.append(PAGES[1])
    torn = tmp_path / first.file
    torn.write_bytes(torn.read_bytes()[:-7])
    with open_archive(tmp_path) as archive:
        archive.mend({first.file: first.offset + first.length})
        third = archive.append(PAGES[2])
        archive.flush()
        assert first.offset < second.offset
        assert third.offset > first.offset + first.length
        assert archive.read(third).body == PAGES[2].body
    assert bodies(torn) == [PAGES[0].body, PAGES[2].body]


def test_a_file_that_the_store_does_not_know_is_left_alone(tmp_path):
    with open_archive(tmp_path) as archive:
        archive.append(PAGES[0])
    before = (tmp_path / archive.file).read_bytes()
    with open_archive(tmp_path) as other:
        other.mend({"shop-20261130-00001.warc.gz": 10})
        span = other.append(PAGES[1])
        assert span.file == "shop-20261201-00002.warc.gz"
    assert (tmp_path / archive.file).read_bytes() == before


def test_a_full_file_is_left_for_the_next(tmp_path):
    with open_archive(tmp_path, file_bytes=1500) as archive:
        spans = [archive.append(page) for page in PAGES * 2]
        archive.flush()
        assert [archive.read(span).body for span in spans] == [page.body for page in PAGES * 2]
    files = sorted(path.name for path in tmp_path.iterdir())
    assert len(files) > 1
    assert files[:2] == ["shop-20261201-00001.warc.gz", "shop-20261201-00002.warc.gz"]
    assert [warc_records(tmp_path / file)[0][0] for file in files] == ["warcinfo"] * len(files)
    found = [body for file in files for body in bodies(tmp_path / file)]
    assert found == [page.body for page in PAGES * 2]
    # A later run goes on behind the last file, not in the first.
    with open_archive(tmp_path, file_bytes=1) as archive:
        assert archive.append(PAGES[0]).file == f"shop-20261201-{len(files) + 1:05}.warc.gz"


def test_each_day_has_its_file_and_a_clock_set_back_none(tmp_path):
    clock = Clock("2026-12-01T23:59:59")
    with Archive(tmp_path, "shop", clock=clock) as archive:
        first = archive.append(PAGES[0])
        clock.set("2026-12-02T00:00:01")
        second = archive.append(PAGES[1])
        clock.set("2026-11-30")
        third = archive.append(PAGES[2])
    assert [first.file, second.file, third.file] == [
        "shop-20261201-00001.warc.gz",
        "shop-20261202-00001.warc.gz",
        "shop-20261202-00001.warc.gz",
    ]


def test_sites_whose_names_begin_alike_have_files_of_their_own(tmp_path):
    with Archive(tmp_path, "shop-2", clock=Clock("2026-12-01")) as other:
        other.append(PAGES[0])
    with open_archive(tmp_path) as archive:
        assert archive.file == ""
        assert archive.append(PAGES[0]).file == "shop-20261201-00001.warc.gz"


def test_a_removed_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        open_archive(tmp_path).read(Span("gone.warc.gz", 0, 10))


def test_a_wrong_place_is_said_to_be_one(tmp_path):
    with open_archive(tmp_path) as archive:
        span = archive.append(PAGES[0])
        archive.flush()
        for offset, length in ((0, 200), (span.offset + 1, span.length), (10**6, 10)):
            with pytest.raises(ValueError, match=f"no answer at byte {offset}"):
                archive.read(Span(span.file, offset, length))
