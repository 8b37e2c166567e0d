"""The draft of a plan: look at the start page and the examples, and write down what was seen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import tomlkit
from tomlkit.items import Array

from winze.engine.examples import check_examples, check_starts, fetch_sample
from winze.errors import UsageError
from winze.learn.plan_draft import LinkGroup, field_values, link_groups, proposed_examples
from winze.model import Fetcher
from winze.parse.links import find_links
from winze.plan import Plan
from winze.urls.canonical import canonicalize, host_of
from winze.urls.scope import Scope

#: Link groups that a draft shows.
SHOWN_GROUPS = 6

#: What a folder's name does without.
_UNUSUAL = re.compile(r"[^\w.-]+")


@dataclass(frozen=True, slots=True)
class Draft:
    """What a first look at a site found."""

    start: str
    #: The start page's links, the likeliest target first.
    groups: tuple[LinkGroup, ...]
    #: As the user named them; empty if none were named.
    examples: tuple[str, ...]
    #: Pages that may do as examples.
    proposed: tuple[str, ...]
    #: Name to the value on each example page.
    fields: dict[str, list[str | list[str]]]


def draft_folder(url: str) -> Path:
    """Return the folder that a site's plan goes to unless the user names one: its host.

    >>> draft_folder("https://www.shop.example/a").name, draft_folder("http://shop:8080/").name
    ('shop.example', 'shop-8080')
    """
    return Path(_UNUSUAL.sub("-", host_of(canonicalize(url))).strip("-"))


def empty_plan(start: str, examples: Sequence[str], folder: Path | None = None) -> Plan:
    """Return the plan with which a site is looked at for the first time; it is not written yet.

    Raises UsageError for an address that is no absolute http(s) URL.
    """
    for url in (start, *examples):
        try:
            canonicalize(url)
        except ValueError as error:
            raise UsageError(
                f"{url!r} is not a web address: write it as 'https://host/path'"
            ) from error
    path = (draft_folder(start) if folder is None else folder) / "plan.toml"
    return Plan(path=path.absolute(), start=[start], examples=list(examples))


async def draft_plan(plan: Plan, fetch: Fetcher) -> Draft:
    """Look at the start link and the examples of an empty plan.

    Raises NothingFoundError when the start link gives no page with text, PlanError for examples
    that cannot be learned from.
    """
    start = await fetch_sample(plan.start[0], fetch)
    check_starts([start])
    samples = [await fetch_sample(url, fetch) for url in plan.examples]
    check_examples(plan, samples)
    assert start.tree is not None
    links = find_links(start.tree, start.page.url, encoding=start.page.encoding or "utf-8")
    scope = Scope.around([start.page.url, plan.start[0], *plan.examples])
    own = {canonicalize(url) for url in (start.page.url, plan.start[0])}
    groups = link_groups(
        link for link in links if scope.admits(link.url) and canonicalize(link.url) not in own
    )
    fields = field_values([sample.tree for sample in samples if sample.tree is not None])
    return Draft(
        plan.start[0],
        tuple(groups),
        tuple(plan.examples),
        tuple(proposed_examples(groups)),
        {name: values for name, values in fields.items() if _is_literal(values)},
    )


def as_toml(draft: Draft) -> str:
    """Return a commented plan.toml."""
    plan = tomlkit.document()
    _explain(plan, f"What to get from {host_of(draft.start)}. Every key that is not set here")
    _explain(plan, "has a default; a line that begins with # is a comment.")
    plan.add(tomlkit.nl())
    _explain(plan, "Where to begin.")
    plan.add("start", _array([draft.start]))
    plan.add(tomlkit.nl())
    _add_examples(plan, draft)
    plan.add(tomlkit.nl())
    _explain(plan, "Words that stand on every page you want: && (and), || (or), ! (not), ( ).")
    _explain(plan, 'keywords = "wine && (red || white)"')
    plan.add(tomlkit.nl())
    _explain(plan, 'How far to go: "host" (this one), "domain", "prefix" (below start), "any".')
    _explain(plan, 'scope = "host"')
    plan.add(tomlkit.nl())
    _explain(plan, "Seconds between two requests to a host, and pages at the most.")
    _explain(plan, "delay = 1.0")
    _explain(plan, "limits = { pages = 1000 }")
    plan.add(tomlkit.nl())
    _add_fields(plan, draft)
    return tomlkit.dumps(plan)


def _add_examples(plan: tomlkit.TOMLDocument, draft: Draft) -> None:
    _explain(plan, "Two pages of the kind that you want.")
    if draft.groups:
        _explain(plan, "Links on the start page, by the form of their URLs, likeliest first:")
    for group in draft.groups[:SHOWN_GROUPS]:
        _explain(plan, f"  {group.shape}  ({len(group.links)} links)")
        if group.texts():
            _explain(plan, f"    {' | '.join(group.texts())}")
    if draft.examples:
        plan.add("examples", _array(draft.examples))
    elif draft.proposed:
        _explain(plan, "If these two are such pages, take the # away; else name two others:")
        _explain(plan, f"examples = {_array(draft.proposed, lines=False).as_string()}")
    else:
        _explain(plan, 'examples = ["https://host/page/1", "https://host/page/2"]')


def _add_fields(plan: tomlkit.TOMLDocument, draft: Draft) -> None:
    _explain(plan, "The columns of the table: for each the text that you see on each example page,")
    _explain(plan, 'in the order of the examples. "" is absent there; several on a page are a')
    _explain(plan, 'list, such as reviews = [["Loved it", "Too long"], []].')
    if not draft.fields:
        _explain(plan, "Without any the table has what pages say of themselves: title, date, ...")
        _explain(plan, "[fields]")
        _explain(plan, 'price = ["£47.82", "£50.10"]')
        return
    fields = tomlkit.table()
    for name, values in draft.fields.items():
        fields.add(name, _array(values))
    plan.add("fields", fields)


def _explain(plan: tomlkit.TOMLDocument, line: str) -> None:
    """Add a comment; TOML allows no control characters in one."""
    plan.add(tomlkit.comment("".join(char for char in line if char.isprintable())))


def _array(values: Sequence[str | list[str]], *, lines: bool = True) -> Array:
    array = tomlkit.array()
    array.extend(values)
    return array.multiline(lines and sum(len(str(value)) for value in values) > 80)


def _is_literal(values: Sequence[str | list[str]]) -> bool:
    """A plan reads `${NAME}` as an environment variable: such a text cannot stand in it."""
    return not any("${" in str(value) for value in values)
