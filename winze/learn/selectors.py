"""CSS selectors that lead to an element: by its own marks, its ancestors' marks, its position."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from winze.learn.page_index import Element

#: Ancestors from which a selector may start.
_MAX_ANCHORS = 9

#: Class names of one element that are looked at.
_MAX_CLASSES = 4

#: Marks of an ancestor that are used.
_ANCESTOR_MARKS = 2

#: The last steps, of which one may be any sibling: a list's items are seldom nested deeper.
_OPEN_STEPS = 4

#: Attributes that name what an element holds.
_NAMING = ("itemprop", "property", "name", "rel", "data-testid", "data-test", "data-name", "role")

#: Elements of which a page has one or few.
_RARE_TAGS = frozenset({"h1", "h2", "title", "address", "time", "article", "main"})

#: Names with numbers are made for one page (`post-1234`).
_NUMBERED = re.compile(r"\d{3}")

#: Characters that a CSS identifier may hold unescaped.
_PLAIN = re.compile(r"[\w-]", re.ASCII)


@dataclass(frozen=True, slots=True)
class Selector:
    """A selector with what it rests on."""

    css: str
    #: "name", "id", "class", "tag" or "root".
    anchor: str
    #: Steps by which the anchor stands above the element.
    steps: int = 0
    #: Positions among siblings that it counts on.
    positions: int = 0


@lru_cache(maxsize=4096)
def escape(name: str) -> str:
    r"""Return a name as a CSS identifier.

    >>> escape("md:flex"), escape("2col"), escape("标题")
    ('md\\:flex', '\\32 col', '标题')
    """
    if not name:
        return name
    escaped = "".join(
        char if _PLAIN.match(char) or char >= "\u0080" else f"\\{char}" for char in name
    )
    if name[0].isdigit() and name[0].isascii():
        return f"\\{ord(name[0]):x} {escaped[1:]}"
    if name[0] == "-" and (len(name) == 1 or name[1].isdigit()):
        return f"\\{escaped}"
    return escaped


def quoted(value: str) -> str:
    r"""Return a value as a CSS string.

    >>> quoted('say "x"')
    '"say \\"x\\""'
    """
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\a ") + '"'


def classes(element: Element) -> list[str]:
    """Return an element's class names that other pages may share."""
    names = (element.attributes.get("class") or "").split()
    return [name for name in names if not _NUMBERED.search(name)][:_MAX_CLASSES]


def marks(element: Element) -> list[Selector]:
    """Return the selectors that name an element by its own attributes, the most telling first."""
    return list(dict.fromkeys(_marks(element)))


def selectors(element: Element, *, many: bool = False) -> list[Selector]:
    """Return selectors for an element; with `many` also those that name others like it."""
    found: dict[str, Selector] = {}
    own = marks(element)
    steps: list[tuple[str, str]] = []
    for height, ancestor in enumerate(islice(element.ancestors(), _MAX_ANCHORS)):
        names = own if height == 0 else marks(ancestor)[:_ANCESTOR_MARKS]
        chains = list(_chains(steps, many=many))
        for mark in names:
            for chain in chains:
                css = " > ".join((mark.css, *chain))
                if css not in found:
                    found[css] = Selector(css, mark.anchor, height, css.count(":nth"))
        if height > 0 and ancestor.depth > 1 and names and names[0].anchor != "tag":
            for css in _descendants(names[0].css, element.tag, own):
                found.setdefault(css, Selector(css, names[0].anchor, height))
        steps.insert(0, _step(ancestor))
    whole = _from_root(element)
    for css in (whole, *(_dropping(whole) if many else ())):
        found.setdefault(css, Selector(css, "root", element.depth, css.count(":nth")))
    return list(found.values())


def _marks(element: Element) -> Iterator[Selector]:
    tag = element.tag
    for name in _NAMING:
        value = element.attributes.get(name)
        if value and not _NUMBERED.search(value):
            yield Selector(f"{tag}[{name}={quoted(value)}]", "name")
    own_id = element.attributes.get("id")
    if own_id and not _NUMBERED.search(own_id):
        yield Selector(f"{tag}#{escape(own_id)}", "id")
    names = classes(element)
    if names:
        yield Selector(tag + "".join(f".{escape(name)}" for name in names), "class")
    if len(names) > 1:
        for name in names:
            yield Selector(f"{tag}.{escape(name)}", "class")
    if tag in _RARE_TAGS:
        yield Selector(tag, "tag")


def _step(element: Element) -> tuple[str, str]:
    """Return an element's step below its parent, with and without its position."""
    tag = element.tag
    if element.same == 1:
        return tag, tag
    return f"{tag}:nth-of-type({element.nth})", tag


def _chains(steps: list[tuple[str, str]], *, many: bool) -> Iterator[list[str]]:
    exact = [step for step, _ in steps]
    yield exact
    if many:
        for at, (step, tag) in enumerate(steps):
            if step != tag and at >= len(steps) - _OPEN_STEPS:
                yield [*exact[:at], tag, *exact[at + 1 :]]
        yield [tag for _, tag in steps]


def _descendants(above: str, tag: str, own: list[Selector]) -> Iterator[str]:
    """Yield `ancestor element`, whatever stands between them."""
    if own:
        yield f"{above} {own[0].css}"
    yield f"{above} {tag}"


def _from_root(element: Element) -> str:
    return " > ".join(reversed([_step(each)[0] for each in element.ancestors()]))


def _dropping(css: str) -> Iterator[str]:
    """Yield a selector without one of its positions."""
    for match in list(re.finditer(r":nth-of-type\(\d+\)", css))[-_OPEN_STEPS:]:
        yield css[: match.start()] + css[match.end() :]
