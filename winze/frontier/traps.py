"""Endless places: a family of URLs that breeds itself and earns nothing spends its budget.

What parts an endless calendar from ten thousand products is not that its pages differ: each month
has a text of its own. It is that nothing is *gained* by going on. A page gains something if it is a
target, if it leads to a new URL of another family that gains, or if its text says what no page of
its family said, numbers aside: months and filters say the same words again and again, products,
articles and threads do not. A family that gains nothing for a budget of pages in a row is capped,
but only if it lives on itself: its pages must have led to more of them. A long list of dull pages
ends by itself.

Pages that differ in numbers only ("item 5", "item 6") may be a small site's real ones. They cost a
fiftieth, unless their URLs are dates or other pages of the family did say something: these are then
the far end of a list that goes on without entries.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from enum import Enum

#: Pages in a row that may gain nothing. P4's case B1 allows 2,000 pages for 440 real ones and two
#: endless places.
BUDGET = 100

#: What the budget of further families shrinks to on a site that has many endless places.
LEAST_BUDGET = 25

#: Capped families that halve the budget of the next ones.
HALVING = 4

#: URLs of a family that each of its last pages led to, from which on it lives on itself. An endless
#: place leads to one or more a page, but in bursts: a month leads to all its days at once.
BREEDING = 0.25

#: How much of that count is kept from page to page: it looks back over some 100 pages.
_KEPT = 0.99

#: Pages of a family that must be seen before it counts as one that gains nothing.
KNOWN_AFTER = 5

#: Share of thin pages from which on a family is as good as they are.
WORTH = 0.1

#: Cost in a row after which a family counts as one that gains nothing: no link to it is a gain.
BARREN = 20.0

#: Share of a family's pages that gain, from which on numbers alone are no content.
RICH = 0.25

#: Pages that gained nothing and are forgiven for one that said something new; so a family is capped
#: if fewer than one page in five does.
FORGIVEN = 4.0

#: Families that are counted; those beyond are let in.
_MOST_FAMILIES = 50_000


#: Budgets that URLs of a target page's form have: a form may fit an endless place as well.
PATIENCE = 5


class Gain(Enum):
    """What one page was good for; the value is what it costs of the budget."""

    #: A target, or it leads to where something is gained.
    GOOD = "good"
    #: It says what no page of its family said.
    NEW = "new"
    #: It leads to a family of which nothing is known yet.
    OPEN = "open"
    #: It differs from others in numbers only.
    THIN = "thin"
    NOTHING = "nothing"


_COSTS = {Gain.OPEN: 0.0, Gain.THIN: 0.02, Gain.NOTHING: 1.0, Gain.NEW: -FORGIVEN}


@dataclass(slots=True)
class _Family:
    fetched: int = 0
    #: URLs found on pages of its own or of families that gain nothing, and pages: those of late.
    bred: float = 0.0
    late: float = 0.0
    gained: int = 0
    thin: int = 0
    #: Pages that were targets or led to gains.
    good: int = 0
    #: Cost of the pages since the last good one.
    spent: float = 0.0
    capped: bool = False

    @property
    def is_barren(self) -> bool:
        never = self.gained == self.thin == 0 and self.fetched >= KNOWN_AFTER
        return never or self.spent >= BARREN

    def cost(self, gain: Gain) -> float:
        is_rich = self.gained > RICH * self.fetched
        return _COSTS[Gain.NOTHING if gain is Gain.THIN and is_rich else gain]


class EndlessPlaces:
    """Counts by family; a family is what the caller names so (urls.families).

    >>> traps = EndlessPlaces(budget=2)
    >>> for month in range(3):
    ...     traps.found("/calendar/#", on="/calendar/#")
    ...     traps.fetched("/calendar/#", Gain.NOTHING)
    >>> traps.is_trap("/calendar/#"), traps.is_trap("/p/#")
    (True, False)
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._families: dict[str, _Family] = {}
        self._capped = 0

    def found(self, family: str, *, on: str) -> None:
        """Count a new URL of a family, found on a page of the family `on`.

        Families that gain nothing breed each other: days lead to months and months to days.
        """
        if family == on or self._seen(on).is_barren:
            self._entry(family).bred += 1.0

    def gain_of_link(self, family: str, *, on: str) -> Gain:
        """Return what a new URL of a family is worth to the page of the family `on`."""
        if family == on:
            return Gain.NOTHING
        seen = self._seen(family)
        if seen.gained > RICH * seen.fetched and not seen.is_barren:
            return Gain.GOOD
        if seen.fetched < KNOWN_AFTER:
            return Gain.OPEN
        # A list of pages that differ in numbers only is as good as they are.
        return Gain.THIN if seen.thin >= WORTH * seen.fetched else Gain.NOTHING

    def fetched(self, family: str, gain: Gain) -> None:
        """Count a fetched page and what it was good for."""
        entry = self._entry(family)
        entry.fetched += 1
        entry.bred, entry.late = _KEPT * entry.bred, _KEPT * entry.late + 1.0
        entry.gained += gain in {Gain.GOOD, Gain.NEW}
        entry.thin += gain is Gain.THIN
        entry.good += gain is Gain.GOOD
        if gain is Gain.GOOD:
            entry.spent = 0.0
        else:
            entry.spent = max(0.0, entry.spent + entry.cost(gain))
        was_capped, entry.capped = entry.capped, self._is_spent(entry)
        self._capped += entry.capped - was_capped

    def is_trap(self, family: str, *, looks_good: bool = False) -> bool:
        """Has the family spent its budget on itself? `looks_good`: the URL has a target's form."""
        seen = self._seen(family)
        return seen.capped and (not looks_good or seen.spent >= PATIENCE * self._budget)

    def traps(self) -> dict[str, int]:
        """Return the capped families with how many pages each had."""
        return {name: seen.fetched for name, seen in self._families.items() if seen.capped}

    def state(self) -> dict[str, dict[str, float]]:
        """Return the counts that matter to a later run, as JSON values."""
        return dict(self._lasting())

    def restore(self, state: Mapping[str, Mapping[str, float]]) -> None:
        """Go on from an earlier run's counts."""
        for name, told in state.items():
            entry = self._entry(name)
            entry.fetched = int(told["fetched"])
            entry.bred, entry.late = float(told["bred"]), float(told["late"])
            entry.gained, entry.thin = int(told["gained"]), int(told["thin"])
            entry.good = int(told["good"])
            entry.spent, entry.capped = float(told["spent"]), bool(told["capped"])
            self._capped += entry.capped

    def _is_spent(self, entry: _Family) -> bool:
        # Good pages buy time: a list that led to products for 300 pages may be dull for a while.
        shrunk = max(LEAST_BUDGET, self._budget * HALVING // (HALVING + self._capped))
        allowed = min(self._budget, shrunk) + entry.good
        return entry.spent >= allowed and entry.bred >= BREEDING * entry.late

    def _seen(self, family: str) -> _Family:
        return self._families.get(family) or _UNSEEN

    def _entry(self, family: str) -> _Family:
        entry = self._families.get(family)
        if entry is None:
            entry = _Family()
            if len(self._families) < _MOST_FAMILIES:
                self._families[family] = entry
        return entry

    def _lasting(self) -> Iterator[tuple[str, dict[str, float]]]:
        for name, seen in self._families.items():
            if seen.fetched >= KNOWN_AFTER:
                yield name, asdict(seen)


_UNSEEN = _Family()
