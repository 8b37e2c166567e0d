"""What frames a run: the site's lease, its entry in the history, and the user's output file."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from winze.engine.workspace import SiteStore
from winze.errors import UsageError, WinzeError
from winze.store import runs
from winze.store.export import Format, OutputFile, format_for


@dataclass(slots=True)
class Entry:
    """A run's line in the history; whoever runs fills it in."""

    reason: str = "failed"
    counters: dict[str, object] = field(default_factory=dict)


@contextmanager
def held(store: SiteStore, verb: str, *, robots_ignored: bool = False) -> Iterator[Entry]:
    """Hold the site's lease and keep the run's history.

    Raises BusyError while another process is at work on the site.
    """
    store.take_lease()
    entry = Entry()
    with store.write() as connection:
        run = runs.begin_run(
            connection, store.site_id, verb, store.clock(), robots_ignored=robots_ignored
        )
    try:
        store.cut_archive()
        yield entry
    except WinzeError as error:
        entry.reason = str(error)[:200]
        raise
    except (asyncio.CancelledError, KeyboardInterrupt):
        entry.reason = "interrupted"
        raise
    finally:
        with store.write() as connection:
            runs.end_run(connection, run, store.clock(), entry.reason, entry.counters)
        store.give_back_lease()


@contextmanager
def followed(
    store: SiteStore, path: str | None, columns: Sequence[str], *, anew: bool
) -> Iterator[OutputFile | None]:
    """Open the user's file, brought up to what the store holds; None for none.

    Raises UsageError for a table that is to go on with other columns.
    """
    if path is None:
        yield None
        return
    form = format_for(path, columns)
    if not anew and path != "-":
        _check_columns(Path(path), form)
    output = OutputFile(path, form, site_id=store.site_id)
    try:
        with store.write() as connection:
            output.open(connection, anew=anew)
            output.follow(connection)
        yield output
    finally:
        output.close()


def _check_columns(path: Path, form: Format) -> None:
    head = form.head()
    if not head or not path.is_file() or path.stat().st_size == 0:
        return
    with path.open("rb") as file:
        if file.read(len(head)) != head:
            raise UsageError(f"output {path}: its columns are others: -O writes it anew")
