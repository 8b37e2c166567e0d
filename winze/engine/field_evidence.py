"""Why a field's value is read where it is: each path's record on the kept pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from winze.engine.pinned import PinnedPage
from winze.errors import UsageError
from winze.extract.page_view import PageView
from winze.extract.paths import Path
from winze.extract.wrapper import Field, Value, Wrapper, field_value, first_value

#: Characters of a value that are shown.
_LENGTH = 60


@dataclass(frozen=True, slots=True)
class PathEvidence:
    """A path, and on how many kept pages it alone gives what it must."""

    path: Path
    right: int
    #: Pages on which it gives something else, and on which nothing.
    wrong: int
    silent: int
    #: The first value that it gives.
    sample: str


@dataclass(frozen=True, slots=True)
class FieldEvidence:
    """A field of one template, its paths in the order of learned.json."""

    template: str
    field: Field
    pages: int
    #: On how many kept pages all paths together give what they must.
    right: int
    paths: tuple[PathEvidence, ...]


def evidence_of(name: str, wrapper: Wrapper, pages: Sequence[PinnedPage]) -> list[FieldEvidence]:
    """Return what speaks for each path of a field, in each template that has it.

    Raises UsageError for a field that no template has. Rows of a container are not looked into.
    """
    found = [
        (template, field)
        for template in wrapper.templates
        for field in template.fields
        if field.name == name
    ]
    if not found:
        names = ", ".join(wrapper.field_names()) or "none"
        raise UsageError(f"{name!r} is no field of learned.json: it has {names}")
    return [
        _evidence(template.id, field, pages if template.container is None else ())
        for template, field in found
    ]


def _evidence(template: str, field: Field, pages: Sequence[PinnedPage]) -> FieldEvidence:
    views = [PageView(page.tree) for page in pages]
    expected = [page.fields.get(field.name) for page in pages]
    voted = [field_value(field, view) for view in views]
    right = sum(map(_same, voted, expected))
    paths = tuple(_of_path(field, path, views, expected) for path in field.paths)
    return FieldEvidence(template, field, len(pages), right, paths)


def _of_path(
    field: Field, path: Path, views: Sequence[PageView], expected: Sequence[Value]
) -> PathEvidence:
    given = [list(path.values(v)) if field.many else first_value(path, v) for v in views]
    right = silent = 0
    for values, true in zip(given, expected, strict=True):
        found: Value = values if field.many else next(iter(values), None)
        right += _same(found, true)
        silent += not values and bool(true)
    sample = next((values[0] for values in given if values), "")
    return PathEvidence(path, right, len(views) - right - silent, silent, sample[:_LENGTH])


def _same(one: Value, other: Value) -> bool:
    return (one or None) == (other or None)
