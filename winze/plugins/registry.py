"""What is installed to extend Winze: the entry points of the group `winze.plugins`.

An entry is named "<point>.<name>". Winze's own lie in the same group of its own pyproject.toml and
are found in the same way. Nothing is imported before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from rapidfuzz import process

from winze.errors import UsageError

#: The group of entry points.
GROUP = "winze.plugins"

#: Name of our own distribution.
OWN = "winze"


class Point(StrEnum):
    """Where a plug-in may take part; `winze.plugins.points` says what each must be."""

    FETCH = "fetch"
    LINK_FILTER = "link_filter"
    SCORE = "score"
    EXTRACT = "extract"
    SINK = "sink"


class PluginError(UsageError):
    """A plug-in is not there or cannot be used; one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Plugin:
    """One installed plug-in, not imported yet."""

    point: Point
    #: Behind the dot: an order's name, a file's suffix, a word of the plan.
    name: str
    entry: EntryPoint

    @property
    def key(self) -> str:
        """The whole name, as a plan writes it."""
        return f"{self.point}.{self.name}"

    @property
    def package(self) -> str:
        """The distribution that brings it."""
        return self.entry.dist.name if self.entry.dist is not None else "?"

    @property
    def version(self) -> str:
        """The version of that distribution."""
        return self.entry.dist.version if self.entry.dist is not None else "?"

    @property
    def is_own(self) -> bool:
        """Is it one of ours?"""
        return self.package == OWN

    def load(self) -> Callable[..., object]:
        """Import it and return what it offers.

        Raises PluginError when the import fails or gives nothing that can be called.
        """
        try:
            found: object = self.entry.load()
        except Exception as error:
            raise PluginError(
                f"plug-in {self.key} of the package {self.package} {self.version} cannot be"
                f" imported: {fault_of(error)}: update it, or pip uninstall {self.package}"
            ) from error
        if not callable(found):
            raise PluginError(
                f"plug-in {self.key} of the package {self.package} {self.version} is no function:"
                f" {self.entry.value}"
            )
        return found


def fault_of(error: BaseException) -> str:
    """Return an error in one line.

    >>> fault_of(ValueError("no price"))
    'ValueError: no price'
    """
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


@cache
def installed() -> tuple[Plugin, ...]:
    """Return all plug-ins by point and name; looked for once a process (5 ms)."""
    found = [
        Plugin(Point(point), name, entry)
        for entry in entry_points(group=GROUP)
        for point, _, name in [entry.name.partition(".")]
        if point in set(Point) and name
    ]
    places = list(Point)
    return tuple(sorted(found, key=lambda one: (places.index(one.point), one.name, one.package)))


def strays() -> list[EntryPoint]:
    """Return the group's entries whose names have no known point."""
    known = {plugin.entry for plugin in installed()}
    return [entry for entry in entry_points(group=GROUP) if entry not in known]


def names(point: Point) -> list[str]:
    """Return the names of what is installed for a point."""
    return list(dict.fromkeys(one.name for one in installed() if one.point is point))


def find(point: Point, name: str) -> Plugin:
    """Return the plug-in of this name.

    Raises PluginError for one that is not installed, or that two packages offer.
    """
    found = [one for one in installed() if one.point is point and one.name == name]
    if not found:
        raise PluginError(f"{point}.{name}: no such plug-in is installed: {_remedy(point, name)}")
    if len(found) > 1:
        packages = " and ".join(one.package for one in found)
        raise PluginError(f"{point}.{name}: comes with {packages}: uninstall one of them")
    return found[0]


def find_key(key: str) -> Plugin:
    """Return the plug-in of a whole name, "point.name".

    Raises PluginError as `find` does, and for a point that there is not.
    """
    point, _, name = key.partition(".")
    if point not in set(Point):
        raise PluginError(
            f"{key}: a plug-in is named point.name, the points are {', '.join(Point)}"
        )
    return find(Point(point), name)


def _remedy(point: Point, name: str) -> str:
    known = names(point)
    near = process.extractOne(name, known, score_cutoff=60)
    if near:
        return f"did you mean '{point}.{near[0]}'?"
    there = ", ".join(known) if known else "nothing"
    return f"pip install the package that brings it (there is for {point}: {there})"
