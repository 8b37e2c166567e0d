"""What a machine and a plan have and lack: looked at, never changed."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from winze.engine.network import client_for
from winze.engine.plugged import extractors, link_filters
from winze.engine.workspace import find_workspace
from winze.errors import PlanError, WinzeError
from winze.fetch.chromium import find_chromium, what_is_missing
from winze.learned import load_learned
from winze.plan import Plan
from winze.plugins.registry import Plugin, PluginError, installed, strays
from winze.store.database import SCHEMA, found_schema
from winze.urls.canonical import origin_of

#: Packages that Winze does without, and what each is for.
_OPTIONAL = {
    "isal": ("archives in half the time", "pip install isal"),
    "playwright": ("pages that scripts draw", "pip install 'winze[browser]'"),
    "psycopg": ("PostgreSQL as the store", "pip install 'winze[postgres]'"),
    "uvloop": ("a faster event loop", "pip install uvloop"),
}

#: Free disk below which a crawl may run out of it (bytes).
LITTLE_DISK = 1_000_000_000


class State(StrEnum):
    """How a thing stands."""

    OK = "ok"
    #: Not there.
    MISSING = "missing"
    #: There, and of no use.
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    #: "program", "browser", "store", "plan", "network" or "plug-in".
    area: str
    name: str
    state: State = State.OK
    #: What was seen.
    detail: str = ""
    #: What to do about it.
    remedy: str = ""
    #: Does the plan, or every use of Winze, need it?
    needed: bool = False

    @property
    def is_fault(self) -> bool:
        """Is something needed not there?"""
        return self.needed and self.state is not State.OK


def of_program() -> Iterator[Finding]:
    """Look at Python, Winze and the packages that may be left out."""
    yield Finding("program", "python", detail=".".join(map(str, sys.version_info[:3])))
    yield Finding("program", "winze", detail=version("winze"))
    for name, (use, remedy) in _OPTIONAL.items():
        try:
            yield Finding("program", name, detail=version(name))
        except PackageNotFoundError:
            yield Finding("program", name, State.MISSING, f"for {use}", remedy)


def of_browser(plan: Plan | None) -> Finding:
    """Look for the browser that draws pages."""
    missing = what_is_missing()
    if not missing:
        return Finding("browser", "chromium", detail=find_chromium() or "")
    fault, _, remedy = missing.partition(": ")
    needed = plan is not None and plan.browser == "always"
    return Finding("browser", "chromium", State.MISSING, fault, remedy, needed)


def of_store(plan: Plan | None, address: str | None) -> Iterator[Finding]:
    """Look at the store that a plan, or one in this folder, would use; nothing is made."""
    workspace = find_workspace(plan.folder if plan is not None else Path.cwd(), address)
    try:
        schema = found_schema(workspace.store)
    except WinzeError as error:
        told = str(error).removeprefix(f"store {workspace.store}: ")
        yield Finding("store", "database", State.BROKEN, told, "see --store", needed=True)
    else:
        yield _database(workspace.store, schema)
    yield _folder(workspace.folder)
    yield _full_text()


def _database(address: str, schema: str | None) -> Finding:
    if schema is None:
        return Finding("store", "database", detail="none yet: the first crawl makes it")
    if schema > SCHEMA:
        detail = f"schema {schema}, newer than {SCHEMA}"
        return Finding("store", "database", State.BROKEN, detail, "update Winze", needed=True)
    kind = address.partition("://")[0] if "://" in address else "sqlite"
    return Finding("store", "database", detail=f"{kind}, schema {schema}")


def _folder(folder: Path) -> Finding:
    there = next(one for one in [folder / ".winze", folder, *folder.parents] if one.is_dir())
    if not os.access(there, os.W_OK | os.X_OK):
        detail, remedy = f"{there} cannot be written", f"chmod u+wx {there}"
        return Finding("store", "folder", State.BROKEN, detail, remedy, needed=True)
    free = shutil.disk_usage(there).free
    detail = f"{there}, {free / 1e9:.1f} GB free"
    if free < LITTLE_DISK:
        return Finding("store", "folder", State.BROKEN, detail, "make room", needed=True)
    return Finding("store", "folder", detail=detail)


def _full_text() -> Finding:
    with closing(sqlite3.connect(":memory:")) as connection:
        options = {row[0] for row in connection.execute("pragma compile_options")}
    if "ENABLE_FTS5" in options:
        return Finding("store", "sqlite", detail=f"{sqlite3.sqlite_version}, FTS5")
    remedy = "use a Python whose SQLite has FTS5 (Debian's has)"
    return Finding("store", "sqlite", State.MISSING, "without FTS5", remedy)


def of_plug_ins(plan: Plan | None) -> Iterator[Finding]:
    """Import every plug-in, and make those that the plan names."""
    named = plan.plugins if plan is not None else {}
    for plugin in installed():
        yield _plug_in(plugin, is_named=plugin.key in named)
    for entry in strays():
        package = entry.dist.name if entry.dist is not None else "?"
        detail = f"of {package}: its name says no point that there is"
        yield Finding("plug-in", entry.name, State.BROKEN, detail, f"update {package}")


def _plug_in(plugin: Plugin, *, is_named: bool) -> Finding:
    detail = f"{plugin.package} {plugin.version}"
    try:
        plugin.load()
    except PluginError as error:
        fault, _, remedy = str(error).rpartition(": ")
        return Finding("plug-in", plugin.key, State.BROKEN, fault, remedy, is_named)
    return Finding("plug-in", plugin.key, detail=detail)


def of_plan(plan: Plan) -> Iterator[Finding]:
    """Look at what a plan names: learned.json, and whether its plug-ins can be made of it."""
    yield Finding("plan", plan.name, detail=f"{plan.path}, {len(plan.starts())} start links")
    try:
        link_filters(plan), extractors(plan)
    except PlanError as error:
        yield Finding("plan", "plugins", State.BROKEN, str(error), "mend the plan", needed=True)
    try:
        learned = load_learned(plan.learned_path)
    except PlanError as error:
        yield Finding("plan", "learned.json", State.BROKEN, str(error), "mend it", needed=True)
        return
    if learned is None:
        yield Finding("plan", "learned.json", detail="none yet: winze learn makes it")
        return
    lacking = set(plan.fields) - set(learned.wrapper.field_names())
    if lacking:
        detail = f"does not know {', '.join(sorted(lacking))}"
        yield Finding("plan", "learned.json", State.BROKEN, detail, "winze learn", needed=True)
        return
    yield Finding("plan", "learned.json", detail=", ".join(learned.wrapper.field_names()))


async def of_network(plan: Plan) -> list[Finding]:
    """Ask the plan's hosts for their robots.txt, as a crawl would begin."""
    found = []
    # robots.txt itself may always be asked for (RFC 9309, 2.2.2).
    async with client_for(plan, obey_robots=False) as client:
        for origin in dict.fromkeys(map(origin_of, plan.starts())):
            answer = await client.fetch(f"{origin}/robots.txt", any_type=True)
            if answer.http_status:
                found.append(Finding("network", origin, detail=f"HTTP {answer.http_status}"))
                continue
            through = f" through {plan.proxy}" if plan.proxy else ""
            detail = f"no answer{through}: {answer.error.name}"
            remedy = "look at the address, the network" + (" and the proxy" if plan.proxy else "")
            found.append(Finding("network", origin, State.BROKEN, detail, remedy, needed=True))
    return found
