"""`winze crawl` with several plans: one run, a table of its sites."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from rich.console import Console
from rich.live import Live
from rich.table import Table

from winze.cli.events import ignore, page_teller, tell_end, tell_failure
from winze.cli.exits import Exit, code_of
from winze.cli.outcome import exit_code, tell
from winze.cli.progress import error_counts
from winze.engine.fleet import crawl_all
from winze.engine.job import Done, Job, Watcher, Wish
from winze.engine.report import Report
from winze.engine.workspace import open_site
from winze.errors import UsageError, WinzeError
from winze.plan import Plan

#: Seconds between two drawings of the table on a terminal, and between two lines elsewhere.
LIVE_SECONDS, PLAIN_SECONDS = 0.5, 10.0

#: The worse of two exit codes: what must be looked at first.
_BADNESS = (Exit.OK, Exit.LOOK, Exit.NOTHING_FOUND, Exit.ERROR, Exit.USAGE, Exit.INTERRUPTED)


def run_all(
    plans: Sequence[Plan],
    wishes: Sequence[Wish],
    store: str | None,
    console: Console,
    *,
    events: bool = False,
) -> Exit:
    """Crawl all sites at once, tell of each, and return the worst exit code."""
    _check_names(plans)
    board = _Board(console)
    with ExitStack() as stack:
        jobs = []
        for plan, wish in zip(plans, wishes, strict=True):
            site_store = stack.enter_context(open_site(plan, store))
            watcher = Watcher(
                page=board.pages_of(plan.name),
                visit=page_teller(plan.name) if events else ignore,
            )
            jobs.append(Job(plan, site_store, _with_file(wish, plan), watcher))
        total = max(plan.concurrency_total for plan in plans)
        with board:
            try:
                outcomes = asyncio.run(crawl_all(jobs, total=total))
            except asyncio.CancelledError:
                return Exit.INTERRUPTED
    codes = [
        _told(plan, outcome, console, events=events)
        for plan, outcome in zip(plans, outcomes, strict=True)
    ]
    return max(codes, key=_BADNESS.index)


def _check_names(plans: Sequence[Plan]) -> None:
    seen: dict[str, Path] = {}
    for plan in plans:
        if plan.name in seen:
            raise UsageError(
                f"{plan.path}: has the name of {seen[plan.name]}, {plan.name!r}: crawl them apart"
                " or rename a folder"
            )
        seen[plan.name] = plan.path


def _with_file(wish: Wish, plan: Plan) -> Wish:
    """Several sites write a file each into the folder that -o names."""
    if wish.output is None:
        return wish
    folder = Path(wish.output)
    if wish.output == "-" or folder.suffix or folder.is_file():
        raise UsageError(f"output: {wish.output}: several plans need a folder for their files")
    folder.mkdir(parents=True, exist_ok=True)
    return replace(wish, output=str(folder / f"{plan.name}.jsonl"))


def _told(plan: Plan, outcome: Done | WinzeError, console: Console, *, events: bool) -> Exit:
    if isinstance(outcome, Done):
        console.print(f"{plan.name}: ", end="")
        tell(outcome, console)
        if events:
            tell_end(plan.name, outcome)
        return exit_code(outcome)
    console.print(f"{plan.name}: {outcome}", soft_wrap=True)
    if events:
        tell_failure(plan.name, str(outcome))
    return code_of(outcome)


@dataclass(slots=True)
class _Board:
    """The table of the run's sites; a context manager."""

    console: Console
    _reports: dict[str, Report] = field(default_factory=dict)
    _due: float = 0.0
    _live: Live | None = None

    def __enter__(self) -> _Board:
        if self.console.is_terminal:
            self._live = Live(console=self.console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def pages_of(self, name: str) -> _Teller:
        """Return what takes the reports of one site."""
        return _Teller(self, name)

    def note(self, name: str, report: Report) -> None:
        """Draw the table, or print a line, if it is time to."""
        self._reports[name] = report
        now = time.monotonic()
        if now < self._due:
            return
        self._due = now + (LIVE_SECONDS if self._live is not None else PLAIN_SECONDS)
        if self._live is not None:
            self._live.update(self._table(), refresh=True)
            return
        reports = self._reports.values()
        self.console.print(
            f"{len(reports)} sites  pages {sum(one.pages for one in reports)}"
            f"  targets {sum(one.targets for one in reports)}"
            f"  waiting {sum(one.waiting for one in reports)}",
            soft_wrap=True,
        )

    def _table(self) -> Table:
        table = Table("site", "pages", "targets", "records", "waiting", "errors")
        for name, one in self._reports.items():
            numbers = (one.pages, one.targets, one.records, one.waiting)
            table.add_row(name, *map(str, numbers), error_counts(one))
        return table


@dataclass(frozen=True, slots=True)
class _Teller:
    board: _Board
    name: str

    def __call__(self, report: Report) -> None:
        self.board.note(self.name, report)
