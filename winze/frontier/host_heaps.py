"""Waiting items by host, so that a busy host costs nothing to step over."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from itertools import count
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")


class HostHeaps(Generic[Item]):
    """One heap a host, and a heap of their heads.

    >>> heaps: HostHeaps[str] = HostHeaps()
    >>> heaps.push("a", 1.0, "first")
    >>> heaps.push("b", 2.0, "second")
    >>> heaps.pop({"a"}), heaps.pop(()), heaps.pop(())
    ('second', 'first', None)
    """

    def __init__(self) -> None:
        self._heaps: dict[str, list[tuple[float, int, Any]]] = {}
        #: (key, arrival, host); an entry that is not its host's head any more is stale.
        self._heads: list[tuple[float, int, str]] = []
        self._arrivals = count()
        self._size = 0

    def push(self, host: str, key: float, item: Item) -> None:
        """Let an item wait; the lowest key is first, then the first to come."""
        heap = self._heaps.setdefault(host, [])
        entry = (key, next(self._arrivals), item)
        heapq.heappush(heap, entry)
        if heap[0] is entry:
            heapq.heappush(self._heads, (*entry[:2], host))
        self._size += 1

    def pop(self, busy: Collection[str]) -> Item | None:
        """Take the first item whose host is not busy."""
        skipped: list[tuple[float, int, str]] = []
        found: Item | None = None
        while self._heads and found is None:
            key, arrival, host = head = heapq.heappop(self._heads)
            heap = self._heaps.get(host)
            if not heap or heap[0][:2] != (key, arrival):
                continue
            if host in busy:
                skipped.append(head)
            else:
                found = self._take(host, heap)
        for head in skipped:
            heapq.heappush(self._heads, head)
        return found

    def items(self) -> Iterator[Item]:
        """Yield what waits, in no order."""
        return (entry[2] for heap in self._heaps.values() for entry in heap)

    def _take(self, host: str, heap: list[tuple[float, int, Any]]) -> Item:
        item: Item = heapq.heappop(heap)[2]
        if heap:
            heapq.heappush(self._heads, (*heap[0][:2], host))
        else:
            del self._heaps[host]
        self._size -= 1
        return item

    def __len__(self) -> int:
        return self._size
