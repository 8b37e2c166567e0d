"""The one writer of a crawl: it owns the store's transactions behind a bounded queue."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from types import TracebackType
from typing import Self

from sqlalchemy.exc import SQLAlchemyError

from winze.engine.workspace import SiteStore
from winze.errors import WinzeError
from winze.model import Status
from winze.store import runs
from winze.store.crawldb import NewUrl, Outcome, StoredUrl
from winze.store.export import OutputFile
from winze.store.sources import SourceRow, write_sources
from winze.store.warc import Context

#: Visits written at once. Two batches may be lost to `kill -9`: one is written, one waits.
BATCH = 16

#: Seconds until a batch is written that is not full.
BATCH_SECONDS = 0.25

#: Seconds between two renewals of the lease and savings of the model.
UPKEEP_SECONDS = 15.0

_ARCHIVED = (Status.FETCHED,)


class Writer:
    """Takes outcomes and writes them in batches, in a thread of its own.

    `put` waits while a whole batch is not committed yet, so few visits hang in the air. `states`
    gives by name what was learned on the way and is to be kept. `archives`: keep raw answers,
    with the `headers` that went with every request.
    """

    def __init__(
        self,
        store: SiteStore,
        output: OutputFile | None = None,
        states: Callable[[], Mapping[str, bytes]] = dict,
        *,
        archives: bool = True,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._store = store
        self._output = output
        self._states = states
        self._archives = archives
        self._headers = tuple((headers or {}).items())
        self._waiting: list[Outcome] = []
        #: How many outcomes were put, and how many of them are committed.
        self._put = 0
        self._committed = 0
        #: Wakes the task that writes.
        self._work = asyncio.Event()
        #: Who waits until so many outcomes are committed.
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._closing = False
        self._ended = False
        self._error: Exception | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="winze-writer")
        self._task: asyncio.Task[None] | None = None
        self._began = store.clock()
        self._next_upkeep = time.monotonic() + UPKEEP_SECONDS

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self._write_batches())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing = True
        self._work.set()
        try:
            if self._task is not None:
                await self._task
        finally:
            self._thread.shutdown()
        if self._error is not None and error is None:
            raise self._error

    async def inject(self, urls: Sequence[NewUrl], sources: Sequence[SourceRow] = ()) -> None:
        """Give URLs a row at once, with how far the sources that named them were read.

        Whoever is cancelled while it waits leaves both written, or neither.
        """
        await self._in_thread(self._inject, urls, sources)

    def _inject(self, urls: Sequence[NewUrl], sources: Sequence[SourceRow]) -> None:
        with self._store.write() as connection:
            self._store.urls.inject(connection, urls)
            write_sources(connection, self._store.site_id, sources)

    async def put(self, outcome: Outcome) -> None:
        """Let an outcome be written; raises what the writing raised."""
        self._put += 1
        self._waiting.append(outcome)
        if len(self._waiting) in (1, BATCH // 2):
            self._work.set()
        await self._until(self._put - 2 * BATCH)

    async def settled(self) -> None:
        """Wait until all that was put is committed; raises what the writing raised."""
        await self._until(self._put)

    async def waiting(self, host: str, after: int, number: int) -> list[StoredUrl]:
        """Return rows of a host that wait to be fetched, with ids above `after`, in their order.

        Fetches that failed before this writer began come again.
        """
        await self.settled()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._read_waiting, host, after, number)

    def _read_waiting(self, host: str, after: int, number: int) -> list[StoredUrl]:
        with self._store.read() as connection:
            return self._store.urls.waiting(connection, host, after, number, before=self._began)

    async def _until(self, number: int) -> None:
        if not self._ended and self._committed < number:
            waiter = asyncio.get_running_loop().create_future()
            self._waiters.append((number, waiter))
            await waiter
        if self._error is not None:
            raise self._error
        if self._ended and self._task is not None and self._committed < number:
            await self._task  # raises what nobody foresaw

    async def _write_batches(self) -> None:
        try:
            while batch := await self._next_batch():
                await self._in_thread(self._commit, batch)
                self._committed += len(batch)
                self._wake()
                if time.monotonic() >= self._next_upkeep:
                    await self._upkeep()
            await self._upkeep()
        except (SQLAlchemyError, OSError, WinzeError) as error:
            self._error = error
        finally:
            # Whatever ended it: nobody may wait for a writer that is no more.
            self._ended = True
            self._wake()

    def _wake(self) -> None:
        """Let those go on whose outcomes are committed; at the end, everyone."""
        left = []
        for number, waiter in self._waiters:
            if waiter.done():
                continue  # cancelled
            if self._ended or number <= self._committed:
                waiter.set_result(None)
            else:
                left.append((number, waiter))
        self._waiters = left

    async def _next_batch(self) -> list[Outcome]:
        """Wait for half a batch, a quarter of a second or the end; empty at the end."""
        while not self._waiting and not self._closing:
            self._work.clear()
            await self._work.wait()
        if len(self._waiting) < BATCH // 2 and not self._closing:
            self._work.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._work.wait(), BATCH_SECONDS)
        batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
        return batch

    async def _in_thread(self, work: Callable[..., None], *arguments: object) -> None:
        await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def _commit(self, batch: list[Outcome]) -> None:
        archive = self._store.archive
        placed = [self._archived(outcome) for outcome in batch]
        archive.flush()
        with self._store.write() as connection:
            self._store.urls.commit(connection, placed)
            if self._output is not None:
                self._output.follow(connection)

    def _archived(self, outcome: Outcome) -> Outcome:
        response = outcome.visit.response
        if not self._archives or outcome.span is not None or response is None:
            return outcome
        if outcome.visit.page.status not in _ARCHIVED:
            return outcome
        visit = outcome.visit
        context = Context(self._headers, visit.request.depth, outcome.parent, visit.page.error)
        return replace(outcome, span=self._store.archive.append(response, context))

    async def _upkeep(self) -> None:
        """Renew the lease and keep what was learned, so that a killed crawl loses little."""
        await self._in_thread(self._keep, self._states())
        self._next_upkeep = time.monotonic() + UPKEEP_SECONDS

    def _keep(self, states: Mapping[str, bytes]) -> None:
        now = self._store.clock()
        with self._store.write() as connection:
            runs.take_lease(connection, self._store.name, now)
            for name, blob in states.items():
                runs.save_model(connection, self._store.site_id, name, blob, now)
