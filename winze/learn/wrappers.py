"""Learn a wrapper from one or two pages on which a person pointed out the values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from winze.extract.page_view import PageView
from winze.extract.paths import Path
from winze.extract.value_types import type_of
from winze.extract.wrapper import Field, Template, Value, Wrapper
from winze.learn.candidates import candidates
from winze.learn.election import elect_many, elect_single
from winze.learn.page_index import PageIndex, quick_fold
from winze.learn.second_opinion import MAX_PAGES, behaviour, reconsidered
from winze.learn.spots import spots
from winze.learn.trials import Told, Trial, try_many, try_single
from winze.parse.html import Tree

#: Values of a list that paths are looked for from: its ends and some between.
_VALUES_TRIED = 5


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
    names = dict.fromkeys(name for example in examples for name in example.values)
    fields = []
    for name in names:
        values = [example.values.get(name) for example in examples]
        told = [_told(page, v) for page, v in zip(pages, values, strict=True) if v is not None]
        many = any(isinstance(v, list) for v in values)
        field = _learn_field(name, told, others, many=many)
        varies = len({each.folded for each in told}) > 1
        fields.append(reconsidered(field, others, varies=varies))
    return Wrapper((Template("page", tuple(fields)),))


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
    found: dict[Path, Trial] = {}
    for each in told:
        for value in _tried(each.raw):
            for spot in spots(each.page, value, many=many):
                for candidate in candidates(each.page, spot, many=many):
                    if candidate.path not in found:
                        tried = try_many if many else try_single
                        found[candidate.path] = tried(candidate, told)
    return [trial for trial in found.values() if trial.score > 0]


def _tried(values: Sequence[str]) -> list[str]:
    if len(values) <= _VALUES_TRIED:
        return list(values)
    last = len(values) - 1
    return [values[round(n * last / (_VALUES_TRIED - 1))] for n in range(_VALUES_TRIED)]
