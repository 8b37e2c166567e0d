"""Fields that a plan was given after its site was learned, learned from the archive."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from winze.engine.examples import MAX_HOPS, Sample, check_examples
from winze.engine.pinned import saved_examples
from winze.engine.survey import UNLABELLED_PAGES
from winze.engine.workspace import SiteStore
from winze.errors import PlanError
from winze.extract.wrapper import Template, Wrapper
from winze.learn.wrappers import learn_wrapper
from winze.learned import Learned, with_hand_paths
from winze.model import Kind, Page, Response, Status
from winze.parse.html import Tree
from winze.parse.page import read_page
from winze.plan import Plan
from winze.store import replay
from winze.urls.canonical import clean, key

#: Pages looked through, newest places first come, for some that give a second opinion.
_SEARCHED = 500


def with_new_fields(
    plan: Plan, learned: Learned, store: SiteStore
) -> tuple[Learned, tuple[str, ...]]:
    """Return what is learned and the plan's fields that it lacked; their names, too.

    What is there already stays as it is, edits by hand included. Raises PlanError when the example
    pages are not in the archive or do not show the new values.
    """
    known = set(learned.wrapper.field_names())
    told = [name for name in plan.fields if name not in known]
    by_hand = {name: css for name, css in plan.select.items() if name.split("#")[0] not in known}
    wrapper = learned.wrapper
    if told:
        wrapper = _with_fields(wrapper, _learn(plan, store), told)
    if by_hand:
        wrapper = with_hand_paths(wrapper, Wrapper.from_json(by_hand))
    names = dict.fromkeys([*told, *(name.split("#")[0] for name in by_hand)])
    return replace(learned, wrapper=wrapper), tuple(names)


def _learn(plan: Plan, store: SiteStore) -> Wrapper:
    """Learn all fields of the plan: rows of a list are known by the fields they share."""
    samples = [_sample(plan, store, number) for number in range(len(plan.examples))]
    examples = check_examples(plan, samples)
    named = {clean(sample.page.url) for sample in samples}
    return learn_wrapper(examples, list(_others(store, named)))


def _with_fields(wrapper: Wrapper, new: Wrapper, names: Collection[str]) -> Wrapper:
    """Return a wrapper with these fields of another, each in the template of the same name."""
    templates = {template.id: template for template in wrapper.templates}
    for template in new.templates:
        fields = tuple(field for field in template.fields if field.name in names)
        if not fields:
            continue
        own = templates.get(template.id)
        if own is None or own.container != template.container:
            own = Template(_free(template.id, templates), (), template.container)
        templates[own.id] = replace(own, fields=own.fields + fields)
    return Wrapper(tuple(templates.values()))


def _free(name: str, taken: Collection[str]) -> str:
    return name if name not in taken else _free(f"{name}-new", taken)


def _sample(plan: Plan, store: SiteStore, number: int) -> Sample:
    """Return an example page as it lies in the archive, or was saved when the site was learned."""
    url = plan.examples[number]
    found = _archived(store, url) or _saved(plan, url)
    if found is None:
        raise PlanError(
            f"{plan.path}: examples[{number}]: {url} is not in the archive: run winze learn"
        )
    return Sample(url, *found)


def _archived(store: SiteStore, url: str) -> tuple[Response, Page, Tree] | None:
    with store.read() as connection:
        for _ in range(MAX_HOPS):
            row = store.urls.find(connection, key(url))
            if row is None or row.status is not Status.REDIRECTED or not row.location:
                break
            url = row.location
    response = store.answer(url)
    return None if response is None else _read(response)


def _saved(plan: Plan, url: str) -> tuple[Response, Page, Tree] | None:
    for saved, tree in saved_examples(plan.folder):
        if key(saved) == key(url):
            html = (tree.parser.html or "").encode()
            headers = (("content-type", "text/html; charset=utf-8"),)
            return _read(Response(saved, 200, headers, html))
    return None


def _read(response: Response) -> tuple[Response, Page, Tree] | None:
    page, tree = read_page(response)
    return None if tree is None else (response, page, tree)


def _others(store: SiteStore, named: Collection[str]) -> Iterator[Tree]:
    """Yield trees of some target pages that are no examples."""
    with store.read() as connection:
        places = replay.places(connection, store.site_id, after=0, limit=_SEARCHED)
        rows = [(store.urls.find(connection, place.key), place) for place in places]
    chosen = [
        place
        for row, place in rows
        if row is not None and row.kind is Kind.TARGET and clean(row.url) not in named
    ]
    yield from _trees(store, chosen[:UNLABELLED_PAGES])


def _trees(store: SiteStore, places: Sequence[replay.Place]) -> Iterator[Tree]:
    for place in places:
        response = store.answer_at(place.span)
        found = None if response is None else _read(response)
        if found is not None:
            yield found[2]
