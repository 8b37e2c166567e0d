"""One page on trial: what the plan, as it stands, gets from it; nothing is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace

from winze.engine.examples import Sample, check_examples, check_starts, fetch_sample, needs_browser
from winze.engine.job import saved_verifier
from winze.engine.network import Network
from winze.engine.rendering import ExampleLacks, SiteLacks
from winze.engine.site import Site, site_of
from winze.engine.visit import examine, extract
from winze.extract.wrapper import Wrapper
from winze.judge.verifier import learn_verifier
from winze.learn.wrappers import learn_wrapper
from winze.learned import Learned, load_learned, with_hand_paths
from winze.model import Fetcher, Record, Request, Visit
from winze.plan import Plan


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a page on trial."""

    visit: Visit
    site: Site
    #: What the fields give here, be it a target or not; None if there is no page.
    record: Record | None
    #: Was the site learned, or only the plan's examples looked at just now?
    by_learned: bool
    #: Is the page an empty frame that scripts would fill?
    needs_browser: bool = False


async def try_page(plan: Plan, url: str, network: Network) -> Trial:
    """Fetch a page, redirects followed, and judge it by learned.json, else by the examples.

    Raises PlanError or NothingFoundError when the examples cannot be learned from.
    """
    learned = load_learned(plan.learned_path)
    if learned is not None:
        site = site_of(plan, learned, saved_verifier(plan, learned))
        fetch = network.samples(SiteLacks(site))
    else:
        fetch = network.samples(ExampleLacks(plan))
        site = await site_of_examples(plan, fetch)
    sample = await fetch_sample(url, fetch)
    visit = examine(Request(sample.response.url), sample.response, site)
    if sample.tree is None:
        visit = replace(visit, page=sample.page)
    elif site.verifier is not None:
        # A crawl compares templates only where that decides; here it is to be seen.
        similarity = site.verifier.similarity(sample.tree.tag_paths())
        visit = replace(visit, evidence=replace(visit.evidence, similarity=similarity))
    empty = sample.tree is not None and needs_browser(sample.tree)
    return Trial(visit, site, _record(sample, site), learned is not None, empty)


async def site_of_examples(plan: Plan, fetch: Fetcher) -> Site:
    """Return the site as the plan's example pages alone teach it, without a pre-crawl."""
    if not plan.examples:
        select = Wrapper.from_json(dict(plan.select)) if plan.select else Wrapper()
        return site_of(plan, Learned(wrapper=select))
    samples = [await fetch_sample(url, fetch) for url in plan.examples]
    told = check_examples(plan, samples)
    starts = [await fetch_sample(url, fetch) for url in plan.starts()[:1]]
    check_starts(starts)
    wrapper = learn_wrapper(told) if plan.fields else Wrapper()
    if plan.select:
        wrapper = with_hand_paths(wrapper, Wrapper.from_json(dict(plan.select)))
    verifier = learn_verifier(
        [sample.tree.tag_paths() for sample in samples if sample.tree is not None],
        [start.tree.tag_paths() for start in starts if start.tree is not None],
    )
    always = [name for name, values in plan.fields.items() if all(values)]
    return site_of(plan, Learned(wrapper=wrapper, required=tuple(always[:1])), verifier)


def _record(sample: Sample, site: Site) -> Record | None:
    if sample.tree is None:
        return None
    return extract(sample.page, sample.tree, site, at=sample.response.fetched_at)
