"""`winze export`: the whole table as it is now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
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


def export(
    plan_path: PlanPath,
    output: Annotated[
        str, typer.Option("-o", "--output", help="A new .jsonl or .csv file, or - for stdout.")
    ] = "-",
    quarantine: Annotated[
        bool, typer.Option("--quarantine", help="The records in quarantine instead, with reasons.")
    ] = False,
    store: StoreAddress = None,
) -> None:
    """Write the whole table as it is now, over what the file held before.

    A later `winze crawl -o` into the same file appends what is new. Exit code 4: there is no
    record.
    """
    plan = load_plan(plan_path)
    columns = list(column_names(plan, site_of(plan, load_learned(plan.learned_path))))
    reason = _free_name("reason", columns)
    form = format_for(output, [reason, *columns] if quarantine else columns)
    with open_site(plan, store) as site_store:
        number = _number(plan, site_store, quarantine=quarantine)
        if quarantine:
            _write_quarantine(site_store, output, form, reason)
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


def _write_quarantine(store: SiteStore, output: str, form: Format, reason: str) -> None:
    with store.read() as connection:
        records = all_records(connection, store.site_id)
        try:
            write_records(output, form, _with_reasons(records, reason))
        except BrokenPipeError:
            raise
        except OSError as error:
            raise WinzeError(f"output {output}: cannot be written: {error.strerror}") from error


def _with_reasons(records: Iterator[StoredRecord], name: str) -> Iterator[StoredRecord]:
    for record in records:
        if not record.valid:
            yield replace(record, fields={name: record.reason, **record.fields})


def _free_name(name: str, taken: list[str]) -> str:
    """Return a column's name that no field of the plan has."""
    return name if name not in taken else _free_name(f"{name}_", taken)
