"""Why a URL was or was not fetched, and what came of it: read from the URL table and the plan."""

from __future__ import annotations

from dataclasses import dataclass

from winze.engine.job import saved_verifier
from winze.engine.site import Site, site_of
from winze.engine.workspace import SiteStore
from winze.learned import load_learned
from winze.model import ErrorCode, Status, Verdict
from winze.plan import Plan
from winze.store.crawldb import MAX_ATTEMPTS, StoredUrl
from winze.store.records import StoredRecord, record_of
from winze.urls.canonical import key
from winze.urls.files import is_file

#: Why a URL has no page and never will, for those of which the status alone says too little.
_REFUSED = {
    ErrorCode.ROBOTS_DENIED: "robots.txt forbids it (--ignore-robots, or robots = false)",
    ErrorCode.FILTER_ERROR: "the plan's filters (allow, deny) refuse it",
    ErrorCode.TRAP: "its form is endless: pages of it brought only more of it",
    ErrorCode.PRODUCT_EXISTS: "a parameter in it changes nothing, so another URL stands for it",
    ErrorCode.OUT_OF_SCOPE: "it is out of the plan's scope",
}


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that is known about a URL."""

    url: str
    #: One sentence: what became of it.
    why: str
    site: Site
    #: None: it is not in the URL table.
    row: StoredUrl | None = None
    #: The pages that led to it, from the start link; the page itself comes last.
    chain: tuple[StoredUrl, ...] = ()
    record: StoredRecord | None = None
    #: Where it redirects to, or the URL that stands for it, if that is known.
    target: StoredUrl | None = None


def explain(plan: Plan, store: SiteStore, url: str) -> Explanation:
    """Look up all about a URL. Raises ValueError for what is no absolute http(s) URL."""
    identity = key(url)
    learned = load_learned(plan.learned_path)
    site = site_of(plan, learned, saved_verifier(plan, learned) if learned is not None else None)
    with store.read() as connection:
        row = store.urls.find(connection, identity)
        if row is None:
            crawled = any(store.urls.keys(connection))
            return Explanation(url, why_unknown(url, site, crawled=crawled), site)
        chain = [row]
        seen = {row.key}
        while chain[0].parent and chain[0].parent not in seen:
            parent = store.urls.find(connection, chain[0].parent)
            if parent is None:
                break
            chain.insert(0, parent)
            seen.add(parent.key)
        stands_for_it = row.alias_of or (key(row.location) if row.location else None)
        target = store.urls.find(connection, stands_for_it) if stands_for_it else None
        record = record_of(connection, store.site_id, identity)
    return Explanation(url, why(row), site, row, tuple(chain), record, target)


def why(row: StoredUrl) -> str:
    """Return in one sentence what became of a URL."""
    error = row.error.name
    if row.status is Status.DISCOVERED:
        return "not fetched yet: it waits in the crawl queue"
    if row.status is Status.REDIRECTED:
        return f"fetched: it redirects to {row.location}"
    if row.status is Status.EXCLUDED:
        return f"not fetched: {_REFUSED.get(row.error, error)}"
    if row.status is Status.GONE:
        return f"fetched: there is no such page ({row.http_status or error})"
    if row.status is Status.FETCH_ERROR:
        answer = f"{error}, HTTP {row.http_status}" if row.http_status else f"{error}, no answer"
        spent = row.attempts >= MAX_ATTEMPTS
        return f"failed: {answer}; {'retries are spent' if spent else 'it will be tried again'}"
    return f"fetched: {_judged(row)}"


def why_unknown(url: str, site: Site, *, crawled: bool) -> str:
    """Return why a URL is not in the URL table."""
    if not site.scope.admits(url):
        return f"not fetched: it is out of scope ({_scope(site)})"
    if is_file(url):
        return "not fetched: its ending says that it is a file and no page"
    if not site.wants(url):
        return f"not fetched: {_REFUSED[ErrorCode.FILTER_ERROR]}"
    if not crawled:
        return "unknown: nothing was crawled yet"
    deep = "" if site.max_depth is None else f", or it lies deeper than {site.max_depth} clicks"
    return f"unknown: no page that was followed links to it{deep}"


def _judged(row: StoredUrl) -> str:
    return {
        Verdict.RELEVANT: "a target page",
        Verdict.IRRELEVANT: "off topic: the keywords do not hold",
        Verdict.UNCERTAIN: "the judges are not sure",
        Verdict.NOT_JUDGED: "no target page; its links were followed",
    }[row.verdict]


def _scope(site: Site) -> str:
    return f"{site.scope.reach}: {', '.join(sorted(site.scope.roots)[:3])}"
