"""What a crawl came to: told to a person, and as an exit code."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console

from winze.cli.exits import Exit
from winze.cli.progress import duration
from winze.engine.job import Done
from winze.engine.report import Report, Stop

#: More than this share in quarantine: finished, but look.
MUCH_QUARANTINE = 0.05

#: Reasons of quarantine that are told; `winze status` has them all.
MOST_REASONS = 5


def tell(done: Done, console: Console) -> None:
    """Print what came of a crawl."""
    report = done.report
    learning = f" after {done.learning} to learn from" if done.learning else ""
    console.print(
        f"{report.pages} pages{learning}, {report.targets} targets in {duration(report.seconds)}:"
        f" {report.stop}."
    )
    if report.pages == 0 and done.before and not done.learning:
        console.print(f"0 new, {done.before} done; --fresh to start over.")
    console.print(f"The table has {done.records} records, {done.quarantined} are in quarantine.")
    for reason, number in done.reasons[:MOST_REASONS]:
        console.print(f"  quarantine: {number} × {reason}", soft_wrap=True)
    for alarm in done.drift:
        console.print(f"  changed: {alarm}", soft_wrap=True)
    for error, number in report.errors.most_common():
        console.print(f"  {error.name} {number}, such as {report.samples[error]}", soft_wrap=True)
    for line in _notes(report):
        console.print(f"  {line}", soft_wrap=True)
    for host, error in report.given_up.items():
        console.print(f"  host given up for now: {host} ({error.name})")


def exit_code(done: Done) -> Exit:
    """Return what the crawl's end says to a script."""
    if done.report.stop is Stop.INTERRUPTED:
        return Exit.INTERRUPTED
    if done.drift:
        return Exit.LOOK
    if not done.records:
        return Exit.NOTHING_FOUND
    if done.report.given_up or is_much(done.quarantined, done.records):
        return Exit.LOOK
    return Exit.OK


def is_much(quarantined: int, good: int) -> bool:
    """Are so many records in quarantine that somebody should look?"""
    return quarantined > MUCH_QUARANTINE * (quarantined + good)


def _notes(report: Report) -> Iterator[str]:
    """Yield what a person may want to know of places and pages that are no errors."""
    for form, number in report.traps.items():
        yield f"endless place capped after {number} pages: {form}"
    for place, names in report.idle.items():
        yield f"changes nothing at {place}: {', '.join(names)}"
    if report.unchanged:
        yield f"{report.unchanged} pages have not changed"
    if report.cache_hits:
        yield f"{report.cache_hits} pages came from a cache on the way"
    if report.duplicates or report.near_duplicates:
        yield f"{report.duplicates} pages repeat another one, {report.near_duplicates} nearly"
