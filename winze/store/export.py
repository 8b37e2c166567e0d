"""The user's file: JSON lines or CSV that follows the change log and survives `kill -9`."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from sqlalchemy import Connection, select

from winze.errors import UsageError, WinzeError
from winze.plugins.registry import Point, fault_of, find, names
from winze.store import schema
from winze.store.database import insert_or_update
from winze.store.records import StoredRecord, changed_records

#: What stands between the values of a repeated field in a CSV cell.
LIST_SEPARATOR = " | "

#: Excel reads UTF-8 (Chinese included) when the file begins with this mark.
_BOM = "\ufeff"

#: Cells that a spreadsheet would run as a formula; a signed number is none.
_FORMULA = re.compile(r"^(?:[=@\t\r]|[+-](?!\s*[\d.,]+\s*%?$))")


class Format(Protocol):
    """How records become bytes."""

    def head(self) -> bytes:
        """Return what an empty file begins with."""
        ...

    def line(self, record: StoredRecord) -> bytes:
        """Return one record's line."""
        ...


class JsonLines:
    """One JSON object a line, UTF-8, keys `url` and the fields."""

    def head(self) -> bytes:
        """Return nothing: JSON lines have no head."""
        return b""

    def line(self, record: StoredRecord) -> bytes:
        """Return one record as a line of JSON."""
        row = {"url": record.url, **record.fields}
        return (json.dumps(row, ensure_ascii=False) + "\n").encode()


class Csv:
    """Comma-separated values that a spreadsheet opens as they are (RFC 4180, UTF-8 with BOM)."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.fields = fields

    def head(self) -> bytes:
        """Return the byte order mark and the line of names."""
        return (_BOM + _csv_line(["url", *self.fields])).encode()

    def line(self, record: StoredRecord) -> bytes:
        """Return one record as a line; a repeated field's values share a cell."""
        return _csv_line([record.url, *map(_cell, map(record.fields.get, self.fields))]).encode()


class MakeFormat(Protocol):
    """Makes a format: what a `sink` plug-in is. Its name is the suffix of its files."""

    def __call__(self, fields: Sequence[str], /) -> Format:
        """Return the format of a table with these columns behind `url`; there may be none."""
        ...


class PluggedFormat:
    """A plug-in's format; an error of its own is one line, and the store loses nothing."""

    def __init__(self, form: Format, name: str) -> None:
        self._form = form
        self._name = name

    def head(self) -> bytes:
        """Return what an empty file begins with."""
        with self._one_line():
            return bytes(memoryview(self._form.head()))

    def line(self, record: StoredRecord) -> bytes:
        """Return one record's line."""
        with self._one_line():
            return bytes(memoryview(self._form.line(record)))

    @contextmanager
    def _one_line(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise WinzeError(
                f"output: the plug-in for .{self._name} failed: {fault_of(error)}: take .jsonl;"
                " what was crawled is kept"
            ) from error


def json_lines(fields: Sequence[str], /) -> JsonLines:
    """Make `sink.jsonl`."""
    return JsonLines()


def format_for(path: str, fields: Sequence[str]) -> Format:
    """Return the format that a file name's suffix asks for; `-` is JSON lines on stdout.

    Raises UsageError for a suffix that is not known.
    """
    suffix = "jsonl" if path == "-" else Path(path).suffix.lower().removeprefix(".")
    known = names(Point.SINK)
    if suffix not in known:
        more = [f", .{name}" for name in known if name not in {"jsonl", "jl", "ndjson", "csv"}]
        raise UsageError(
            f"output {path}: unknown suffix '.{suffix}': use .jsonl or .csv{''.join(more)}"
        )
    plugin = find(Point.SINK, suffix)
    make = cast(MakeFormat, plugin.load())
    if plugin.is_own:
        return make(fields)
    try:
        return PluggedFormat(make(fields), suffix)
    except Exception as error:
        raise UsageError(f"output {path}: cannot be made: {fault_of(error)}") from error


def write_records(path: str, form: Format, records: Iterable[StoredRecord]) -> int:
    """Write records to a file from its beginning, or to stdout; return how many there were."""
    with _stdout_or(path) as out:
        out.write(form.head())
        number = 0
        for number, record in enumerate(records, 1):  # noqa: B007 - counted after the loop
            out.write(form.line(record))
        out.flush()
    return number


class OutputFile:
    """A file that holds every good record exactly once, whatever kills the crawl.

    Lines are written before the transaction that moves the cursor commits; on resume whatever
    lies behind the recorded offset, a torn line or lines of a lost transaction, is cut off and
    written again. With `anew` the file begins empty, else it goes on where the cursor stands.
    """

    def __init__(self, path: str, form: Format, *, site_id: int) -> None:
        self.path = path
        self.form = form
        self._site_id = site_id
        self._name = path if path == "-" else str(Path(path).resolve())
        self._out: BinaryIO | None = None
        self._offset = 0
        self._last_seq = 0

    def open(self, connection: Connection, *, anew: bool = False) -> None:
        """Find the place to go on from.

        Raises WinzeError for a file that cannot be written.
        """
        if self.path == "-":
            self._out = sys.stdout.buffer
            return
        path = Path(self.path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._out = path.open("wb" if anew else "ab")
        except OSError as error:
            raise WinzeError(f"output {path}: cannot be written: {error.strerror}") from error
        size = 0 if anew else path.stat().st_size
        cursor = None if anew else self._cursor(connection)
        if cursor is not None and cursor[0] <= size:
            self._offset, self._last_seq = cursor
            os.truncate(path, self._offset)
        else:
            self._offset = size
        if self._offset == 0:
            self._write(self.form.head())
        self._save(connection)

    def follow(self, connection: Connection) -> None:
        """Append the good records that changed since the cursor, and move it."""
        for record in changed_records(connection, self._site_id, self._last_seq):
            if record.valid:
                self._write(self.form.line(record))
            self._last_seq = record.seq
        assert self._out is not None
        self._out.flush()
        self._save(connection)

    def close(self) -> None:
        """Close the file; stdout stays open."""
        if self._out is not None and self.path != "-":
            self._out.close()

    def _write(self, line: bytes) -> None:
        assert self._out is not None
        self._out.write(line)
        self._offset += len(line)

    def _cursor(self, connection: Connection) -> tuple[int, int] | None:
        table = schema.output.c
        row = connection.execute(
            select(table.offset, table.last_seq).where(
                table.site_id == self._site_id, table.path == self._name
            )
        ).first()
        return (row.offset, row.last_seq) if row else None

    def _save(self, connection: Connection) -> None:
        if self.path == "-":
            return
        row = {
            "site_id": self._site_id,
            "path": self._name,
            "offset": self._offset,
            "last_seq": self._last_seq,
        }
        insert_or_update(connection, schema.output, row, key=("site_id", "path"))


class _Stdout:
    """Standard output as a context that is not closed at its end."""

    def __enter__(self) -> BinaryIO:
        return sys.stdout.buffer

    def __exit__(self, *_: object) -> None:
        sys.stdout.buffer.flush()


def _stdout_or(path: str) -> _Stdout | BinaryIO:
    if path == "-":
        return _Stdout()
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    return Path(path).open("wb")


def _csv_line(cells: Sequence[str]) -> str:
    out = io.StringIO()
    csv.writer(out).writerow(cells)
    return out.getvalue()


def _cell(value: object) -> str:
    """Return a raw or typed value as a cell's text; true and false as JSON writes them."""
    values = value if isinstance(value, list) else [value]
    text = LIST_SEPARATOR.join(map(_text, values))
    return f"'{text}" if _FORMULA.match(text) else text


def _text(value: object) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
