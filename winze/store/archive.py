"""Raw answers in WARC files (ISO 28500), one gzip member each, found again by offset."""

from __future__ import annotations

import gzip
import io
import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from winze.model import Response

#: zlib level: half the time of the default for a tenth more bytes.
COMPRESSION = 1

#: Headers that described the bytes on the wire and no longer fit the decoded body.
_WIRE_HEADERS = frozenset({"content-encoding", "transfer-encoding", "content-length"})


@dataclass(frozen=True, slots=True)
class Span:
    """Where an answer lies: file name in the archive folder, offset and length in bytes."""

    file: str
    offset: int
    length: int


class Archive:
    """The archive folder of a workspace: appends to one file, reads from all."""

    def __init__(self, folder: Path, file: str) -> None:
        self.folder = folder
        self.file = file
        self._out: BinaryIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None

    def append(self, response: Response) -> Span:
        """Write one answer; it is on disk for other processes once `flush` was called."""
        if self._out is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._out = (self.folder / self.file).open("ab")
        member = gzip.compress(_warc_record(response), COMPRESSION, mtime=0)
        offset = self._out.tell()
        self._out.write(member)
        return Span(self.file, offset, len(member))

    def flush(self) -> None:
        """Hand what was appended to the operating system."""
        if self._out is not None:
            self._out.flush()

    def cut(self, file: str, end: int) -> None:
        """Cut a file back to what the store knows of: a killed run may have left a torn member."""
        path = self.folder / file
        if path.exists() and path.stat().st_size > end:
            os.truncate(path, end)

    def read(self, span: Span) -> Response:
        """Return an archived answer.

        Raises FileNotFoundError if its file was removed.
        """
        with (self.folder / span.file).open("rb") as file:
            file.seek(span.offset)
            member = file.read(span.length)
        return next(_responses(io.BytesIO(member)))


def _warc_record(response: Response) -> bytes:
    out = io.BytesIO()
    writer = WARCWriter(out, gzip=False)
    headers = [(name, value) for name, value in response.headers if name not in _WIRE_HEADERS]
    headers.append(("content-length", str(len(response.body))))
    when = datetime.fromtimestamp(response.fetched_at, UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    record = writer.create_warc_record(
        response.url,
        "response",
        payload=io.BytesIO(response.body),
        length=len(response.body),
        http_headers=StatusAndHeaders(str(response.http_status), headers, protocol="HTTP/1.1"),
        warc_headers_dict={"WARC-Date": when},
    )
    writer.write_record(record)
    return out.getvalue()


def _responses(stream: BinaryIO) -> Iterator[Response]:
    for record in ArchiveIterator(stream):
        headers = record.http_headers
        when = datetime.fromisoformat(record.rec_headers.get_header("WARC-Date"))
        yield Response(
            url=record.rec_headers.get_header("WARC-Target-URI"),
            http_status=int(headers.get_statuscode()),
            headers=tuple((name.lower(), value) for name, value in headers.headers),
            body=record.content_stream().read(),
            fetched_at=when.timestamp(),
        )
