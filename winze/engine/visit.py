"""One URL, the whole story: fetch it, read it, judge it, find its links, extract its record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from winze.engine.plugged import extras, joined
from winze.engine.site import Site
from winze.engine.ways import ways_on
from winze.extract.typed import Reading, typed_fields
from winze.extract.wrapper import Value, apply
from winze.frontier.weight import page_weight
from winze.model import (
    ErrorCode,
    Evidence,
    Fetcher,
    Kind,
    Link,
    Page,
    Record,
    Request,
    Response,
    Status,
    Verdict,
    Visit,
)
from winze.parse.html import Tree
from winze.parse.link_lists import listed_links
from winze.parse.metadata import metadata
from winze.parse.page import open_page, with_text


async def visit(request: Request, site: Site, fetch: Fetcher) -> Visit:
    """Fetch one URL and tell its whole story; a bad page is a story too, never an exception."""
    return examine(request, await fetch(request), site)


def examine(request: Request, response: Response, site: Site) -> Visit:
    """Tell the story of a response that is here already."""
    listed = listed_links(response)
    if listed is not None:
        return _tell_list(request, response, listed, site)
    page, tree = open_page(response)
    if tree is None:
        return Visit(request, page, weight=request.parent_weight + 1, response=response)
    story = tell(request, page, tree, site, body=response.body, at=response.fetched_at)
    return replace(story, response=response)


def tell(request: Request, page: Page, tree: Tree, site: Site, *, body: bytes, at: float) -> Visit:
    """Judge a page with this body, fetched at this time, find its links, extract its record.

    A page without its text gets it here, and that is the last look at its tree.
    """
    links = ways_on(page, tree, body, site, depth=request.depth)
    if site.heeds_wishes and not (site.may_waive and request.depth == 0):
        links = () if page.nofollow else links
        if page.noindex:
            page = replace(page, status=Status.EXCLUDED, error=ErrorCode.ROBOTS_DENIED)
            return Visit(request, page, links=links, weight=request.parent_weight + 1)
    evidence = look(page, tree, site)
    found = extract(page, tree, site, at=at) if _may_be_target(evidence, site) else None
    if not page.signature:
        is_read_on = found is not None and site.extractors
        page = with_text(page, tree.text_outside_links() if is_read_on else tree.last_text())
    evidence = replace(
        evidence,
        keywords=site.keywords.holds(f"{page.title} {page.text}") if site.keywords else None,
        text_length=len(page.text),
    )
    record = found if found is not None and _is_target(evidence, found, site) else None
    leads = _leads(links, site)
    weight = page_weight(
        request.parent_weight,
        on_topic=record is not None or evidence.keywords is True,
        links_to_target=leads,
    )
    kind = Kind.TARGET if record is not None else Kind.SOURCE if leads else Kind.OTHER
    verdict = _verdict(evidence, is_target=record is not None)
    if record is not None:
        page, record = with_extras(page, record, tree, site)
    return Visit(request, page, kind, verdict, links, record, weight, evidence)


def _tell_list(request: Request, response: Response, links: tuple[Link, ...], site: Site) -> Visit:
    """Tell of a feed or a sitemap: its text is what it says of its entries."""
    text = "\n".join(filter(None, (link.anchor for link in links)))
    page = Page(response.url, Status.FETCHED, http_status=response.http_status)
    leads = _leads(links, site)
    weight = page_weight(request.parent_weight, on_topic=False, links_to_target=leads)
    kind = Kind.SOURCE if leads else Kind.OTHER
    return Visit(
        request, with_text(page, text), kind, links=links, weight=weight, response=response
    )


def _leads(links: Sequence[Link], site: Site) -> bool:
    return any(site.is_target_url(link.url) for link in links)


def look(page: Page, tree: Tree, site: Site) -> Evidence:
    """Look at a page's address and template; its text is judged afterwards."""
    url_match = site.is_target_url(page.url)
    is_open = site.verifier is not None and (url_match is True or not site.by_url)
    return Evidence(
        similarity=site.verifier.similarity(tree.tag_paths())
        if is_open and site.verifier
        else -1.0,
        url_match=url_match,
        scripts=len(tree.elements("script")),
    )


def extract(page: Page, tree: Tree, site: Site, *, at: float) -> Record:
    """Return a page's record; its reason says what a good one lacks.

    Abnormal is a record without a required field, without most of its fields, or with a value that
    does not fit its field's type. `at` is when the page was fetched.
    """
    fields = raw_fields(tree, site)
    missing = [name for name in site.required if not fields.get(name)]
    if not missing and site.wrapper is not None:
        absent = [name for name, value in fields.items() if not value]
        missing = absent if 2 * len(absent) > len(fields) else []
    reasons = [f"{', '.join(missing)}: missing"] if missing else []
    if site.wrapper is None:
        return Record(page.url, fields, "; ".join(reasons))
    types = site.wrapper.types()
    typed, misfits = typed_fields(types, fields, Reading(page.url, at, page.language))
    reasons += [f"{name}: no {types[name]}" for name in misfits]
    return Record(page.url, fields, "; ".join(reasons), typed)


def raw_fields(tree: Tree, site: Site) -> dict[str, Value]:
    """Return what the wrapper gives on a page, or what the page says of itself."""
    return apply(site.wrapper, tree) if site.wrapper is not None else dict(metadata(tree))


def with_extras(page: Page, record: Record, tree: Tree, site: Site) -> tuple[Page, Record]:
    """Return a target's record with the fields of plug-ins, and the page with its error code."""
    error = ErrorCode.VALIDATE_ERROR if record.reason else page.error
    if site.extractors:
        added = extras(site.extractors, page, tree)
        record = joined(record, added)
        error = ErrorCode.OTHER_ERROR if added.fault else error
    return page if error is page.error else replace(page, error=error), record


def _may_be_target(evidence: Evidence, site: Site) -> bool:
    """May a page be a target by its address and template?"""
    if site.by_url:
        return evidence.url_match is True
    if site.verifier is None:
        # Nothing but keywords or a wrapper written by hand tells a target.
        return not site.targets and (site.keywords is not None or site.wrapper is not None)
    return _is_similar(evidence, site)


def _is_target(evidence: Evidence, record: Record, site: Site) -> bool:
    """A target has the examples' template or gives a whole record; where pages decide, something.

    A page of the right form that gives half a record is one, too: it goes to quarantine.
    """
    if evidence.keywords is False:
        return False
    if site.by_url:
        return _is_similar(evidence, site) or not record.reason
    if site.verifier is None:
        return not record.reason
    return site.wrapper is None or any(record.fields.values())


def _is_similar(evidence: Evidence, site: Site) -> bool:
    return site.verifier is None or evidence.similarity >= site.verifier.threshold


def _verdict(evidence: Evidence, *, is_target: bool) -> Verdict:
    if is_target:
        return Verdict.RELEVANT
    return Verdict.IRRELEVANT if evidence.keywords is False else Verdict.NOT_JUDGED
