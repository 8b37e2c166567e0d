"""The queue in front of each host: a request waits here until politeness lets it start."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable

from winze.fetch.politeness import Politeness


class Gate:
    """Holds requests back by host (delay and concurrency) and in all.

    The clients of one run share a gate, so that no host gets more because several plans ask it. A
    request that waits for its host holds no place among the running ones, so one slow host never
    keeps others waiting.
    """

    def __init__(
        self,
        politeness: Politeness,
        *,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self.politeness = politeness
        self._clock = clock
        self._sleep = sleep
        self._running = 0
        #: Who waits for a place, by host; the empty name stands for the places in all.
        self._waiting: defaultdict[str, list[asyncio.Future[None]]] = defaultdict(list)

    async def enter(self, host: str) -> float:
        """Wait for the host's turn, take it and return its time; `leave` must follow."""
        politeness = self.politeness
        politeness.announce(host)
        try:
            now = await self._turn(host)
        finally:
            politeness.withdraw(host)
        self._running += 1
        politeness.start(host, now)
        return now

    def sent(self, host: str) -> None:
        """Note that a request of this host left; the next one's delay counts from now."""
        self.politeness.sent(host, self._clock())
        if self._waiting:
            self._wake(host)

    def leave(self, host: str) -> None:
        """Give the place back; politeness has been told the end of the request before."""
        self._running -= 1
        if self._waiting:
            self._wake(host)
            self._wake("")

    async def _turn(self, host: str) -> float:
        """Wait until all conditions hold at one moment, and return it."""
        politeness = self.politeness
        while True:
            now = self._clock()
            if (seconds := politeness.wait(host, now)) > 0:
                await self._sleep(seconds)
            elif politeness.is_full(host):
                await self._place(host)
            elif self._running >= politeness.total:
                await self._place("")
            else:
                return now

    async def _place(self, name: str) -> None:
        """Wait until a place was given back; who comes too late waits again."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[name].append(future)
        await future

    def _wake(self, name: str) -> None:
        for future in self._waiting.pop(name, ()):
            if not future.done():
                future.set_result(None)
