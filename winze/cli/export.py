"""`winze export`: the whole table as it is now."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated

import typer

from winze.cli.options import PlanPath, StoreAddress
from winze.engine.site import column_names, site_of
from winze.engine.workspace import SiteStore, open_site
from winze.errors import NothingFoundError, WinzeError
from winze.learned import load_learned
from winze.plan import Plan, load_plan
from winze.store.export import Format, OutputFile, format_for, write_records
from winze.store.records import StoredRecord, all_records, record_counts
from winze.store.typed_table import typed_columns, typed_row


def export(
    plan_path: PlanPath,
    output: Annotated[
        str, typer.Option("-o", "--output", help="A new .jsonl or .csv file, or - for stdout.")
    ] = "-",
    quarantine: Annotated[
        bool, typer.Option("--quarantine", help="The records in quarantine instead, with reasons.")
    ] = False,
    typed: Annotated[
        bool,
        typer.Option("--typed", help="Numbers, amounts and ISO dates in place of what pages say."),
    ] = False,
    store: StoreAddress = None,
) -> None:
    """Write the whole table as it is now, over what the file held before.

    A later `winze crawl -o` into the same file appends what is new, but for a --typed one. With
    --typed a price stands in two columns: its amount, and its currency. Exit code 4: there is no
    record.
    """
    plan = load_plan(plan_path)
    site = site_of(plan, load_learned(plan.learned_path))
    columns = list(column_names(plan, site))
    if typed:
        columns = typed_columns(columns, site.wrapper.types() if site.wrapper is not None else {})
    reason = _free_name("reason", columns)
    form = format_for(output, [reason, *columns] if quarantine else columns)
    with open_site(plan, store) as site_store:
        number = _number(plan, site_store, quarantine=quarantine)
        if quarantine or typed:
            change = partial(_changed, columns, reason=reason if quarantine else "", typed=typed)
            _write_changed(site_store, output, form, change)
        else:
            _write_table(site_store, output, form)
    if output != "-":
        kind = "records in quarantine" if quarantine else "records"
        typer.echo(f"{number} {kind}, written to {output}", err=True)


def _number(plan: Plan, store: SiteStore, *, quarantine: bool) -> int:
    """Return how many records there are; raises NothingFoundError if there is none."""
    with store.read() as connection:
        good, quarantined = record_counts(connection, store.site_id)
    if not good + quarantined:
        raise NothingFoundError(f"{plan.name}: the table is empty: winze crawl {plan.path}")
    if not (quarantined if quarantine else good):
        other = "nothing is in quarantine" if quarantine else "all records are in quarantine"
        raise NothingFoundError(f"{plan.name}: {other}")
    return quarantined if quarantine else good


def _write_table(store: SiteStore, output: str, form: Format) -> None:
    if output == "-":
        with store.read() as connection:
            records = all_records(connection, store.site_id)
            write_records(output, form, (record for record in records if record.valid))
        return
    # The file's cursor moves with it, so that a crawl into the same file goes on from here.
    file = OutputFile(output, form, site_id=store.site_id)
    try:
        with store.write() as connection:
            file.open(connection, anew=True)
            file.follow(connection)
    finally:
        file.close()


def _write_changed(
    store: SiteStore,
    output: str,
    form: Format,
    change: Callable[[StoredRecord], StoredRecord | None],
) -> None:
    with store.read() as connection:
        records = all_records(connection, store.site_id)
        try:
            write_records(output, form, filter(None, map(change, records)))
        except BrokenPipeError:
            raise
        except OSError as error:
            raise WinzeError(f"output {output}: cannot be written: {error.strerror}") from error


def _changed(
    columns: Sequence[str], record: StoredRecord, *, reason: str, typed: bool
) -> StoredRecord | None:
    """Return a record as it is to be written; None for one that belongs to the other table.

    A `reason` is the name of the column for it: then it is the quarantine's table.
    """
    if record.valid is bool(reason):
        return None
    fields = typed_row(record, columns) if typed else record.fields
    return replace(record, fields={reason: record.reason, **fields} if reason else fields)


def _free_name(name: str, taken: list[str]) -> str:
    """Return a column's name that no field of the plan has."""
    return name if name not in taken else _free_name(f"{name}_", taken)
