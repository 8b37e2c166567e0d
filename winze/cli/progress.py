"""The progress of a crawl on stderr: one living line on a terminal, a plain line now and then."""

from __future__ import annotations

import time

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from winze.engine.crawl import Crawl
from winze.engine.report import Report

#: Seconds between two lines where stderr is no terminal.
PLAIN_SECONDS = 10.0

#: Seconds between two drawings on a terminal.
LIVE_SECONDS = 0.25


class Progress:
    """Draws the report of the crawl that runs; a context manager."""

    def __init__(self, console: Console, *, most_pages: int | None = None) -> None:
        self._console = console
        self._most_pages = most_pages
        self._crawl: Crawl | None = None
        self._due = 0.0
        self._live = Live(console=console, auto_refresh=False, transient=True)

    def __enter__(self) -> Progress:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def crawling(self, crawl: Crawl) -> None:
        """Take note of the crawl that the reports are of, for its forecast."""
        self._crawl = crawl

    def page(self, report: Report) -> None:
        """Draw, if it is time to."""
        now = time.monotonic()
        if now < self._due:
            return
        terminal = self._console.is_terminal
        self._due = now + (LIVE_SECONDS if terminal else PLAIN_SECONDS)
        line = self._line(report)
        if terminal:
            self._live.update(line, refresh=True)
        else:
            self._console.print(line, soft_wrap=True)

    def _line(self, report: Report) -> Text:
        rate = report.pages / report.seconds if report.seconds else 0.0
        parts = [
            f"pages {report.pages}",
            f"targets {report.targets}",
            f"records {report.records}",
            f"waiting {report.waiting}",
            f"{rate:.1f}/s",
        ]
        if report.quarantined:
            parts.append(f"quarantine {report.quarantined}")
        if report.errors:
            parts.append(error_counts(report))
        if self._crawl is not None:
            parts.append(f"next 100 pages: {self._crawl.expected_yield():.0f} targets")
        left = self._seconds_left(report, rate)
        if left is not None:
            parts.append(f"about {duration(left)} left")
        return Text("  ".join(parts))

    def _seconds_left(self, report: Report, rate: float) -> float | None:
        if not rate:
            return None
        left = report.waiting
        if self._most_pages is not None:
            left = min(left, max(0, self._most_pages - report.pages))
        return left / rate


def error_counts(report: Report) -> str:
    """Return the errors as text, such as "URL_404 3, URL_TIME_OUT 1"."""
    return ", ".join(f"{error.name} {number}" for error, number in report.errors.most_common())


def duration(seconds: float) -> str:
    """Return a time as a person says it.

    >>> duration(42), duration(90), duration(5000)
    ('42 s', '1 min 30 s', '1 h 23 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def record_table(title: str, rows: list[tuple[str, dict[str, str | list[str] | None]]]) -> Table:
    """Return records as a table, one column a page, one row a field."""
    table = Table(title=title, title_justify="left", show_lines=False)
    table.add_column("field", no_wrap=True)
    for url, _ in rows:
        table.add_column(_short(url, 40), overflow="fold", max_width=40)
    for name in dict.fromkeys(name for _, record in rows for name in record):
        cells = [_cell(record.get(name)) for _, record in rows]
        table.add_row(name, *cells)
    return table


def _cell(value: str | list[str] | None) -> Text:
    if isinstance(value, list):
        shown = " | ".join(_short(each, 40) for each in value[:3])
        return Text(f"({len(value)}) {shown}" if value else "(0)")
    return Text(_short(value, 80)) if value else Text("absent", style="dim")


def _short(text: str, length: int) -> str:
    """Return a text cut to a length; of a URL the end is kept, which tells pages apart."""
    if len(text) <= length:
        return text
    if "://" in text:
        return f"…{text.partition('://')[2][-length + 1 :]}"
    return f"{text[: length - 1]}…"
