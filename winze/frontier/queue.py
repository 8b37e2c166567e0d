"""The URLs that wait, and which of them is next; a buffer in front of the URL table."""

from __future__ import annotations

from collections.abc import Collection, KeysView
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from winze.frontier.host_heaps import HostHeaps

#: The learned queue is scored anew after one fetch per so many waiting URLs (and at each fetch
#: while there are fewer): a constant cost a page.
RESCORED_PER_FETCH = 200


@dataclass(slots=True)
class Candidate:
    """A URL that waits to be fetched, with the evidence of the link that led to it."""

    url: str
    host: str
    #: Clicks from a start link.
    depth: int = 0
    #: URL of the page on which the link stands; empty for a start link or an example.
    parent: str = ""
    #: P1's weight of that page.
    parent_weight: int = 0
    anchor: str = ""
    tag_path: str = ""
    rank: int = 0
    #: Fetches that failed so far.
    attempts: int = 0
    #: ETag and Last-Modified of the stored copy; empty where there is none.
    validators: tuple[str, str] = ("", "")
    #: What the score was when it was popped; None under bfs and weight.
    score: float | None = None
    #: What the scorer made of the link; opaque here.
    features: NDArray[np.int32] | None = field(default=None, compare=False, repr=False)


class Queue(Protocol):
    """What the crawl loop asks of any order."""

    def push(self, candidate: Candidate) -> None:
        """Let a URL wait. The caller pushes each URL once (and again for a retry)."""

    def pop(self, busy: Collection[str] = ()) -> Candidate | None:
        """Take the best URL whose host is not busy; None if there is none."""

    def waiting(self) -> list[Candidate]:
        """Return what waits, in no order."""

    def __len__(self) -> int: ...


class Scorer(Protocol):
    """What the learned queue asks of a model (learn.order.LinkModel)."""

    @property
    def width(self) -> int:
        """Most features a candidate has."""

    def features(self, candidate: Candidate) -> NDArray[np.int32]:
        """Return the candidate's features: positive numbers, `width` at most."""

    def scores(self, matrix: NDArray[np.int32]) -> NDArray[np.float32]:
        """Return a score for each row of features, filled up with zeros; high is good."""


class FifoQueue:
    """First in, first out (`--order bfs`).

    >>> queue = FifoQueue()
    >>> for url, host in ("a/1", "a"), ("a/2", "a"), ("b/1", "b"):
    ...     queue.push(Candidate(url, host))
    >>> [queue.pop(busy).url for busy in ({"a"}, (), ())]
    ['b/1', 'a/1', 'a/2']
    """

    def __init__(self) -> None:
        self._heaps: HostHeaps[Candidate] = HostHeaps()

    def push(self, candidate: Candidate) -> None:
        """Put a URL behind all that wait."""
        self._heaps.push(candidate.host, 0.0, candidate)

    def pop(self, busy: Collection[str] = ()) -> Candidate | None:
        """Take the URL that has waited longest among those of idle hosts."""
        return self._heaps.pop(busy)

    def waiting(self) -> list[Candidate]:
        """Return what waits, in no order."""
        return list(self._heaps.items())

    def __len__(self) -> int:
        return len(self._heaps)


class WeightQueue:
    """Lowest weight of the parent page first (`--order weight`, GWC paper, 3.2)."""

    def __init__(self) -> None:
        self._heaps: HostHeaps[Candidate] = HostHeaps()

    def push(self, candidate: Candidate) -> None:
        """Put a URL behind those of the same weight."""
        self._heaps.push(candidate.host, float(candidate.parent_weight), candidate)

    def pop(self, busy: Collection[str] = ()) -> Candidate | None:
        """Take the URL nearest to the topic among those of idle hosts."""
        return self._heaps.pop(busy)

    def waiting(self) -> list[Candidate]:
        """Return what waits, in no order."""
        return list(self._heaps.items())

    def __len__(self) -> int:
        return len(self._heaps)


class LearnedQueue:
    """Highest score first (`--order learned`); the scores follow what the model learns.

    Features of the waiting URLs lie in one matrix, so that scoring them anew is one numpy call.
    """

    def __init__(self, scorer: Scorer) -> None:
        self._scorer = scorer
        self._matrix = np.zeros((1024, scorer.width), dtype=np.int32)
        self._scores = np.zeros(1024, dtype=np.float32)
        self._hosts = np.zeros(1024, dtype=np.int32)
        self._host_numbers: dict[str, int] = {}
        self._waiting: dict[int, Candidate] = {}
        self._free: list[int] = list(range(1023, -1, -1))
        #: Pushed since the last pop; scored together.
        self._fresh: list[int] = []
        self._heaps: HostHeaps[int] = HostHeaps()
        self._nameless: dict[str, int] = {}
        self._until_rescore = 0

    def push(self, candidate: Candidate) -> None:
        """Let a URL wait; its features are computed here unless it brings them."""
        slot = self._take_slot()
        self._waiting[slot] = candidate
        numbers = self._host_numbers
        self._hosts[slot] = numbers.setdefault(candidate.host, len(numbers))
        self._write(slot, candidate)
        self._fresh.append(slot)
        if not candidate.anchor:
            self._nameless[candidate.url] = slot

    def pop(self, busy: Collection[str] = ()) -> Candidate | None:
        """Take the URL with the highest score among those of idle hosts, with its features."""
        if self._until_rescore <= 0:
            self._rescore()
        else:
            self._enter_fresh()
        slot = self._heaps.pop(busy)
        if slot is None:
            return None
        self._until_rescore -= 1
        features, score = self._matrix[slot], float(self._scores[slot])
        candidate = self._release(slot)
        candidate.features, candidate.score = features[features > 0], score
        return candidate

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def nameless(self) -> KeysView[str]:
        """The waiting URLs whose link had no anchor text: a later link may say more."""
        return self._nameless.keys()

    def renew(self, candidate: Candidate) -> bool:
        """Take the evidence of another link to a nameless URL that waits; say if it was taken.

        The first link is often a picture; without this the best evidence is never seen (jp-anime:
        nAUC 0.70 instead of 0.90).
        """
        if not candidate.anchor or candidate.url not in self._nameless:
            return False
        slot = self._nameless.pop(candidate.url)
        first = self._waiting[slot]
        first.parent, first.anchor = candidate.parent, candidate.anchor
        first.tag_path, first.rank = candidate.tag_path, candidate.rank
        first.features = candidate.features
        self._write(slot, first)
        return True

    def waiting(self) -> list[Candidate]:
        """Return the candidates that wait, oldest slot first; without their features."""
        return list(self._waiting.values())

    def shed(self, kept: int) -> list[Candidate]:
        """Let go of the URLs with the lowest scores, so that only `kept` wait; return them."""
        self._enter_fresh()
        slots = np.fromiter(self._waiting, dtype=np.intp, count=len(self._waiting))
        number = max(0, len(slots) - kept)
        worst = slots[np.argsort(self._scores[slots], kind="stable")[:number]].tolist()
        gone = [self._release(slot) for slot in worst]
        self._rescore()  # the heaps must not offer what is gone
        return gone

    def scores(self) -> NDArray[np.float32]:
        """Return the scores of the waiting URLs in no order, as they were last computed."""
        self._enter_fresh()
        return self._scores[np.fromiter(self._waiting, dtype=np.intp, count=len(self._waiting))]

    def _release(self, slot: int) -> Candidate:
        candidate = self._waiting.pop(slot)
        self._free.append(slot)
        if self._nameless.get(candidate.url) == slot:
            del self._nameless[candidate.url]
        return candidate

    def _take_slot(self) -> int:
        if not self._free:
            size = len(self._scores)
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
            self._scores = np.concatenate([self._scores, np.zeros_like(self._scores)])
            self._hosts = np.concatenate([self._hosts, np.zeros_like(self._hosts)])
            self._free = list(range(2 * size - 1, size - 1, -1))
        return self._free.pop()

    def _write(self, slot: int, candidate: Candidate) -> None:
        features = candidate.features
        if features is None:
            features = self._scorer.features(candidate)
        self._matrix[slot, : len(features)] = features
        self._matrix[slot, len(features) :] = 0
        candidate.features = None  # the matrix holds them; two copies are too many

    def _enter_fresh(self) -> None:
        slots, self._fresh = self._fresh, []
        self._enter(slots)

    def _rescore(self) -> None:
        """Score all that wait, and build the heaps anew.

        A host gives at most one URL a pop, so what is not among its best until the next rescoring
        stays out of the heaps: they are the only part that costs Python time.
        """
        self._heaps = HostHeaps()
        self._fresh = []
        self._until_rescore = 1 + len(self._waiting) // RESCORED_PER_FETCH
        self._enter(list(self._waiting), best=self._until_rescore)

    def _enter(self, slots: list[int], *, best: int | None = None) -> None:
        """Score these slots and put them, or each host's best, into the heaps."""
        if not slots:
            return
        rows = np.array(slots, dtype=np.intp)
        scores = self._scorer.scores(self._matrix[rows])
        self._scores[rows] = scores
        order = np.argsort(-scores, kind="stable")
        rows, scores = rows[order], scores[order]
        if best is not None:
            kept = _place_in_group(self._hosts[rows]) < best
            rows, scores = rows[kept], scores[kept]
        for slot, score in zip(rows.tolist(), scores.tolist(), strict=True):
            self._heaps.push(self._waiting[slot].host, -score, slot)


def _place_in_group(groups: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return for each element how many of its group stand before it.

    >>> _place_in_group(np.array([7, 7, 3, 7], dtype=np.int32)).tolist()
    [0, 1, 0, 2]
    """
    order = np.argsort(groups, kind="stable")
    in_order = groups[order]
    starts = np.flatnonzero(np.r_[True, in_order[1:] != in_order[:-1]])
    sizes = np.diff(np.r_[starts, len(groups)])
    places = np.empty(len(groups), dtype=np.intp)
    places[order] = np.arange(len(groups)) - np.repeat(starts, sizes)
    return places
