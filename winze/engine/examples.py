"""The plan's example pages: fetched, and checked against the values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count

from winze.errors import NothingFoundError, PlanError, UsageError
from winze.extract.wrapper import Value
from winze.judge.verifier import jaccard
from winze.learn.values import find_value, nearest_text
from winze.learn.wrappers import Example
from winze.model import ErrorCode, Fetcher, Page, Request, Response, Status
from winze.parse.html import Tree
from winze.parse.page import read_page
from winze.plan import Plan

#: Redirects that an example page or a start link may take.
MAX_HOPS = 5

#: A page with fewer visible characters, and scripts, is drawn by a browser.
LEAST_TEXT = 200

#: Pairs of example pages must share so much of their tag paths (Jaccard).
LEAST_SHARED = 0.1


@dataclass(frozen=True, slots=True)
class Sample:
    """A page that was fetched to learn from."""

    #: As the plan writes it.
    asked: str
    #: The answer of the last hop; its URL is where the page lies.
    response: Response
    page: Page
    tree: Tree | None
    #: Requests that it took.
    hops: int = 1


async def fetch_sample(url: str, fetch: Fetcher) -> Sample:
    """Fetch a page, redirects followed."""
    asked = url
    for hops in range(1, MAX_HOPS + 2):
        response = await fetch(Request(url))
        page, tree = read_page(response)
        if page.status is not Status.REDIRECTED:
            return Sample(asked, response, page, tree, hops)
        url = page.location
    page = replace(page, status=Status.FETCH_ERROR, error=ErrorCode.REDIRECT_LOOP)
    return Sample(asked, response, page, None, hops)


def within(limit: int | None, fetch: Fetcher) -> Fetcher:
    """Return a fetcher that raises UsageError when it is asked for more pages than the limit."""
    asked = count(1)

    async def fetch_within(request: Request) -> Response:
        if limit is not None and next(asked) > limit:
            raise UsageError(
                f"page limit {limit}: the start and example pages alone are more:"
                " learning needs some 100 pages (--max-pages, limits.pages)"
            )
        return await fetch(request)

    return fetch_within


def check_examples(plan: Plan, samples: Sequence[Sample]) -> list[Example]:
    """Return the plan's examples to learn from.

    Raises PlanError for a page that gave nothing, a value that stands nowhere on its page, or
    pages that share nothing; NothingFoundError for pages that need a browser.
    """
    examples = []
    for number, sample in enumerate(samples):
        if sample.tree is None:
            raise PlanError(
                f"{plan.path}: examples[{number}]: {sample.asked} {_what_came(sample)}:"
                " open it in a browser and copy the address of a page that works"
            )
        values = plan.values_of(number)
        if needs_browser(sample.tree) and not _shows(sample.tree, values):
            raise NothingFoundError(f"{sample.asked}: {NEEDS_BROWSER}")
        _check_values(plan, sample, values)
        examples.append(Example(sample.tree, values))
    _check_alike(plan, samples)
    return examples


def check_starts(samples: Sequence[Sample]) -> None:
    """Raise NothingFoundError, saying what was seen, if no start link gives a page with text."""
    if any(sample.tree is not None and not needs_browser(sample.tree) for sample in samples):
        return
    if any(sample.tree is not None for sample in samples):
        raise NothingFoundError(f"{samples[0].asked}: {NEEDS_BROWSER}")
    said = "; ".join(f"{sample.asked} {_what_came(sample)}" for sample in samples[:3])
    raise NothingFoundError(
        f"no start link gives a page: {said}. Open it in a browser; if it works there, try another"
        " user_agent, a proxy or robots = false in the plan"
    )


#: What is said of a page without text.
NEEDS_BROWSER = (
    f"the page has fewer than {LEAST_TEXT} visible characters and scripts: it is drawn by"
    " JavaScript. Install a browser for it (pip install 'winze[browser]' and Chromium), or look"
    " for the site's own list, feed or sitemap without scripts and name that in start"
)


def needs_browser(tree: Tree) -> bool:
    """Is this page an empty frame that scripts would fill?"""
    return len(tree.text()) < LEAST_TEXT and bool(tree.select("script"))


def _texts(value: Value) -> list[str]:
    return list(filter(None, [value] if isinstance(value, str) else value or []))


def _shows(tree: Tree, values: dict[str, Value]) -> bool:
    """Does a page show all that the plan tells of it? Then it is short, not empty."""
    told = [text for value in values.values() for text in _texts(value)]
    return bool(told) and all(find_value(tree, text) for text in told)


def _check_values(plan: Plan, sample: Sample, values: dict[str, Value]) -> None:
    assert sample.tree is not None
    for name, value in values.items():
        for text in _texts(value):
            if not find_value(sample.tree, text):
                near = nearest_text(sample.tree, text)
                hint = f"the nearest text there is {near!r}" if near else "nothing there is like it"
                raise PlanError(
                    f"{plan.path}: fields.{name}: {text!r} stands nowhere on {sample.asked}:"
                    f" {hint}; copy the text from the page as it is shown"
                )


def _check_alike(plan: Plan, samples: Sequence[Sample]) -> None:
    for one, other in combinations(samples, 2):
        assert one.tree is not None
        assert other.tree is not None
        if jaccard(one.tree.tag_paths(), other.tree.tag_paths()) < LEAST_SHARED:
            raise PlanError(
                f"{plan.path}: examples: {one.asked} and {other.asked} share nothing of their"
                " layout: name two pages of the same kind"
            )


def _what_came(sample: Sample) -> str:
    page = sample.page
    if page.http_status and page.error is ErrorCode.OK:
        return f"answered {page.http_status} with an empty page"
    if page.http_status:
        return f"answered {page.http_status} ({page.error.name})"
    if page.error is ErrorCode.ROBOTS_DENIED:
        return "is forbidden by the site's robots.txt"
    if page.error is ErrorCode.HTTP_5XX:
        return "was not asked for, since the site's robots.txt answers 5xx (HTTP_5XX)"
    return f"gave no answer ({page.error.name})"
