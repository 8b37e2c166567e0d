"""What waits: the best in memory, the rest in the URL table only."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from winze.engine.order import Order
from winze.frontier.queue import Candidate
from winze.store.crawldb import StoredUrl

#: Candidates kept in memory, all hosts together; about 700 bytes each.
MOST_WAITING = 50_000

#: A host has room for so many, however many hosts there are.
LEAST_PER_HOST = 500

#: A host with less than this share of its room in memory gets more from the table.
LOW = 0.2

#: Reads up to `number` waiting rows of a host with an id above `after`, in the order of their ids.
Rows = Callable[[str, int, int], Awaitable[Sequence[StoredUrl]]]


def candidate_of(row: StoredUrl) -> Candidate:
    """Return what a stored row makes wait in the frontier."""
    # A visited row holds its page's own weight: off topic that is one more than the parent's.
    visited = row.update_time is not None
    return Candidate(
        row.url,
        row.host,
        row.depth,
        parent_weight=max(0, row.weight - 1) if visited else row.weight,
        anchor=row.anchor,
        tag_path=row.tag_path,
        rank=row.rank,
        attempts=row.attempts,
        validators=(row.etag or "", row.last_modified or ""),
    )


@dataclass(slots=True)
class _Table:
    """How far the rows of one host that wait in the table only were read."""

    #: About so many are left.
    number: int = 0
    #: Id of the last row that was read.
    after: int = 0
    #: Counts what was left in the table: rows that a read which began before may not show.
    left: int = 0
    #: Do rows that were read and shed again lie before `after`?
    shed: bool = False

    def leave(self) -> None:
        """Note that one more waits here."""
        self.number += 1
        self.left += 1


class Frontier:
    """An order's queue with a floor under it: what does not fit is read again from the URL table.

    Whoever pushes a candidate has given it a row; `rows` is asked when they are all committed.
    `lets_in` says whether the user's filters and the order still want what a row names.
    """

    def __init__(
        self,
        order: Order,
        rows: Rows,
        lets_in: Callable[[Candidate], bool],
        *,
        most: int = MOST_WAITING,
    ) -> None:
        self.order = order
        self._rows = rows
        self._lets_in = lets_in
        self._most = most
        self._in_memory: Counter[str] = Counter()
        self._in_table: dict[str, _Table] = {}
        #: URLs in flight: their rows say nothing of that.
        self._in_flight: set[str] = set()
        #: Fetched out of turn; the order may still offer them.
        self._out_of_turn: set[str] = set()

    def __len__(self) -> int:
        return len(self.order.queue) + sum(max(0, one.number) for one in self._in_table.values())

    def await_rows(self, waiting: Mapping[str, int]) -> None:
        """Take note of rows that an earlier run left, by host."""
        self._in_table.update((host, _Table(number)) for host, number in waiting.items())

    def push(self, candidates: Iterable[Candidate]) -> None:
        """Let new URLs wait; of a full host in the table, if the order is first in, first out."""
        room = self._room()
        fitting = [one for one in candidates if not self._left_in_table(one, room)]
        self._in_memory.update(one.host for one in fitting)
        self.order.push(fitting)
        if len(self.order.queue) > self._most:
            self._shed()

    async def pop(self, busy: Collection[str]) -> Candidate | None:
        """Take the best URL whose host is not busy; it is in flight until `settled`."""
        for host in self._hungry(busy):
            await self._read_more(host)
        while (candidate := self.order.pop(busy)) is not None:
            self._in_memory[candidate.host] -= 1
            if candidate.url not in self._out_of_turn:
                self._in_flight.add(candidate.url)
                return candidate
        return None

    def take(self, url: str) -> None:
        """Take a URL out of turn."""
        self._out_of_turn.add(url)

    def put_back(self, candidate: Candidate, taken: str) -> None:
        """Let a URL wait again, in memory, that was `taken` and got no outcome.

        It may have moved to another spelling; its row still bears the one that was taken.
        """
        if candidate.url != taken:
            self._out_of_turn.add(taken)
        self._out_of_turn.discard(candidate.url)
        self._in_memory[candidate.host] += 1
        self.order.push([candidate])

    def settled(self, url: str) -> None:
        """Note that a URL in flight has its outcome, or waits again."""
        self._in_flight.discard(url)

    def has_other(self, hosts: Collection[str]) -> bool:
        """Does a URL wait whose host is not among these?"""
        return any(n > 0 and host not in hosts for host, n in self._in_memory.items()) or any(
            host not in hosts for host in self._in_table
        )

    def _room(self) -> int:
        return max(LEAST_PER_HOST, self._most // max(1, len(self._in_memory)))

    def _left_in_table(self, candidate: Candidate, room: int) -> bool:
        if not self.order.keeps_order:
            return False
        host = candidate.host
        if host not in self._in_table and self._in_memory[host] < room:
            return False
        self._in_table.setdefault(host, _Table()).leave()
        return True

    def _shed(self) -> None:
        for candidate in self.order.shed(self._most - self._most // 5):
            self._in_memory[candidate.host] -= 1
            table = self._in_table.setdefault(candidate.host, _Table())
            table.leave()
            table.shed = True

    def _hungry(self, busy: Collection[str]) -> list[str]:
        if not self._in_table:
            return []
        low = LOW * self._room()
        return [
            host for host in self._in_table if host not in busy and self._in_memory[host] <= low
        ]

    async def _read_more(self, host: str) -> None:
        table = self._in_table[host]
        left = table.left
        # What is settled while the rows are read has an outcome that they may not show yet.
        in_flight = set(self._in_flight)
        rows = await self._rows(host, table.after, self._room() // 2)
        known = {one.url for one in self.order.waiting()} | in_flight
        fresh = [row for row in rows if row.url not in known]
        wanted = [one for one in map(candidate_of, fresh) if self._lets_in(one)]
        self._in_memory[host] += len(wanted)
        self.order.push(wanted)
        table.number -= len(fresh)
        if rows:
            table.after = rows[-1].id
        elif table.shed:
            # Once more from the start.
            table.after, table.shed = 0, False
        elif table.left == left:
            del self._in_table[host]
