"""Learn a wrapper from one or two pages on which a person pointed out the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winze.extract.page_view import PageView
from winze.extract.paths import Path
from winze.extract.value_types import type_of
from winze.extract.wrapper import Field, Template, Value, Wrapper, apply
from winze.learn.candidates import candidates
from winze.learn.election import elect_many, elect_single
from winze.learn.page_index import PageIndex, quick_fold
from winze.learn.records import Rows, find_rows
from winze.learn.second_opinion import MAX_PAGES, behaviour
from winze.learn.spots import spots
from winze.learn.trials import Told, Trial, try_many, try_single
from winze.parse.html import Tree
from winze.text.words import squeeze

#: Values of a list that paths are looked for from: its ends and some between.
_VALUES_TRIED = 5

#: Containers on a page from which a row's paths are learned.
_ROWS_TRIED = 4

#: Paths that give everything on every example, after which no other value is looked at.
_ENOUGH_FITTING = 25


@dataclass(frozen=True, slots=True)
class Example:
    """A page and the fields' values on it: None for not told, "" or [] for absent."""

    tree: Tree
    values: Mapping[str, Value]


def learn_wrapper(examples: Sequence[Example], unlabelled: Sequence[Tree] = ()) -> Wrapper:
    """Return the wrapper that gives the examples' values, with one template.

    A field whose values are found nowhere has no paths. `unlabelled` pages of the same kind tell
    good paths from lucky ones.
    """
    others = [PageView(tree) for tree in unlabelled[:MAX_PAGES]]
    pages = [PageIndex(example.tree) for example in examples]
    template = _row_template(pages, examples)
    in_rows = {field.name for field in template.fields} if template else set()
    names = dict.fromkeys(name for example in examples for name in example.values)
    fields = tuple(
        _page_field(name, pages, examples, others) for name in names if name not in in_rows
    )
    whole = (Template("page", fields),) if fields else ()
    return Wrapper((*whole, template) if template else whole)


def _page_field(
    name: str,
    pages: Sequence[PageIndex],
    examples: Sequence[Example],
    others: Sequence[PageView],
) -> Field:
    values = [example.values.get(name) for example in examples]
    told = [_told(page, v) for page, v in zip(pages, values, strict=True) if v is not None]
    many = any(isinstance(value, list) for value in values)
    return _learn_field(name, told, others, many=many)


def _row_template(pages: Sequence[PageIndex], examples: Sequence[Example]) -> Template | None:
    """Return the template of the rows within the pages, if several lists share a container."""
    for page, example in zip(pages, examples, strict=True):
        lists = {name: v for name, v in example.values.items() if isinstance(v, list)}
        rows = find_rows(page, lists)
        template = _learn_rows(rows) if rows else None
        if template and all(_gives_rows(template, each) for each in examples):
            return template
    return None


def _learn_rows(rows: Rows) -> Template:
    """Return a template learned from containers as if each were a page."""
    shown = [Example(row.tree, row.values) for row in rows.rows[:_ROWS_TRIED]]
    pages = [PageIndex(example.tree) for example in shown]
    fields = (_page_field(name, pages, shown, ()) for name in rows.rows[0].values)
    return Template("rows", tuple(fields), rows.container)


def _gives_rows(template: Template, example: Example) -> bool:
    """Does a template give the lists that an example tells?"""
    record = apply(template, example.tree)
    return all(
        [value for value in record[field.name] or () if value] == [squeeze(v) for v in told]
        for field in template.fields
        if isinstance(told := example.values.get(field.name), list)
    )


def _told(page: PageIndex, value: str | list[str]) -> Told:
    raw = tuple(each for each in ([value] if isinstance(value, str) else value) if each.strip())
    return Told(page, raw, tuple(map(quick_fold, raw)))


def _learn_field(
    name: str, told: Sequence[Told], others: Sequence[PageView], *, many: bool
) -> Field:
    kind = type_of(value for each in told for value in each.raw)
    trials = _trials(name, told, many=many)
    elect = elect_many if many else elect_single
    paths = elect(name, trials, told, lambda trial: behaviour(trial, kind, others))
    return Field(name, tuple(paths), kind, many)


def _trials(name: str, told: Sequence[Told], *, many: bool) -> list[Trial]:
    """Return the tried paths to the values, from one value after the other until enough fit."""
    attempt = try_many if many else try_single
    found: dict[Path, Trial] = {}
    fitting = 0
    for each in told:
        for value in _tried(each.raw):
            if fitting >= _ENOUGH_FITTING:
                break
            for spot in spots(each.page, value, many=many):
                for candidate in candidates(each.page, spot, many=many):
                    if candidate.path not in found:
                        trial = found[candidate.path] = attempt(candidate, told)
                        fitting += trial.score == 1
    return [trial for trial in found.values() if trial.score > 0]


def _tried(values: Sequence[str]) -> list[str]:
    """Return the values of a list from which paths are looked for: its ends, then between."""
    if len(values) <= _VALUES_TRIED:
        return list(values)
    last = len(values) - 1
    return [values[at] for at in (0, last, last // 2, last // 4, 3 * last // 4)]
