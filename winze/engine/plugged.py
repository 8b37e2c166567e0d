"""The plan's plug-ins, made and held so that none can end a crawl by an error of its own."""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TypeVar, cast

from winze.errors import PlanError, WinzeError
from winze.model import ErrorCode, Fetcher, Page, Record, Request, Response
from winze.parse.html import Tree
from winze.plan import RESERVED_FIELDS, Plan
from winze.plugins.points import (
    Extractor,
    LinkFilter,
    MakeExtractor,
    MakeLinkFilter,
    Options,
    WrapFetch,
)
from winze.plugins.registry import PluginError, Point, fault_of, find

#: What a plug-in makes: a filter, an extractor, a fetcher.
Part = TypeVar("Part")

_log = logging.getLogger("winze.plugins")

#: Kinds of failure that were told already: a filter may fail at every link.
_told: set[tuple[str, type[Exception]]] = set()


@dataclass(frozen=True, slots=True)
class PluggedFilter:
    """A plug-in's link filter."""

    name: str
    keeps: LinkFilter

    def __call__(self, url: str) -> ErrorCode:
        """Return OK for a URL that may be fetched, FILTER_ERROR, or OTHER_ERROR if it fails."""
        try:
            return ErrorCode.OK if self.keeps(url) else ErrorCode.FILTER_ERROR
        except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
            _tell(self.name, error, url)
            return ErrorCode.OTHER_ERROR


@dataclass(frozen=True, slots=True)
class Extras:
    """What plug-ins add to a record; `fault` says which of them failed, and how."""

    fields: Mapping[str, str | list[str] | None] = field(default_factory=dict)
    fault: str = ""


@dataclass(frozen=True, slots=True)
class PluggedExtractor:
    """A plug-in's extractor."""

    name: str
    fields: tuple[str, ...]
    look: Extractor

    def __call__(self, page: Page, tree: Tree) -> Extras:
        """Return its fields, None for each if it fails."""
        try:
            found = self.look(page, tree)
            return Extras({name: _checked(name, found.get(name)) for name in self.fields})
        except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
            _tell(self.name, error, page.url)
            return Extras(dict.fromkeys(self.fields), f"{self.name}: {fault_of(error)}")


@dataclass(frozen=True, slots=True)
class PluggedFetcher:
    """A plug-in's fetcher."""

    name: str
    fetch: Fetcher

    async def __call__(self, request: Request) -> Response:
        """Fetch one URL; a failure of the plug-in is OTHER_ERROR, a WinzeError ends the crawl."""
        try:
            response = await self.fetch(request)
            # The row is that of the URL that was asked for, wherever the answer is from.
            return replace(response, url=request.url)
        except WinzeError:
            raise
        except Exception as error:  # noqa: BLE001 - a stranger's code may raise anything
            _tell(self.name, error, request.url)
            return Response(request.url, error=ErrorCode.OTHER_ERROR)


def extras(extractors: Sequence[PluggedExtractor], page: Page, tree: Tree) -> Extras:
    """Return what all extractors add to a page's record; the plan's first one wins."""
    found = [extractor(page, tree) for extractor in extractors]
    fields: dict[str, str | list[str] | None] = {}
    for one in found:
        fields = {**one.fields, **fields}
    return Extras(fields, "; ".join(one.fault for one in found if one.fault))


def joined(record: Record, added: Extras) -> Record:
    """Return a record with what plug-ins add; fields of its own win."""
    more = {name: value for name, value in added.fields.items() if name not in record.fields}
    reasons = filter(None, (record.reason, added.fault))
    return replace(record, fields={**record.fields, **more}, reason="; ".join(reasons))


def link_filters(plan: Plan) -> tuple[PluggedFilter, ...]:
    """Make the link filters that a plan names; raises PlanError for one that cannot be made."""
    return tuple(
        PluggedFilter(key, _picklable(plan, key, _made(plan, key, cast(MakeLinkFilter, make))))
        for key, make in _named(plan, Point.LINK_FILTER)
    )


def extractors(plan: Plan) -> tuple[PluggedExtractor, ...]:
    """Make the extractors that a plan names; raises PlanError for one that cannot be made."""
    found = []
    for key, make in _named(plan, Point.EXTRACT):
        look = _picklable(plan, key, _made(plan, key, cast(MakeExtractor, make)))
        found.append(PluggedExtractor(key, _field_names(plan, key, look), look))
    return tuple(found)


def wrapped(fetch: Fetcher, plan: Plan) -> Fetcher:
    """Return a fetcher within those that a plan names, its first one innermost.

    Raises PlanError for one that cannot be made.
    """
    for key, make in _named(plan, Point.FETCH):
        around = partial(cast(WrapFetch, make), fetch)
        fetch = PluggedFetcher(key, _made(plan, key, around))
    return fetch


def order_options(plan: Plan, name: str) -> Options:
    """Return the options that a plan has for an order."""
    return plan.plugins.get(f"{Point.SCORE}.{name}", {})


def _named(plan: Plan, point: Point) -> Iterator[tuple[str, Callable[..., object]]]:
    for key in plan.plugins:
        place, _, name = key.partition(".")
        if place == point:
            try:
                yield key, find(point, name).load()
            except PluginError as error:
                raise PlanError(f"{plan.path}: plugins: {error}") from error


def _made(plan: Plan, key: str, make: Callable[[Options], Part]) -> Part:
    try:
        return make(plan.plugins[key])
    except ValueError as error:
        raise PlanError(f"{plan.path}: plugins: {key}: {error}") from error
    except Exception as error:
        raise PlanError(
            f"{plan.path}: plugins: {key}: cannot be made with these options: {fault_of(error)}"
        ) from error


def _picklable(plan: Plan, key: str, part: Part) -> Part:
    try:
        pickle.dumps(part)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise PlanError(
            f"{plan.path}: plugins: {key}: cannot be pickled: its package must make it from a"
            " function or class of a module"
        ) from error
    return part


def _field_names(plan: Plan, key: str, look: Extractor) -> tuple[str, ...]:
    names = getattr(look, "fields", None)
    if not isinstance(names, Sequence) or isinstance(names, str) or not names:
        raise PlanError(f"{plan.path}: plugins: {key}: does not name its fields (points.Extractor)")
    if taken := sorted(RESERVED_FIELDS.intersection(names)):
        raise PlanError(f"{plan.path}: plugins: {key}: the column {taken[0]} is always there")
    return tuple(names)


def _checked(name: str, value: object) -> str | list[str] | None:
    """Return a field's value; raises TypeError for one that no record can hold."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    raise TypeError(f"field {name} is {type(value).__name__}, not a text or a list of texts")


def _tell(name: str, error: Exception, url: str) -> None:
    """Say once for each kind of failure what failed, and where."""
    if (name, type(error)) not in _told:
        _told.add((name, type(error)))
        _log.warning("plug-in %s failed at %s, and this may go on: %s", name, url, fault_of(error))
