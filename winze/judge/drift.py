"""Has a site changed under its wrapper? Each run's fields against those of the runs before.

Of each field: on how many target pages it is found, how many of its values differ, how long they
are, and how many do not fit its type. What a redesign breaks shows in one of the four; a field that
was always absent on some pages stays so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

#: Values of a field whose difference is counted; a share of more is no more exact.
_SEEN = 1_000

#: Values that a field must have in both runs before their difference or length says something.
_ENOUGH = 10

#: Of the normal distribution: one false alarm in 200 fields, if two runs differ by chance.
_Z = 2.58

#: A share below this part of the old one is a loss, if chance does not explain it.
_LOSS = 0.7

#: The same where a run saw other pages than those before: the first pages that a crawl finds are
#: not like the last ones.
_COLLAPSE = 0.1

#: A share of misfits that much greater is an alarm, under the same condition.
_MORE_MISFITS = 0.2

#: Fewer different values than this part of before: the path leads to what all pages share.
_SAME = 0.5

#: Values so many times longer or shorter than before are others.
_LENGTHS = 3.0


@dataclass(slots=True)
class FieldTally:
    """What was seen of one field."""

    #: Target pages on which it was looked for, and found.
    pages: int = 0
    present: int = 0
    #: Values that do not fit its type.
    misfits: int = 0
    #: Values that were compared, and how many of them differ.
    seen: int = 0
    distinct: int = 0
    #: Characters of all values together.
    length: int = 0


@dataclass(frozen=True, slots=True)
class Alarm:
    """A field that is not what it was."""

    name: str
    #: What changed: "found", "fit their type", "different values", "length".
    what: str
    before: float
    now: float
    #: Pages of this run, and the first of them that shows it.
    pages: int
    url: str

    def __str__(self) -> str:
        """Return one line for a person."""
        form = "{:.0f}" if self.what == "length" else "{:.0%}"
        figures = f"{form.format(self.now)} after {form.format(self.before)}"
        return f"{self.name}: {self.what} {figures}, on {self.pages} pages; first {self.url}"


class Tally:
    """The fields of one run, or of the runs before.

    >>> before, now = Tally(), Tally()
    >>> for n in range(20):
    ...     before.add(f"/p/{n}", {"title": f"A{n}", "price": f"£{n}"}, {})
    ...     now.add(f"/p/{n}", {"title": f"A{n}", "price": None}, {})
    >>> [str(alarm) for alarm in alarms(before, now)]
    ['price: found 0% after 100%, on 20 pages; first /p/0']
    """

    def __init__(self, fields: Mapping[str, FieldTally] | None = None) -> None:
        self.fields: dict[str, FieldTally] = dict(fields or {})
        self._values: dict[str, set[int]] = {}
        #: First page without a field, with a misfit, and with any value.
        self.lacking: dict[str, str] = {}
        self.unfit: dict[str, str] = {}
        self.first: dict[str, str] = {}

    @property
    def pages(self) -> int:
        """Target pages that were counted."""
        return max((one.pages for one in self.fields.values()), default=0)

    def add(
        self,
        url: str,
        fields: Mapping[str, str | list[str] | None],
        typed: Mapping[str, object],
    ) -> None:
        """Count a target page; `typed` has None for a value that does not fit its type."""
        for name, value in fields.items():
            tally = self.fields.setdefault(name, FieldTally())
            tally.pages += 1
            if not value:
                self.lacking.setdefault(name, url)
                continue
            tally.present += 1
            self.first.setdefault(name, url)
            text = "\n".join(value) if isinstance(value, list) else value
            tally.length += len(text)
            self._note_value(name, tally, text)
            if name in typed and typed[name] is None:
                tally.misfits += 1
                self.unfit.setdefault(name, url)

    def _note_value(self, name: str, tally: FieldTally, text: str) -> None:
        if tally.seen < _SEEN:
            known = self._values.setdefault(name, set())
            tally.seen += 1
            tally.distinct += hash(text) not in known
            known.add(hash(text))

    def joined(self, later: Tally) -> Tally:
        """Return what both saw, as one; different values are counted in each alone."""
        names = dict.fromkeys([*self.fields, *later.fields])
        return Tally({name: _sum(self.fields.get(name), later.fields.get(name)) for name in names})

    def to_json(self) -> dict[str, Any]:
        """Return the counts as an object."""
        return {name: asdict(tally) for name, tally in self.fields.items()}

    @classmethod
    def from_json(cls, obj: Mapping[str, Any]) -> Tally:
        """Read what `to_json` gave; TypeError for anything else."""
        return cls({name: FieldTally(**counts) for name, counts in obj.items()})


def alarms(before: Tally, now: Tally, *, same_pages: bool = True) -> list[Alarm]:
    """Return what of the fields is not as it was, at most one alarm a field.

    Where the runs did not see the same pages, only a field that is all but gone is told.
    """
    names = [name for name in before.fields if name in now.fields]
    pairs = [(name, before.fields[name], now.fields[name]) for name in names]
    lost = [_loss(*pair, now, _LOSS if same_pages else _COLLAPSE) for pair in pairs]
    told = [
        loss or (_alarm(*pair, now) if same_pages else None)
        for loss, pair in zip(lost, pairs, strict=True)
    ]
    return [alarm for alarm in told if alarm is not None]


def _loss(name: str, old: FieldTally, new: FieldTally, run: Tally, most: float) -> Alarm | None:
    was, share = _share(old.present, old.pages), _share(new.present, new.pages)
    if share < most * was and _upper(new.present, new.pages) < _lower(old.present, old.pages):
        return Alarm(name, "found", was, share, new.pages, run.lacking[name])
    return None


def _alarm(name: str, old: FieldTally, new: FieldTally, run: Tally) -> Alarm | None:
    fitted = 1 - _share(old.misfits, old.present)
    fits = 1 - _share(new.misfits, new.present)
    worse = _lower(new.misfits, new.present) > _upper(old.misfits, old.present)
    if fits < fitted - _MORE_MISFITS and worse:
        return Alarm(name, "fit their type", fitted, fits, new.pages, run.unfit[name])
    if min(old.seen, new.seen) < _ENOUGH:
        return None
    differed, differs = _share(old.distinct, old.seen), _share(new.distinct, new.seen)
    if new.pages <= old.pages and differs < _SAME * differed and new.distinct < _ENOUGH:
        return Alarm(name, "different values", differed, differs, new.pages, run.first[name])
    long, longer = _share(old.length, old.present), _share(new.length, new.present)
    if not long / _LENGTHS <= longer <= long * _LENGTHS:
        return Alarm(name, "length", long, longer, new.pages, run.first[name])
    return None


def _sum(one: FieldTally | None, other: FieldTally | None) -> FieldTally:
    if one is None or other is None:
        return one or other or FieldTally()
    mine, others = asdict(one), asdict(other)
    return FieldTally(**{name: mine[name] + others[name] for name in mine})


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _wilson(part: int, whole: int) -> tuple[float, float]:
    """Return the bounds of a share that was seen in so many (Wilson 1927)."""
    if not whole:
        return 0.0, 1.0
    share, square = part / whole, _Z * _Z
    middle = (share + square / (2 * whole)) / (1 + square / whole)
    spread = share * (1 - share) / whole + square / (4 * whole * whole)
    width = _Z * math.sqrt(spread) / (1 + square / whole)
    return middle - width, middle + width


def _lower(part: int, whole: int) -> float:
    return _wilson(part, whole)[0]


def _upper(part: int, whole: int) -> float:
    return _wilson(part, whole)[1]
