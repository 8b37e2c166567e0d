"""URLs grouped by form, in near-linear time: a trie over their parts (design 6.1)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from winze.urls.shapes import Shape, UrlParts, shape_of, split_extension, split_url

#: A name at one place of so many URLs is a section, not an identifier ...
FREQUENT = 8

#: ... if it is also this share of the URLs that differ there.
FREQUENT_SHARE = 0.02

#: So few names before the last part are sections, however rare each is.
FEW_NAMES = 3

#: A shape this rare beside free text is text that happens to look so: films called 1917 and 300.
ODD_SHARE = 0.05

#: How free text is written in a cluster's shape.
TEXT = "*"

_SHAPES = {Shape.NUMBER: "#", Shape.DATE: "date", Shape.HEX: "hex"}


@dataclass(frozen=True, slots=True)
class Cluster:
    """URLs of one form."""

    #: In the order in which they were given, each once.
    members: tuple[str, ...]
    #: The form: parts that stay, "#" for numbers, "*" for text.
    shape: str


@dataclass(slots=True)
class _Branch:
    """URLs that agree on host, number of parts, query keys and the parts before `position`."""

    members: list[tuple[str, tuple[str, ...]]]
    position: int
    prefix: str
    suffix: str


def cluster(urls: Iterable[str]) -> list[Cluster]:
    """Group URLs by host, number of parts, query keys and the shape of each part.

    Largest first. Near-linear: each URL is looked at once for each of its parts.

    >>> for found in cluster([f"http://s.example/p/{i}" for i in range(9)] + ["http://s.example/"]):
    ...     print(found.shape, len(found.members))
    s.example/p/# 9
    s.example 1
    """
    groups: defaultdict[tuple[str, int, tuple[str, ...]], list[tuple[str, tuple[str, ...]]]]
    groups = defaultdict(list)
    for url in dict.fromkeys(urls):
        parts = split_url(url)
        groups[parts.host, len(parts.path), query_keys(parts)].append((url, parts.path))
    found: list[Cluster] = []
    for (host, depth, keys), members in groups.items():
        branches = [_Branch(members, 0, host, "?" + "&".join(keys) if keys else "")]
        while branches:
            branch = branches.pop()
            if branch.position == depth:
                shape = branch.prefix + branch.suffix
                found.append(Cluster(tuple(url for url, _ in branch.members), shape))
            else:
                branches.extend(_split(branch, last=branch.position == depth - 1))
    return sorted(found, key=lambda one: (-len(one.members), one.shape))


def query_keys(parts: UrlParts) -> tuple[str, ...]:
    """Return the distinct keys of a URL's query, sorted."""
    return tuple(sorted({key for key, _ in parts.query}))


def _split(branch: _Branch, *, last: bool) -> list[_Branch]:
    """Part the URLs of a branch by what stands at its position."""
    position = branch.position
    counts = Counter(path[position] for _, path in branch.members)
    forms = _forms(counts, last=last)
    parted: defaultdict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
    for member in branch.members:
        parted[forms[member[1][position]]].append(member)
    return [
        _Branch(members, position + 1, f"{branch.prefix}/{form}", branch.suffix)
        for form, members in parted.items()
    ]


def _forms(counts: Counter[str], *, last: bool) -> dict[str, str]:
    """Return for each part how it is written in the shape: itself, or its kind."""
    if len(counts) == 1:
        return {part: part for part in counts}
    kinds = {part: _kind(part) for part in counts}
    sections = _sections(counts, kinds, last=last)
    sizes: Counter[tuple[str, str]] = Counter()
    for part in kinds.keys() - sections:
        sizes[kinds[part]] += counts[part]
    forms: dict[str, str] = {}
    for part, (kind, extension) in kinds.items():
        odd = sizes[kind, extension] <= ODD_SHARE * sizes[TEXT, extension]
        forms[part] = part if part in sections else _written(TEXT if odd else kind, extension)
    return forms


def _sections(
    counts: Counter[str], kinds: dict[str, tuple[str, str]], *, last: bool
) -> frozenset[str]:
    """Return the parts that name a section of the site: few or frequent, and text."""
    names = [part for part, (kind, _) in kinds.items() if kind == TEXT]
    if not last and len(names) <= FEW_NAMES:
        return frozenset(names)
    least = max(FREQUENT, FREQUENT_SHARE * sum(counts.values()))
    return frozenset(part for part in names if counts[part] >= least)


def _kind(part: str) -> tuple[str, str]:
    """Return the kind of a part's stem, and its extension."""
    stem, extension = split_extension(part)
    return _SHAPES.get(shape_of(stem), TEXT), extension


def _written(kind: str, extension: str) -> str:
    return f"{kind}.{extension}" if extension else kind
