import pytest
from warcio.archiveiterator import ArchiveIterator

from winze.model import Response
from winze.store.archive import Archive, Span

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


def test_what_was_archived_is_read_back(tmp_path):
    with Archive(tmp_path / "archive", "a.warc.gz") as archive:
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


def test_other_tools_read_the_file(tmp_path):
    with Archive(tmp_path, "a.warc.gz") as archive:
        for page in PAGES:
            archive.append(page)
    with (tmp_path / "a.warc.gz").open("rb") as file:
        bodies = [record.content_stream().read() for record in ArchiveIterator(file)]
    assert bodies == [page.body for page in PAGES]


def test_a_torn_member_is_cut_off(tmp_path):
    with Archive(tmp_path, "a.warc.gz") as archive:
        first, second = archive.append(PAGES[0]), archive.append(PAGES[1])
    torn = tmp_path / "a.warc.gz"
    torn.write_bytes(torn.read_bytes()[:-7])
    with Archive(tmp_path, "a.warc.gz") as archive:
        archive.cut("a.warc.gz", first.offset + first.length)
        third = archive.append(PAGES[2])
        archive.flush()
        assert third.offset == second.offset
        assert archive.read(third).body == PAGES[2].body


def test_a_removed_file_is_said_to_be_missing(tmp_path):
    with pytest.raises(FileNotFoundError):
        Archive(tmp_path, "a.warc.gz").read(Span("gone.warc.gz", 0, 10))
