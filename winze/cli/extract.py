"""`winze extract`: the archive read again by a wrapper that was edited or learned anew."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console

from winze.cli.exits import Exit
from winze.cli.options import Force, PlanPath, StoreAddress
from winze.cli.outcome import is_much
from winze.cli.progress import Progress, duration
from winze.engine.reread import Reread, reread
from winze.engine.workspace import open_site
from winze.errors import UsageError
from winze.plan import load_plan
from winze.store.export import format_for


def extract(
    plan_path: PlanPath,
    output: Annotated[
        str | None,
        typer.Option("-o", "--output", help="Append records: .jsonl, .csv, or - for stdout."),
    ] = None,
    overwrite: Annotated[
        str | None, typer.Option("-O", "--overwrite", help="Write records to a new file.")
    ] = None,
    force: Force = False,
    store: StoreAddress = None,
) -> None:
    """Apply learned.json as it is now to the archived pages, without the network.

    For after an edit, `winze learn`, or fields added to the plan. Exit code 3: some pages are gone
    from the archive, much is in quarantine, or kept pages fail their check (winze check) and
    --force was not given; 4: there is no page or record.
    """
    if output is not None and overwrite is not None:
        raise UsageError("output: give -o to append or -O to overwrite, not both")
    written = overwrite if overwrite is not None else output
    if written is not None:
        format_for(written, ())  # an unknown suffix is told before anything is read
    plan = load_plan(plan_path)
    console = Console(stderr=True, markup=False)
    with open_site(plan, store) as site_store, Progress(console) as progress, _terminable():
        done = reread(
            plan,
            site_store,
            output=written,
            anew=overwrite is not None,
            force=force,
            watch=progress.page,
        )
    _tell(done, console)
    raise typer.Exit(_exit_code(done))


@contextmanager
def _terminable() -> Iterator[None]:
    """Let SIGTERM end the work as Ctrl-C does: the batch is undone, the lease given back."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _tell(done: Reread, console: Console) -> None:
    if done.new_fields:
        console.print(f"Learned from the archived examples: {', '.join(done.new_fields)}.")
    report = done.report
    console.print(
        f"{report.pages} pages read again in {duration(report.seconds)},"
        f" {report.targets} targets; {done.changed} records changed."
    )
    console.print(f"The table has {done.records} records, {done.quarantined} are in quarantine.")
    if done.lost:
        console.print(f"  {done.lost} pages are not in the archive any more: winze crawl --fresh")


def _exit_code(done: Reread) -> Exit:
    if not done.records:
        return Exit.NOTHING_FOUND
    if done.lost or is_much(done.quarantined, done.records):
        return Exit.LOOK
    return Exit.OK
