"""The table of the engines, and what it says about our two rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from bench.engine.engines import EngineName
from bench.engine.measure import Cost

#: CPU seconds for 1,000 pages that our rows may take.
MOST_BARE, MOST_SHIPPED = 1.05, 3.0

#: How many times less than Scrapy: bare than tuned, as shipped than documented.
TIMES_TUNED, TIMES_DOCUMENTED = 2.2, 4.5

#: Part of the CPU time that is the frontier's.
MOST_FRONTIER = 0.10


@dataclass(frozen=True, slots=True)
class Row:
    """An engine's runs together."""

    name: EngineName
    #: Median, least and most CPU seconds for 1,000 pages.
    cpu: float
    least: float
    most: float
    #: Largest resident set of any run, MB.
    peak: float
    runs: int
    #: Why the runs do not count; "" when every one found each page once.
    fault: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return the row as an object."""
        return {field: getattr(self, field) for field in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True)
class Bar:
    """A figure of ours beside what it may be."""

    name: str
    value: float
    most: float

    @property
    def met(self) -> bool:
        """Whether the figure is within its bar."""
        return self.value <= self.most


def row_of(name: EngineName, costs: Sequence[Cost], true: frozenset[str]) -> Row:
    """Return the row of an engine's runs; `true` is the pages that there are."""
    seconds = [cost.cpu_per_1k for cost in costs]
    return Row(
        name,
        cpu=median(seconds),
        least=min(seconds),
        most=max(seconds),
        peak=max(cost.peak for cost in costs),
        runs=len(costs),
        fault=next(filter(None, (fault_of(cost, true) for cost in costs)), ""),
    )


def fault_of(cost: Cost, true: frozenset[str]) -> str:
    """Say what is wrong with a run; "" for nothing.

    >>> fault_of(Cost(("/a", "/a", "/c"), 1, 1, 0), frozenset(["/a", "/b"]))
    '1 missing, 1 doubled'

    An engine may write a line for the link that is dead.
    """
    if cost.status:
        return f"ended with {cost.status}"
    missing = len(true.difference(cost.pages))
    doubled = len(cost.pages) - len(set(cost.pages))
    counts = ((missing, "missing"), (doubled, "doubled"))
    return ", ".join(f"{number} {what}" for number, what in counts if number)


def bars(rows: Mapping[EngineName, Row], shares: Mapping[EngineName, float]) -> list[Bar]:
    """Return our figures; those of a peer that did not run are left out."""
    bare, shipped = rows[EngineName.BARE], rows[EngineName.SHIPPED]
    found = [
        Bar("bare: CPU s for 1,000 pages", bare.cpu, MOST_BARE),
        Bar("as shipped: CPU s for 1,000 pages", shipped.cpu, MOST_SHIPPED),
    ]
    peers = (
        ("bare", bare, EngineName.SCRAPY_TUNED, TIMES_TUNED),
        ("as shipped", shipped, EngineName.SCRAPY, TIMES_DOCUMENTED),
    )
    for what, ours, name, times in peers:
        if name in rows:
            found.append(Bar(f"{what}: part of {name}", ours.cpu / rows[name].cpu, 1 / times))
    found += [
        Bar(f"{name}: frontier's part", share, MOST_FRONTIER) for name, share in shares.items()
    ]
    return found


def table(rows: Sequence[Row], found: Sequence[Bar]) -> str:
    """Return the table: a line for each engine, then one for each bar."""
    least = min(row.cpu for row in rows if row.name is EngineName.PLAIN)
    lines = [f"{'CPU s for 1,000 pages':26} {'median':>7} {'range':>13} {'to plain':>9} {'MB':>5}"]
    for row in rows:
        spread = f"{row.least:.2f}-{row.most:.2f}"
        figures = f"{row.cpu:7.2f} {spread:>13} {row.cpu / least:8.2f}x {row.peak:5.0f}"
        lines.append(f"{row.name:26} {figures}  {row.fault and f'WRONG: {row.fault}'}".rstrip())
    lines.append("")
    for bar in found:
        mark = "" if bar.met else "MISSED"
        lines.append(f"{mark:7}{bar.name:50} {bar.value:7.2f}  bar {bar.most:.2f}")
    return "\n".join(lines)
