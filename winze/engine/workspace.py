"""Where a plan's store and archive lie, and the store of one site opened for work."""

from __future__ import annotations

import os
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine

from winze.errors import PlanError
from winze.model import Response
from winze.plan import Plan
from winze.store import records, replay, runs
from winze.store.archive import Archive, Span
from winze.store.crawldb import CrawlDb, StoredUrl
from winze.store.database import open_store, writing
from winze.urls.canonical import key

#: The file that makes a folder a workspace.
WORKSPACE_FILE = "winze.toml"


@dataclass(frozen=True, slots=True)
class Workspace:
    """A folder with a store of many sites."""

    folder: Path
    #: SQLAlchemy URL or file path.
    store: str

    @property
    def archive(self) -> Path:
        """The folder of the WARC files."""
        return self.folder / ".winze" / "archive"


def find_workspace(
    folder: Path, store: str | None = None, environment: Mapping[str, str] = os.environ
) -> Workspace:
    """Return the nearest folder with a winze.toml at or above a plan's, else the plan's own.

    The store is, first found: the argument, WINZE_STORE, winze.toml's `store`, `.winze/store.db`.
    """
    above = [folder, *folder.parents]
    folder = next((one for one in above if (one / WORKSPACE_FILE).is_file()), folder)
    named = store or environment.get("WINZE_STORE") or _settings(folder).get("store")
    return Workspace(folder, named or str(folder / ".winze" / "store.db"))


def _settings(folder: Path) -> dict[str, Any]:
    path = folder / WORKSPACE_FILE
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text("utf-8-sig"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise PlanError(f"{path}: is not TOML: {error}") from error


class SiteStore:
    """One site in an open store: its URL table, records and archive."""

    def __init__(
        self, engine: Engine, name: str, archive: Archive, clock: Callable[[], float] = time.time
    ) -> None:
        self.engine = engine
        self.name = name
        self.archive = archive
        self.clock = clock
        with writing(engine) as connection:
            self.site_id = runs.site_id(connection, name)
        self.urls = CrawlDb(self.site_id, clock)

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Open a write transaction."""
        with writing(self.engine) as connection:
            yield connection

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Open a connection for reading."""
        with self.engine.connect() as connection:
            yield connection

    def take_lease(self) -> None:
        """Let no other process crawl this site; raises BusyError if one does."""
        with self.write() as connection:
            runs.take_lease(connection, self.name, self.clock())

    def give_back_lease(self) -> None:
        """Let other processes crawl this site again."""
        with self.write() as connection:
            runs.give_back_lease(connection, self.name)

    def cut_archive(self) -> None:
        """Cut off what a killed run left torn behind the last known page."""
        with self.read() as connection:
            ends = records.archive_ends(connection, self.site_id)
        self.archive.mend(ends)

    def answer(self, url: str) -> Response | None:
        """Return a page's raw answer; None if none is kept, or the archive was moved or cut."""
        with self.read() as connection:
            place = replay.place_of(connection, self.site_id, key(url))
        return None if place is None else self.answer_at(place.span)

    def answer_at(self, span: Span) -> Response | None:
        """Return the raw answer at a place; None if the archive was moved or cut."""
        try:
            return self.archive.read(span)
        except (OSError, ValueError):
            return None

    def archived(self) -> Iterator[tuple[StoredUrl, Response]]:
        """Yield the site's pages with their raw answers, in the order of fetching."""
        with self.read() as connection:
            spans = list(records.page_spans(connection, self.site_id))
            rows = {row.key: row for row in self.urls.fetched(connection)}
        for identity, span in spans:
            if identity in rows:
                yield rows[identity], self.archive.read(span)


@contextmanager
def open_site(plan: Plan, store: str | None = None) -> Iterator[SiteStore]:
    """Open the store of a plan's site; closed at the end."""
    workspace = find_workspace(plan.folder, store)
    engine = open_store(workspace.store)
    try:
        with Archive(workspace.archive, f"{plan.name}.warc.gz") as archive:
            yield SiteStore(engine, plan.name, archive)
    finally:
        engine.dispose()
