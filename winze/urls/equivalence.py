"""Parameters that are idle: the page is the same whatever they say, as its content tells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from winze.urls.families import Families

#: Contents that must each have been seen under two URLs with nothing but the parameter, or a few
#: idle ones, between them. One content is no evidence: "not found" is the same for every value.
AGREEING = 4

#: Share of a parameter's comparisons that may differ: pages change while they are crawled.
ALTERED = 0.05

#: Parameters that may differ between two URLs of one content: servers set few session ids at once.
_MOST_DIFFERING = 3

#: Contents and URLs that are remembered: the newest so many to twice as many.
_REMEMBERED = 10_000

#: Places whose parameters are watched, and parameters of one place.
_MOST_PLACES, _MOST_NAMES = 2_000, 16

#: A parameter in a path; its name is told from those in a query by the ";" before it.
_IN_PATH = re.compile(r"(;[^=/;?#]+)=([^/;?#]*)")

Value = TypeVar("Value")


class Equivalence:
    """Learns at which places of a site which parameters are idle. A place is a path's family.

    A parameter is idle if four contents did not change with it and hardly one did. It is left out
    of URLs if pages were the same without it; else it is set to a value that works.

    >>> learned = Equivalence(Families())
    >>> for page in range(4):
    ...     for visit in range(2):
    ...         learned.note(f"http://shop.example/p?id={page}&sn={page}{visit}", content=page)
    >>> learned.canonical("http://shop.example/p?id=17&sn=99")
    'http://shop.example/p?id=17&sn=31'
    """

    def __init__(
        self, families: Families, idle: Mapping[str, Mapping[str, str | None]] | None = None
    ) -> None:
        self._families = families
        self._places: dict[str, dict[str, _Parameter]] = {}
        #: Place to its idle parameters with the value they are set to; None leaves them out.
        self._idle = {place: dict(names) for place, names in (idle or {}).items()}
        #: Parameters of the first URL of a path and content.
        self._firsts: _Newest[Mapping[str, str]] = _Newest()
        #: Value and content for a path, a parameter and the rest of the parameters.
        self._rests: _Newest[tuple[str | None, int]] = _Newest()

    def note(self, url: str, content: int) -> None:
        """Learn from a page with this URL and content; pages of equal content look the same."""
        stem, given = _taken_apart(url)
        mark = hash((stem, content))
        first = self._firsts.get(mark)
        if first is None:
            self._firsts.put(mark, given)
        if not given and not self._places:
            return
        place = self._families.of(stem)
        names = self._places.get(place)
        if names is None:
            if not given or len(self._places) >= _MOST_PLACES:
                return
            names = self._places[place] = {}
        if first is not None and first != given:
            _note_equal(names, first, given, content)
        self._note_different(names, stem, given, content)
        self._conclude(place, names)

    def canonical(self, url: str) -> str:
        """Return the URL with its idle parameters left out, or set to a value that works."""
        if not self._idle or ("?" not in url and ";" not in url):
            return url
        stem, given = _taken_apart(url)
        idle = self._idle.get(self._families.of(stem)) if given else None
        if not idle or idle.keys().isdisjoint(given):
            return url
        head, _, query = url.partition("?")
        path = _IN_PATH.sub(lambda found: _written(found[0], found[1], idle), head)
        pieces = (_written(one, one.partition("=")[0], idle) for one in query.split("&"))
        kept = "&".join(filter(None, pieces))
        return f"{path}?{kept}" if kept else path

    def idle(self) -> dict[str, dict[str, str | None]]:
        """Return the idle parameters by place; `Equivalence(families, idle)` goes on from there."""
        return {place: names for place, names in self._idle.items() if names}

    def _conclude(self, place: str, names: Mapping[str, _Parameter]) -> None:
        for name, seen in names.items():
            if seen.is_idle:
                self._idle.setdefault(place, {})[name] = None if seen.may_go else seen.value
            elif seen.differed and place in self._idle:
                self._idle[place].pop(name, None)

    def _note_different(
        self, names: dict[str, _Parameter], stem: str, given: Mapping[str, str], content: int
    ) -> None:
        """Note for each parameter whether the content changed with nothing but it."""
        for name in {**names, **given}:
            if name not in names and len(names) >= _MOST_NAMES:
                continue
            seen = names.setdefault(name, _Parameter())
            rest = frozenset((other, text) for other, text in given.items() if other != name)
            mark = hash((stem, name, rest))
            value = given.get(name)
            earlier = self._rests.get(mark)
            if earlier is not None and earlier[0] != value and earlier[1] != content:
                seen.differed += 1
            self._rests.put(mark, (value, content))


@dataclass(slots=True)
class _Parameter:
    """What is known of one parameter at one place."""

    #: Contents that did not change with it; no more than are needed.
    agreed: set[int] = field(default_factory=set)
    #: Times a content did not change with it.
    same: int = 0
    #: Times the content changed with nothing but it.
    differed: int = 0
    #: Was a page the same without it?
    may_go: bool = False
    #: The newest value under which a known page was seen.
    value: str | None = None

    @property
    def is_idle(self) -> bool:
        return len(self.agreed) >= AGREEING and self.differed <= ALTERED * self.same


class _Newest(Generic[Value]):
    """A dict that forgets its oldest half from time to time."""

    def __init__(self) -> None:
        self._new: dict[int, Value] = {}
        self._old: dict[int, Value] = {}

    def get(self, mark: int) -> Value | None:
        found = self._new.get(mark)
        return self._old.get(mark) if found is None else found

    def put(self, mark: int, value: Value) -> None:
        if len(self._new) >= _REMEMBERED:
            self._old, self._new = self._new, {}
        self._new[mark] = value


def _note_equal(
    names: dict[str, _Parameter], first: Mapping[str, str], given: Mapping[str, str], content: int
) -> None:
    """Note that a content did not change with the parameters in which two of its URLs differ."""
    differing = [name for name in {**first, **given} if first.get(name) != given.get(name)]
    if len(differing) > _MOST_DIFFERING:
        return
    for name in differing:
        if name not in names and len(names) >= _MOST_NAMES:
            continue
        seen = names.setdefault(name, _Parameter())
        if len(seen.agreed) < AGREEING:
            seen.agreed.add(content)
        seen.same += 1
        seen.may_go |= name not in first or name not in given
        seen.value = given.get(name, first.get(name))


def _taken_apart(url: str) -> tuple[str, dict[str, str]]:
    """Return a URL without its parameters, and these; one that repeats a name has none."""
    stem, _, query = url.partition("#")[0].partition("?")
    pairs: list[tuple[str, str]] = []
    if ";" in stem:
        pairs = _IN_PATH.findall(stem)
        stem = _IN_PATH.sub("", stem)
    pairs.extend(piece.partition("=")[::2] for piece in query.split("&") if piece)
    given = dict(pairs)
    return (stem, given) if len(given) == len(pairs) else (url, {})


def _written(piece: str, name: str, idle: Mapping[str, str | None]) -> str:
    """Return a name=value piece as it is to stand in the URL."""
    if name not in idle:
        return piece
    value = idle[name]
    return "" if value is None else f"{name}={value}"
