"""Ctrl-C and SIGTERM: the first ends all crawls after what is in flight, the second at once."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager

from winze.engine.crawl import Crawl

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interruption:
    """Hears the signals for all crawls of a run."""

    def __init__(self) -> None:
        self._crawls: dict[Crawl, asyncio.Task[object] | None] = {}
        #: Somebody has asked for the end: what begins later ends at once.
        self.asked = False

    @contextmanager
    def heeded_by(self, crawl: Crawl) -> Iterator[None]:
        """Let the signals end this crawl as long as it runs."""
        loop = asyncio.get_running_loop()
        if not self._crawls:
            for one in _SIGNALS:
                loop.add_signal_handler(one, self._hear)
        self._crawls[crawl] = asyncio.current_task()
        if self.asked:
            crawl.interrupt()
        try:
            yield
        finally:
            del self._crawls[crawl]
            if not self._crawls:
                for one in _SIGNALS:
                    loop.remove_signal_handler(one)

    def _hear(self) -> None:
        for crawl, task in self._crawls.items():
            crawl.interrupt()
            if self.asked and task is not None:
                task.cancel()
        self.asked = True
