"""The one writer of a crawl: it owns the store's transactions behind a bounded queue."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
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
from winze.store.crawldb import NewUrl, Outcome
from winze.store.export import OutputFile

#: Visits that may be lost to `kill -9` at the most: one batch.
BATCH = 16

#: Seconds until a batch is written that is not full.
BATCH_SECONDS = 0.25

#: Seconds between two renewals of the lease and savings of the model.
UPKEEP_SECONDS = 15.0

_ARCHIVED = (Status.FETCHED,)


class Writer:
    """Takes outcomes and writes them in batches, in a thread of its own.

    `put` waits while a whole batch is not committed yet, so no more than BATCH visits hang in the
    air. `model` gives the bytes of the link model to be kept, when there is one.
    """

    def __init__(
        self,
        store: SiteStore,
        output: OutputFile | None = None,
        model: Callable[[], bytes] | None = None,
    ) -> None:
        self._store = store
        self._output = output
        self._model = model
        self._waiting: list[Outcome] = []
        #: Put and not committed yet.
        self._uncommitted = 0
        self._changed = asyncio.Condition()
        self._closing = False
        self._error: Exception | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="winze-writer")
        self._task: asyncio.Task[None] | None = None
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
        async with self._changed:
            self._closing = True
            self._changed.notify_all()
        try:
            if self._task is not None:
                await self._task
        finally:
            self._thread.shutdown()
        if self._error is not None and error is None:
            raise self._error

    def inject(self, urls: Sequence[NewUrl]) -> None:
        """Give URLs a row at once."""
        with self._store.write() as connection:
            self._store.urls.inject(connection, urls)

    async def put(self, outcome: Outcome) -> None:
        """Let an outcome be written; raises what the writing raised."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._uncommitted < BATCH or self._error)
            if self._error is not None:
                raise self._error
            self._uncommitted += 1
            self._waiting.append(outcome)
            self._changed.notify_all()

    async def settled(self) -> None:
        """Wait until all that was put is committed; raises what the writing raised."""
        async with self._changed:
            await self._changed.wait_for(lambda: not self._uncommitted or self._error)
        if self._error is not None:
            raise self._error

    async def _write_batches(self) -> None:
        try:
            while batch := await self._next_batch():
                await self._in_thread(self._commit, batch)
                if time.monotonic() >= self._next_upkeep:
                    await self._upkeep()
                async with self._changed:
                    self._uncommitted -= len(batch)
                    self._changed.notify_all()
            await self._upkeep()
        except (SQLAlchemyError, OSError, WinzeError) as error:
            async with self._changed:
                self._error = error
                self._changed.notify_all()

    async def _next_batch(self) -> list[Outcome]:
        """Wait for half a batch, a quarter of a second or the end; empty at the end."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._waiting or self._closing)
            with suppress(TimeoutError):
                async with asyncio.timeout(BATCH_SECONDS):
                    await self._changed.wait_for(
                        lambda: len(self._waiting) >= BATCH // 2 or self._closing
                    )
            batch, self._waiting = self._waiting, []
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
        if outcome.span is not None or response is None:
            return outcome
        if outcome.visit.page.status not in _ARCHIVED:
            return outcome
        return replace(outcome, span=self._store.archive.append(response))

    async def _upkeep(self) -> None:
        """Renew the lease and keep the link model, so that a killed crawl loses little."""
        await self._in_thread(self._keep, self._model() if self._model is not None else None)
        self._next_upkeep = time.monotonic() + UPKEEP_SECONDS

    def _keep(self, model: bytes | None) -> None:
        now = self._store.clock()
        with self._store.write() as connection:
            runs.take_lease(connection, self._store.name, now)
            if model is not None:
                runs.save_model(connection, self._store.site_id, "links", model, now)
