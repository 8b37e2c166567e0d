"""Target and directory patterns from a pre-crawl, unless URLs cannot tell (design 6.1)."""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from winze.frontier.weight import weight_threshold
from winze.urls.clusters import Cluster, cluster
from winze.urls.patterns import Pattern, matches_any, pattern_of

#: Least share of targets among the URLs of a target pattern; below it is a catch-all.
LEAST_PRECISION = 0.8

#: Target patterns must cover this share of the verified targets, or pages decide.
LEAST_RECALL = 0.9

#: A form without an example needs so many verified targets to be a target pattern.
LEAST_TARGETS = 5

#: Before the audit the link model's estimate of a form counts this little: drawing is cheap, and
#: ends early where it misses.
WORTH_AN_AUDIT = 0.5

#: The audit draws so many URLs of a form, or fewer if so many misses are half of it.
MOST_DRAWN = 15
ENOUGH_MISSES = 3

#: Directory patterns that are kept (GWC paper, 3.1).
MOST_DIRECTORIES = 10


@dataclass(frozen=True, slots=True)
class Observation:
    """What the pre-crawl saw behind one URL."""

    url: str
    #: Verdict of verifier and keywords; an example page is a target.
    is_target: bool
    #: URLs that the page links to.
    links: Collection[str] = ()
    #: P1's weight of the page.
    weight: int = 0
    #: Drawn by `next_audit`, not chosen by the order of the crawl.
    drawn: bool = False


@dataclass(frozen=True, slots=True)
class UrlFilters:
    """What URLs tell about the pages behind them."""

    #: Empty where pages decide.
    targets: tuple[Pattern, ...]
    #: Best first: most links to targets a page, then the largest.
    directories: tuple[Pattern, ...]
    #: Does a URL's form tell a target, or must its page be looked at?
    decided_by: Literal["url", "page"]
    #: Links of pages from this weight on are not followed (P1).
    weight_threshold: int
    #: Estimated share of targets among the URLs of the examples' form, 0 to 1.
    precision: float = 0.0


@dataclass(slots=True)
class _Form:
    """A cluster of URLs and what the pre-crawl saw of it."""

    cluster: Cluster
    observed: list[Observation] = field(default_factory=list)
    holds_example: bool = False

    def targets(self) -> int:
        return sum(seen.is_target for seen in self.observed)

    def waiting(self) -> list[str]:
        """Return the members that were not fetched, in an order that favours none."""
        fetched = {seen.url for seen in self.observed}
        return sorted(
            (url for url in self.cluster.members if url not in fetched),
            key=lambda url: zlib.crc32(url.encode()),
        )

    def drawn(self) -> list[bool]:
        """Return the verdicts of the audit."""
        return [seen.is_target for seen in self.observed if seen.drawn]

    def precision(self, likelihoods: Mapping[str, float]) -> float:
        """Estimate the share of targets among all members, fetched or not.

        The pre-crawl fetches likely targets first, so its own share flatters the form: for what
        was not fetched the audit speaks, and before it the link model.
        """
        if not self.observed:
            return 0.0
        share = self.targets() / len(self.observed)
        waiting = self.waiting()
        if drawn := self.drawn():
            expected = len(waiting) * sum(drawn) / len(drawn)
        else:
            expected = sum(min(share, likelihoods.get(url, share)) for url in waiting)
        return (self.targets() + expected) / len(self.cluster.members)


def next_audit(
    observations: Sequence[Observation],
    known: Iterable[str],
    examples: Collection[str],
    *,
    likelihoods: Mapping[str, float] | None = None,
) -> str | None:
    """Return a URL of the examples' form to be fetched as a sample, or None when all is clear.

    Asked again and again at the end of the pre-crawl; its answers come back as observations with
    `drawn=True`. Nothing is drawn from a form that is known to be mixed, and the draw ends early
    when it shows that. On a form of targets it costs nothing: they are to be fetched anyway.
    """
    for form in _forms(observations, known, examples):
        drawn = form.drawn()
        misses = len(drawn) - sum(drawn)
        over = len(drawn) >= MOST_DRAWN or (misses >= ENOUGH_MISSES and 2 * misses >= len(drawn))
        in_question = bool(drawn) or form.precision(likelihoods or {}) >= WORTH_AN_AUDIT
        if form.holds_example and in_question and not over:
            for url in form.waiting()[:1]:
                return url
    return None


def same_form(urls: Iterable[str], examples: Collection[str]) -> frozenset[str]:
    """Return the URLs that have the form of an example: a verifier's `alike` pages.

    >>> sorted(same_form(["http://s.example/p/1", "http://s.example/"], ["http://s.example/p/2"]))
    ['http://s.example/p/1']
    """
    asked = set(urls)
    marks = set(examples)
    forms = [set(found.members) for found in cluster([*asked, *marks])]
    return frozenset(url for form in forms if form & marks for url in form & asked)


def learn_url_filters(
    observations: Sequence[Observation],
    known: Iterable[str],
    examples: Collection[str],
    *,
    likelihoods: Mapping[str, float] | None = None,
) -> UrlFilters:
    """Return the filters that a pre-crawl teaches.

    `known`: every URL seen so far, fetched or not. `likelihoods`: the link model's estimate, for
    URLs not fetched, that a target lies behind them (LinkModel.likelihoods); without it the
    fetched pages speak for the rest, which flatters a form whose targets were fetched first.

    A target pattern is the form of whole path parts that the examples share; a form in which
    fewer than four fifths are targets is given up, and pages decide.
    """
    forms = _forms(observations, known, examples)
    trusted = [form for form in forms if _is_target_form(form, likelihoods or {})]
    targets = tuple(pattern_of(form.cluster.members) for form in trusted)
    verified = [seen.url for seen in observations if seen.is_target]
    covered = sum(matches_any(targets, url) for url in verified)
    by_url = (
        bool(targets)
        and all(matches_any(targets, url) for url in examples)
        and covered >= LEAST_RECALL * len(verified)
    )
    marks = set(verified) | set(examples)
    others = [form for form in forms if form not in trusted] if by_url else forms
    return UrlFilters(
        targets=targets if by_url else (),
        directories=_directories(others, marks, targets if by_url else ()),
        decided_by="url" if by_url else "page",
        weight_threshold=weight_threshold([seen.weight for seen in observations]),
        precision=_precision([form for form in forms if form.holds_example], likelihoods or {}),
    )


def _precision(forms: Sequence[_Form], likelihoods: Mapping[str, float]) -> float:
    """Return the share of targets over all members of some forms."""
    members = sum(len(form.cluster.members) for form in forms)
    targets = sum(form.precision(likelihoods) * len(form.cluster.members) for form in forms)
    return targets / members if members else 0.0


def _forms(
    observations: Sequence[Observation], known: Iterable[str], examples: Collection[str]
) -> list[_Form]:
    urls = [*known, *(seen.url for seen in observations), *examples]
    forms = [_Form(found) for found in cluster(urls)]
    home = {url: form for form in forms for url in form.cluster.members}
    for seen in observations:
        home[seen.url].observed.append(seen)
    for url in examples:
        home[url].holds_example = True
    return forms


def _is_target_form(form: _Form, likelihoods: Mapping[str, float]) -> bool:
    if not form.holds_example and form.targets() < LEAST_TARGETS:
        return False
    return form.precision(likelihoods) >= LEAST_PRECISION


def _directories(
    forms: Sequence[_Form], marks: Collection[str], targets: Sequence[Pattern]
) -> tuple[Pattern, ...]:
    """Return the patterns of the forms whose pages lead to targets, then of the largest others."""
    target_urls: dict[str, bool] = {}

    def leads(url: str) -> bool:
        if url not in target_urls:
            target_urls[url] = url in marks or matches_any(targets, url)
        return target_urls[url]

    ranked: list[tuple[float, int, _Form]] = []
    for form in forms:
        pages = [seen for seen in form.observed if not seen.is_target]
        links = sum(leads(url) for seen in pages for url in set(seen.links))
        yield_ = links / len(pages) if pages else 0.0
        ranked.append((yield_, len(form.cluster.members), form))
    ranked.sort(key=lambda entry: entry[:2], reverse=True)
    return tuple(pattern_of(form.cluster.members) for _, _, form in ranked[:MOST_DIRECTORIES])
