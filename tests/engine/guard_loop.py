"""The least crawl loop that asks the guard everything, breadth first, over any fetcher."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from winze.engine.admission import Admission, From
from winze.engine.guard import Guard
from winze.engine.site import Site
from winze.engine.visit import examine
from winze.frontier.queue import Candidate
from winze.model import ErrorCode, Link, Request, Response, Status, Visit
from winze.store.crawldb import NewUrl
from winze.urls.canonical import key


@dataclass
class Trip:
    """What a crawl did."""

    guard: Guard
    #: URLs in the order in which they were asked for, made-up ones apart.
    asked: list[str] = field(default_factory=list)
    made_up: list[str] = field(default_factory=list)
    stories: list[Visit] = field(default_factory=list)
    #: URLs that turned out to be missing when the answer to a made-up one was there.
    late: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    #: Most URLs that waited at one time.
    waiting: int = 0
    #: Given up for a limit, not for want of URLs.
    was_stopped: bool = False


def travel(
    site: Site,
    start: str,
    answer: Callable[[str], Response],
    *,
    limit: int,
    guard: Guard | None = None,
) -> Trip:
    """Crawl from a start link until nothing is left or the limit is reached."""
    trip = Trip(guard or Guard(site))
    admission = Admission()
    queue: deque[Candidate] = deque()

    def admit(links: list[Link], origin: From) -> list[NewUrl]:
        named = [Link(trip.guard.canonical(one.url), one.anchor, one.tag_path) for one in links]
        new = admission.admit(named, origin, site)
        queue.extend(
            Candidate(row.link.url, row.host, row.depth, origin.url, anchor=row.link.anchor)
            for row in new
            if row.status is Status.DISCOVERED
        )
        return new

    admit([Link(start)], From())
    while queue:
        trip.waiting = max(trip.waiting, len(queue))
        if len(trip.asked) >= limit:
            trip.was_stopped = True
            break
        candidate = queue.popleft()
        known = trip.guard.alias_of(candidate.url)
        if known is not None:
            admit([Link(known)], From(b"", candidate.parent, candidate.depth - 1))
            continue
        if trip.guard.refuses(candidate.url) is not ErrorCode.OK:
            trip.refused.append(candidate.url)
            continue
        _visit(trip, candidate, answer, admit)
    return trip


def _visit(trip, candidate, answer, admit):
    trip.asked.append(candidate.url)
    story = examine(Request(candidate.url, candidate.depth), answer(candidate.url), trip.guard.site)
    links = [Link(story.page.location)] if story.page.location else list(story.links)
    new = admit(links, From(key(candidate.url), candidate.url, candidate.depth))
    story = trip.guard.settle(candidate, story, new).story
    trip.stories.append(story)
    probe = trip.guard.probe_for(story)
    if probe is not None:
        trip.made_up.append(probe)
        page = examine(Request(probe), answer(probe), trip.guard.site).page
        trip.late += trip.guard.probed(probe, page)
