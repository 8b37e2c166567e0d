"""All that is known about a site, as plain frozen values that can be sent anywhere."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from winze.engine.plugged import PluggedExtractor, PluggedFilter, extractors, link_filters
from winze.extract.wrapper import Wrapper
from winze.judge.keywords import Expression
from winze.judge.verifier import Verifier
from winze.learned import Learned
from winze.model import ErrorCode
from winze.plan import Plan
from winze.urls.canonical import folded_origin, origin_of
from winze.urls.patterns import Pattern, matches_any
from winze.urls.scope import Scope


@dataclass(frozen=True, slots=True)
class Site:
    """What `visit` and the crawl need to know: the plan and what was learned, made plain."""

    name: str
    scope: Scope
    #: Folded origin to the spelling that is asked: links may name a dead one (no www, http).
    origins: tuple[tuple[str, str], ...] = ()
    #: The user's own filters, regexes searched in the URL; no `allow` allows all.
    allow: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    max_depth: int | None = None
    #: Are the feeds followed that a start page names?
    reads_feeds: bool = False
    targets: tuple[Pattern, ...] = ()
    directories: tuple[Pattern, ...] = ()
    #: Does a URL's form tell a target? Else its page is looked at.
    by_url: bool = False
    weight_threshold: int = 1
    verifier: Verifier | None = None
    keywords: Expression | None = None
    #: None: records hold what pages say of themselves (parse.metadata).
    wrapper: Wrapper | None = None
    #: Fields without which a record goes to quarantine.
    required: tuple[str, ...] = ()
    #: Are noindex and nofollow obeyed, and if so, does a page that the plan names waive them?
    heeds_wishes: bool = True
    may_waive: bool = False
    #: The plan's plug-ins.
    link_filters: tuple[PluggedFilter, ...] = ()
    extractors: tuple[PluggedExtractor, ...] = ()

    def waiving(self) -> Site:
        """Return the site with noindex and nofollow waived, if the plan leaves that open."""
        return replace(self, heeds_wishes=False) if self.may_waive else self

    def spelled(self, url: str) -> str:
        """Return the URL at the origin that the plan's own pages use."""
        origin = origin_of(url)
        asked = dict(self.origins).get(folded_origin(origin), origin)
        respelled = asked != origin and url.startswith(origin)
        return asked + url[len(origin) :] if respelled else url

    def wants(self, url: str) -> bool:
        """Do the user's own filters let this URL in?"""
        return self.refusal(url) is ErrorCode.OK

    def refusal(self, url: str) -> ErrorCode:
        """Return why the user's own filters keep this URL out; OK if they let it in."""
        if any(_searched(pattern, url) for pattern in self.deny):
            return ErrorCode.FILTER_ERROR
        if self.allow and not any(_searched(pattern, url) for pattern in self.allow):
            return ErrorCode.FILTER_ERROR
        answers = (plugged(url) for plugged in self.link_filters)
        return next((one for one in answers if one is not ErrorCode.OK), ErrorCode.OK)

    def is_target_url(self, url: str) -> bool | None:
        """Does the URL have a target's form? None while no form is known."""
        return matches_any(self.targets, url) if self.targets else None


def site_of(plan: Plan, learned: Learned | None = None, verifier: Verifier | None = None) -> Site:
    """Make the plain values that a crawl of this plan works with."""
    rules = learned.rules if learned is not None else ()
    wrapper = learned.wrapper.with_types(plan.types) if learned is not None else None
    return Site(
        name=plan.name,
        scope=Scope.around([*plan.starts(), *plan.examples], reach=plan.scope),
        origins=spellings(
            [*(url for rule in rules for url in rule.examples), *plan.examples, *plan.starts()]
        ),
        allow=tuple(plan.filters.allow),
        deny=tuple(plan.filters.deny),
        max_depth=plan.limits.depth,
        reads_feeds=plan.sitemap,
        targets=tuple(pattern for rule in rules for pattern in rule.targets),
        directories=tuple(pattern for rule in rules for pattern in rule.directories),
        by_url=bool(rules) and all(rule.decided_by == "url" for rule in rules),
        weight_threshold=max((rule.weight_threshold for rule in rules), default=1),
        verifier=verifier,
        keywords=plan.expression,
        wrapper=wrapper if wrapper is not None and wrapper.templates else None,
        required=learned.required if learned is not None else (),
        heeds_wishes=plan.meta_robots != "ignore",
        may_waive=plan.meta_robots == "auto",
        link_filters=link_filters(plan),
        extractors=extractors(plan),
    )


def spellings(urls: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the origins that pages known to be there use, by folded origin; the first wins.

    >>> spellings(["https://www.shop.example/p", "http://shop.example/"])
    (('http://shop.example', 'https://www.shop.example'),)
    """
    found: dict[str, str] = {}
    for url in urls:
        origin = origin_of(url)
        found.setdefault(folded_origin(origin), origin)
    return tuple(found.items())


def column_names(plan: Plan, site: Site) -> Sequence[str]:
    """Return the table's columns: the plan's fields in their order, or the generic ones."""
    named: Collection[str] = dict.fromkeys([*plan.fields, *plan.select])
    extra = site.wrapper.field_names() if site.wrapper is not None else []
    own = [*named, *extra] or ["title", "description", "image", "date"]
    added = [name for plugged in site.extractors for name in plugged.fields]
    return list(dict.fromkeys([*own, *added]))


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _searched(pattern: str, url: str) -> bool:
    return _compiled(pattern).search(url) is not None
