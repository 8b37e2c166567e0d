"""Which part of the program the CPU time goes to: a sampling profiler by file.

A signal each few milliseconds of CPU time looks at the stacks of all threads. It slows the program
down by less than one percent, where cProfile takes half.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from types import FrameType, TracebackType
from typing import Self

#: CPU seconds between two samples.
INTERVAL = 0.005

#: Files whose CPU time is the frontier's: queue, admission, order.
_FRONTIER = ("/winze/frontier/", "/winze/engine/admission.py", "/winze/engine/order.py")

_STORE = ("/winze/store/", "/winze/engine/writer.py")

#: File and function of each call, the innermost first, in a part's name or "" for none of interest.
Classify = Callable[[Iterator[tuple[str, str]]], str]


class CpuShares:
    """A context manager, of the main thread; `seconds` holds the CPU time of each part after it.

    `classify` names the part that a stack belongs to. The parts of all threads together are
    `total`, the time before their first sample left out.
    """

    def __init__(self, classify: Classify) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self._classify = classify
        self._before: dict[int, float] = {}

    @property
    def total(self) -> float:
        """CPU seconds of all parts."""
        return sum(self.seconds.values())

    def share(self, part: str) -> float:
        """Return what part of the CPU time a part took, 0 to 1."""
        return self.seconds[part] / self.total if self.total else 0.0

    def __enter__(self) -> Self:
        self._before = {ident: _cpu(ident) for ident in _threads()}
        signal.signal(signal.SIGPROF, self._sample)
        signal.setitimer(signal.ITIMER_PROF, INTERVAL, INTERVAL)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)

    def _sample(self, _signal: int, here: FrameType | None) -> None:
        frames = sys._current_frames()
        main = threading.get_ident()
        for ident in _threads():
            used = _cpu(ident)
            spent = used - self._before.get(ident, used)
            self._before[ident] = used
            frame = here if ident == main else frames.get(ident)
            if spent > 0 and frame is not None:
                self.seconds[self._classify(_calls(frame))] += spent


def part_of(calls: Iterator[tuple[str, str]]) -> str:
    """Name the part that a stack belongs to: the innermost call into one decides.

    >>> part_of(iter([("/winze/learn/order.py", "scores"), ("/winze/frontier/queue.py", "pop")]))
    'frontier'
    """
    for file, function in calls:
        if file.endswith("/winze/engine/order.py") and function == "learn":
            return "learning"
        if any(part in file for part in _FRONTIER):
            return "frontier"
        if any(part in file for part in _STORE):
            return "store"
    return "rest"


def _calls(frame: FrameType | None) -> Iterator[tuple[str, str]]:
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_code.co_name
        frame = frame.f_back


def _threads() -> list[int]:
    return [thread.ident for thread in threading.enumerate() if thread.ident is not None]


def _cpu(ident: int) -> float:
    """Return the CPU seconds of a thread; 0 when it has just ended."""
    try:
        return time.clock_gettime(time.pthread_getcpuclockid(ident))
    except OSError:
        return 0.0
