"""The queue in front of each host: a request waits here until politeness lets it start."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from winze.fetch.politeness import Politeness


class Gate:
    """Holds requests back by host (delay and concurrency) and in all.

    A request that waits for its host's delay holds no place among the running ones, so one slow
    host never keeps others waiting.
    """

    def __init__(
        self,
        politeness: Politeness,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._politeness = politeness
        self._clock = clock
        self._sleep = sleep
        self._running = asyncio.Semaphore(politeness.total)
        self._by_host: defaultdict[str, asyncio.Semaphore] = defaultdict(
            lambda: asyncio.Semaphore(politeness.concurrency)
        )

    @asynccontextmanager
    async def turn(self, host: str) -> AsyncIterator[None]:
        """Wait for the host's turn and run inside it; the caller tells politeness the end."""
        self._politeness.announce(host)
        places = self._by_host[host]
        try:
            await places.acquire()
            try:
                await self._wait(host)
            except BaseException:
                places.release()
                raise
        finally:
            self._politeness.withdraw(host)
        self._politeness.start(host, self._clock())
        try:
            yield
        finally:
            self._running.release()
            places.release()

    async def _wait(self, host: str) -> None:
        while True:
            while (seconds := self._politeness.wait(host, self._clock())) > 0:
                await self._sleep(seconds)
            await self._running.acquire()
            # While we queued the host may have been asked, or have asked for a pause.
            if self._politeness.wait(host, self._clock()) <= 0:
                return
            self._running.release()
