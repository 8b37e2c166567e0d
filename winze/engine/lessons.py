"""What the pages of a pre-crawl teach: pure steps between the survey's fetches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from winze.engine.examples import Sample
from winze.engine.site import Site
from winze.engine.visit import examine, extract
from winze.errors import NothingFoundError
from winze.extract.wrapper import Value
from winze.judge.verifier import TagPaths, Verifier, learn_verifier
from winze.learn.proposal import propose_examples
from winze.learn.url_filters import Observation, UrlFilters, same_form
from winze.learned import HostRules
from winze.model import Kind, Response, Visit
from winze.parse.html import Tree
from winze.parse.page import read_page
from winze.store.crawldb import StoredUrl
from winze.urls.canonical import clean, host_of
from winze.urls.patterns import Pattern


@dataclass(frozen=True, slots=True)
class Seen:
    """A page of the pre-crawl, read from the archive."""

    row: StoredUrl
    response: Response
    tag_paths: TagPaths
    visit: Visit


def urls_of(samples: Sequence[Sample]) -> list[str]:
    """Return where the samples lie, as the URL table writes it."""
    return [clean(sample.page.url) for sample in samples]


def observation(visit: Visit, examples: Sequence[str] = ()) -> Observation:
    """Return what URL filters are learned from."""
    url = visit.request.url
    is_target = visit.kind is Kind.TARGET or url in examples
    return Observation(url, is_target, tuple(link.url for link in visit.links), visit.weight)


def first_verifier(samples: Sequence[Sample], starts: Sequence[Tree]) -> Verifier | None:
    """Return the verifier that the examples and the start pages teach; None without examples."""
    examples = [sample.tree.tag_paths() for sample in samples if sample.tree is not None]
    return learn_verifier(examples, [tree.tag_paths() for tree in starts]) if examples else None


def refined(
    site: Site, samples: Sequence[Sample], seen: Sequence[Seen], known: Sequence[str]
) -> Site:
    """Return the site with the verifier that the whole pre-crawl teaches."""
    kin = same_form(known, urls_of(samples))
    examples = [sample.tree.tag_paths() for sample in samples if sample.tree is not None]
    verifier = learn_verifier(
        examples,
        [one.tag_paths for one in seen if one.row.url not in kin],
        [one.tag_paths for one in seen if one.row.url in kin],
    )
    return replace(site, verifier=verifier)


def sharpened(seen: Sequence[Seen], site: Site) -> list[Visit]:
    """Return the visits as the refined site tells them."""
    requests = [(one.visit.request, one.response) for one in seen]
    return [examine(request, response, site) for request, response in requests]


def proposed(seen: Sequence[Seen], start: Sample) -> list[Sample]:
    """Return example pages for a plan that names none."""
    observations = [
        replace(observation(one.visit), is_target=one.visit.evidence.keywords is not False)
        for one in seen
    ]
    entry = next((one for one in seen if one.row.url == clean(start.page.url)), None)
    chosen = propose_examples(observations, len(entry.visit.links) if entry else 0)
    if not chosen:
        raise NothingFoundError(
            f"{start.asked}: {len(seen)} pages were read and none looks like a target page:"
            " name two examples in the plan"
        )
    by_url = {one.row.url: one.response for one in seen}
    samples = []
    for url in chosen:
        page, tree = read_page(by_url[url])
        samples.append(Sample(url, by_url[url], page, tree))
    return samples


def fields_of(sample: Sample, site: Site) -> dict[str, Value]:
    """Return what the site's wrapper gives on a sample."""
    assert sample.tree is not None
    at = sample.response.fetched_at
    return dict(extract(sample.page, sample.tree, site, at=at).fields)


def host_rules(filters: UrlFilters, site: Site, examples: Sequence[str]) -> tuple[HostRules, ...]:
    """Return the rules of each host that the examples and patterns name."""
    hosts = dict.fromkeys(host_of(url) for url in examples)
    assert site.verifier is not None
    return tuple(
        HostRules(
            host,
            _of_host(filters.targets, host),
            _of_host(filters.directories, host),
            filters.decided_by,
            filters.weight_threshold,
            site.verifier.threshold,
            tuple(url for url in examples if host_of(url) == host),
        )
        for host in hosts
    )


def _of_host(patterns: Sequence[Pattern], host: str) -> tuple[Pattern, ...]:
    """Return the patterns whose samples lie on a host, or name none."""
    return tuple(
        pattern
        for pattern in patterns
        if not pattern.samples or any(host_of(url) == host for url in pattern.samples)
    )
