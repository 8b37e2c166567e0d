"""Raw answers in WARC files (ISO 28500), one gzip member each, found again by offset."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from winze.model import Response
from winze.store.warc import Context, info_member, page_members, read_answer

#: Bytes from which on a new file is begun (the standard's recommended size, ISO 28500, annex C).
FILE_BYTES = 1_000_000_000

_SUFFIX = ".warc.gz"


@dataclass(frozen=True, slots=True)
class Span:
    """Where an answer lies: file name in the archive folder, offset and length in bytes."""

    file: str
    offset: int
    length: int


class Archive:
    """The archive folder of a workspace: appends to one site's newest file, reads from all.

    A site's files are called by day and number, such as `shop-20261201-00001.warc.gz`; `file`
    names the site, as `shop` or `shop.warc.gz`. `clock` gives seconds since the epoch.
    """

    def __init__(
        self,
        folder: Path,
        file: str,
        *,
        clock: Callable[[], float] = time.time,
        file_bytes: int = FILE_BYTES,
    ) -> None:
        self.folder = folder
        self._site = file.removesuffix(_SUFFIX)
        self._clock = clock
        self._file_bytes = file_bytes
        self._newest = _newest(folder, self._site)
        self._out: BinaryIO | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    @property
    def file(self) -> str:
        """The name of the site's newest file; empty before the first."""
        return self._newest

    def append(self, response: Response, context: Context | None = None) -> Span:
        """Write one answer with its request and metadata records; return the answer's place.

        It is on disk for other processes once `flush` was called.
        """
        out = self._open()
        beside, answer = page_members(response, context or Context())
        out.write(beside)
        offset = out.tell()
        out.write(answer)
        return Span(self._newest, offset, len(answer))

    def flush(self) -> None:
        """Hand what was appended to the operating system."""
        if self._out is not None:
            self._out.flush()

    def cut(self, file: str, end: int) -> None:
        """Cut a file back to what the store knows of: a killed run may have left a torn member."""
        path = self.folder / file
        if path.exists() and path.stat().st_size > end:
            os.truncate(path, end)

    def mend(self, ends: Mapping[str, int]) -> None:
        """Cut the newest file back to its end in the store, and go on behind it.

        A newest file of which this store knows nothing may be another store's: it stays as it is
        and the next answer begins a new one.
        """
        if self._newest in ends:
            self.cut(self._newest, ends[self._newest])
        elif self._newest:
            self._newest = self._next_name()

    def read(self, span: Span) -> Response:
        """Return an archived answer.

        Raises FileNotFoundError if its file was removed, ValueError if it does not lie there.
        """
        with (self.folder / span.file).open("rb") as file:
            file.seek(span.offset)
            member = file.read(span.length)
        try:
            return read_answer(member)
        except (KeyError, ValueError) as error:
            raise ValueError(f"{span.file}: no answer at byte {span.offset}: {error}") from error

    def _open(self) -> BinaryIO:
        """Return the file to append to; one of another day or of full size is left behind."""
        file = self._newest if self._is_open_to_more() else self._next_name()
        if self._out is None or file != self._newest:
            self._close()
            self.folder.mkdir(parents=True, exist_ok=True)
            self._newest = file
            self._out = (self.folder / file).open("ab")
            if self._out.tell() == 0:
                self._out.write(info_member(file, self._clock()))
        return self._out

    def _is_open_to_more(self) -> bool:
        if not self._newest or _day(self._newest) < self._today():
            return False
        path = self.folder / self._newest
        if self._out is not None:
            return self._out.tell() < self._file_bytes
        return not path.exists() or path.stat().st_size < self._file_bytes

    def _close(self) -> None:
        if self._out is not None:
            self._out.close()
            self._out = None

    def _today(self) -> str:
        return datetime.fromtimestamp(self._clock(), UTC).strftime("%Y%m%d")

    def _next_name(self) -> str:
        """Return the name behind the newest; a clock that was set back changes no order."""
        day, number = _day(self._newest), _number(self._newest)
        if day < self._today():
            day, number = self._today(), 0
        return f"{self._site}-{day}-{number + 1:05}{_SUFFIX}"


def _newest(folder: Path, site: str) -> str:
    """Return the name of a site's newest file, or the empty text."""
    form = re.compile(rf"{re.escape(site)}-\d{{8}}-\d{{5}}{re.escape(_SUFFIX)}")
    names = (path.name for path in folder.glob(f"*{_SUFFIX}"))
    return max(filter(form.fullmatch, names), default="")


def _day(file: str) -> str:
    """Return the day in a file's name.

    >>> _day("shop-20261201-00002.warc.gz"), _number("shop-20261201-00002.warc.gz")
    ('20261201', 2)
    """
    return file.removesuffix(_SUFFIX)[-14:-6]


def _number(file: str) -> int:
    return int(file.removesuffix(_SUFFIX)[-5:] or 0)
