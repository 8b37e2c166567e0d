"""A site's wrapper: for each field the paths that lead to its value, and their vote on a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from winze.extract.page_view import PageView, subtree
from winze.extract.paths import Path, path_by_hand, path_from_json
from winze.extract.value_types import TEXT, TYPES, fits
from winze.parse.html import Tree
from winze.text.words import fold

#: The value of a field on one page; None: it is absent.
Value = str | list[str] | None

#: Where a sure path finds nothing, the others are believed from this share of its confidence on;
#: below they found a neighbour of the absent value. With every pair of pages as examples in turn
#: SWDE gives 0.976 / 0.974 / 0.972 at 0 / 0.75 / 0.9, recipes 0.911 / 0.912 / 0.912; their truth
#: has next to no absent values, so the price is seen there and the gain is not.
BELIEVED = 0.9

#: From this confidence on a path is sure: it was right on every example. One that was right on
#: some belongs to one of several layouts, and its silence says nothing.
SURE = 0.5

#: The n-th path of a family that says the same counts n to the power of minus this: they err
#: together (0, 0.5 and 1 tried: bench.fields).
ECHO = 0.5

#: A value of the wrong type counts this much (a price field's paths may agree on "Sold out").
MISFIT_VOTE = 0.3


@dataclass(frozen=True, slots=True)
class Field:
    """A column of the table."""

    name: str
    paths: tuple[Path, ...]
    type: str = TEXT
    #: Several values on a page: a list.
    many: bool = False
    #: What it gave on pages that were learned from, for people to read.
    samples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """The fields of one kind of page, or of each container on it."""

    id: str
    fields: tuple[Field, ...]
    #: Selector of the repeating element that holds one row each; None: the page is the row.
    container: str | None = None


@dataclass(frozen=True, slots=True)
class Wrapper:
    """All that is known about extracting a site's records."""

    templates: tuple[Template, ...] = ()

    def field_names(self) -> list[str]:
        """Return the columns, each once, in order."""
        return list(dict.fromkeys(f.name for t in self.templates for f in t.fields))

    def types(self) -> dict[str, str]:
        """Return the type of each field; of several templates the first decides."""
        found: dict[str, str] = {}
        for template in self.templates:
            for field in template.fields:
                found.setdefault(field.name, field.type)
        return found

    def with_types(self, types: Mapping[str, str]) -> Wrapper:
        """Return the wrapper with other types for these fields."""
        if not types:
            return self
        return Wrapper(
            tuple(
                replace(
                    template,
                    fields=tuple(
                        replace(field, type=types.get(field.name, field.type))
                        for field in template.fields
                    ),
                )
                for template in self.templates
            )
        )

    def to_json(self) -> list[dict[str, Any]]:
        """Return the value of "templates" in learned.json, version 1."""
        return [_template_to_json(template) for template in self.templates]

    @classmethod
    def from_json(cls, obj: object) -> Wrapper:
        """Read "templates" of learned.json, or P1's flat form `{"name#part": css}`.

        Raises ValueError, one line that names the key.

        >>> wrapper = Wrapper.from_json({"title": "h1", "cover#src": "img.cover"})
        >>> apply(wrapper, Tree('<h1>Sharp Objects</h1><img class=cover src=a.jpg>'))
        {'title': 'Sharp Objects', 'cover': 'a.jpg'}
        """
        if isinstance(obj, Mapping):
            return cls((_template_by_hand(obj),))
        if not isinstance(obj, list):
            raise ValueError(f"templates: must be a list, not {obj!r}")
        return cls(tuple(_template(each, f"templates[{n}]") for n, each in enumerate(obj)))


def apply(wrapper: Wrapper | Template, tree: Tree) -> dict[str, Value]:
    """Return the record of a page: every field of the wrapper, None (or []) where it is absent.

    Values are squeezed. A hand-written path that finds a value wins; the learned ones vote, each
    with its confidence. Of several templates the first that has a value for a field gives it. A
    template with a container gives lists with one entry a container, "" for absent ones.
    """
    templates = wrapper.templates if isinstance(wrapper, Wrapper) else (wrapper,)
    view = PageView(tree)
    record: dict[str, Value] = {}
    for template in templates:
        for field, value in _apply_template(template, view):
            if not record.get(field.name):
                record[field.name] = value
    return record


def _apply_template(template: Template, view: PageView) -> list[tuple[Field, Value]]:
    if template.container is None:
        return [(field, field_value(field, view)) for field in template.fields]
    rows = [PageView(subtree(node)) for node in view.select(template.container)]
    return [(field, [_one(field_value(field, row)) for row in rows]) for field in template.fields]


def _one(value: Value) -> str:
    return ", ".join(value) if isinstance(value, list) else value or ""


def field_value(field: Field, view: PageView) -> Value:
    """Return what a field's paths agree on, on one page."""
    for path in field.paths:
        if path.by == "hand" and (hits := list(path.values(view))):
            return hits if field.many else hits[0]
    learned = [path for path in field.paths if path.by != "hand"]
    if not field.many:
        hits = vote(field, learned, view)
        return hits[0] if hits else None
    values: dict[str, None] = {}
    for part in sorted({path.part for path in learned}):
        of_part = [path for path in learned if path.part == part]
        values.update(dict.fromkeys(vote(field, of_part, view)))
    return list(values)


def vote(field: Field, paths: Sequence[Path], view: PageView) -> list[str]:
    """Return the values that most confidence stands behind; empty for absent.

    A list is also supported by lists that nearly agree with it, by as much as they do.
    """
    found = {path: hits for path in paths if (hits := _found(field, path, view))}
    if not _believable(paths, found):
        return []
    votes: dict[tuple[str, ...], float] = {}
    spoken: dict[tuple[str, ...], list[str]] = {}
    heard: Counter[object] = Counter()
    for path in sorted(found, key=lambda path: path.confidence, reverse=True):
        key = tuple(fold(text) for text in found[path])
        spoken.setdefault(key, found[path])
        heard[key, path.family] += 1
        echo = heard[key, path.family] ** ECHO
        votes[key] = votes.get(key, 0.0) + _loudness(field, path, found[path]) / echo
    support = _agreeing(votes) if field.many else votes
    return spoken[max(support, key=lambda key: support[key])]


def _believable(paths: Sequence[Path], found: Mapping[Path, list[str]]) -> bool:
    """Is any path that finds something nearly as sure as the surest that finds nothing?"""
    silent = max((path.confidence for path in paths if path not in found), default=0.0)
    speaking = max((path.confidence for path in found), default=0.0)
    return bool(found) and (silent < SURE or speaking >= BELIEVED * silent)


def _agreeing(votes: Mapping[tuple[str, ...], float]) -> dict[tuple[str, ...], float]:
    """Return each list's votes with its share of the others', F1 of the two lists."""
    return {
        mine: sum(vote * _likeness(mine, other) for other, vote in votes.items()) for mine in votes
    }


def _likeness(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    if one == other:
        return 1.0
    return 2 * len(set(one) & set(other)) / (len(set(one)) + len(set(other)))


def _found(field: Field, path: Path, view: PageView) -> list[str]:
    """Return what a path gives; of a list only what has the field's type."""
    if not field.many:
        return first_value(path, view)
    found = list(path.values(view))
    return [text for text in found if fits(field.type, text)] or found


def first_value(path: Path, view: PageView) -> list[str]:
    """Return the first value of a path in a list, or the empty list."""
    return [value for value in [next(path.values(view), "")] if value]


def _loudness(field: Field, path: Path, found: list[str]) -> float:
    fitting = all(fits(field.type, text) for text in found)
    return path.confidence * (1.0 if fitting else MISFIT_VOTE)


def _template_to_json(template: Template) -> dict[str, Any]:
    return {
        "id": template.id,
        "container": template.container,
        "fields": {
            field.name: {
                "type": field.type,
                "many": field.many,
                "samples": list(field.samples),
                "paths": [path.to_json() for path in field.paths],
            }
            for field in template.fields
        },
    }


def _template_by_hand(flat: Mapping[Any, object]) -> Template:
    by_name: dict[str, list[Path]] = {}
    for key, css in flat.items():
        if not isinstance(key, str) or not isinstance(css, str):
            raise ValueError(f"templates.{key}: must be a CSS selector, not {css!r}")
        name, _, part = key.partition("#")
        by_name.setdefault(name, []).append(path_by_hand(css, part, f"templates.{key}"))
    return Template("hand", tuple(Field(name, tuple(paths)) for name, paths in by_name.items()))


def _template(obj: object, where: str) -> Template:
    if not isinstance(obj, Mapping):
        raise ValueError(f"{where}: must be an object, not {obj!r}")
    fields = obj.get("fields")
    if not isinstance(fields, Mapping):
        raise ValueError(f"{where}.fields: must be an object of fields, not {fields!r}")
    container = obj.get("container")
    if container is not None and not isinstance(container, str):
        raise ValueError(f"{where}.container: must be a CSS selector or null, not {container!r}")
    return Template(
        id=str(obj.get("id", where)),
        fields=tuple(
            _field(str(name), each, f"{where}.fields.{name}") for name, each in fields.items()
        ),
        container=container or None,
    )


def _field(name: str, obj: object, where: str) -> Field:
    if isinstance(obj, str):
        name, _, part = name.partition("#")
        return Field(name, (path_by_hand(obj, part, where),))
    if not isinstance(obj, Mapping):
        raise ValueError(f"{where}: must be an object or a CSS selector, not {obj!r}")
    kind = obj.get("type", TEXT)
    if kind not in TYPES:
        raise ValueError(f"{where}.type: must be one of {', '.join(TYPES)}, not {kind!r}")
    many = obj.get("many", False)
    if not isinstance(many, bool):
        raise ValueError(f"{where}.many: must be true or false, not {many!r}")
    paths = obj.get("paths", [])
    if not isinstance(paths, list):
        raise ValueError(f"{where}.paths: must be a list, not {paths!r}")
    read = (path_from_json(each, f"{where}.paths[{n}]") for n, each in enumerate(paths))
    samples = obj.get("samples", [])
    if not isinstance(samples, list):
        raise ValueError(f"{where}.samples: must be a list, not {samples!r}")
    return Field(name, tuple(read), str(kind), many, tuple(map(str, samples)))
