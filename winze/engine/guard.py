"""What keeps a crawl from endless and double pages: one guard that the crawl loop asks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field

from winze.engine.missing_pages import PROBES, MissingPages
from winze.engine.site import Site
from winze.frontier.queue import Candidate
from winze.frontier.traps import EndlessPlaces, Gain
from winze.model import ErrorCode, Kind, Page, Status, Visit
from winze.store.crawldb import NewUrl
from winze.text.novelty import Novelty, hashes
from winze.text.simhash import SimhashIndex, Sketch, signed, sketch
from winze.urls.equivalence import Equivalence
from winze.urls.families import Families, names_date

#: Share of new words from which on a page says something new. The name of a month or of the filters
#: that are chosen is less of a page; on four real sites 70 % to all of a family's pages have more.
NEW_SHARE = 0.2

#: New shingles that a page must have, too, if its URL is a date: the name of another month makes
#: some eight, an article nearly all of the 32 that are drawn.
_NEW_ON_DATES = 16

#: Links of a page that are looked at; lists are seldom longer.
_LINKS_LOOKED_AT = 200

#: Signatures that are remembered, so that equal pages are known; about 170 bytes each.
_SIGNATURES = 200_000


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the guard says of a visit."""

    #: The story as it is to be written; GONE and SOFT_404 where the page only says "not found".
    story: Visit
    #: Signed 64 bits, for the column page.simhash; None for short texts and for what is no page.
    simhash: int | None = None
    #: The same text was seen under another URL.
    duplicate: bool = False
    #: Nearly the same text was seen under another URL.
    near_duplicate: bool = False


@dataclass(slots=True)
class GuardReport:
    """What the guard has done so far."""

    #: URL shapes that are capped as endless, with the pages each had.
    traps: dict[str, int] = field(default_factory=dict)
    duplicates: int = 0
    near_duplicates: int = 0
    soft_404: int = 0
    #: Path shapes and the parameters that were learned to be idle there.
    idle: dict[str, tuple[str, ...]] = field(default_factory=dict)


class Guard:
    """One a crawl. How the crawl loop uses it:

        url = guard.canonical(clean(link.url))        # in admission, before key(url): learned idle
                                                      # parameters are gone; most often the same str
        ...
        candidate = order.pop(busy)
        if (known := guard.alias_of(candidate.url)) is not None:
            # waited since before the parameter was learned: admit Link(known) (waits if new),
            # close this row (EXCLUDED, alias_of=key(known)); no fetch
        elif (error := guard.refuses(candidate.url)) is not ErrorCode.OK:    # TRAP
            # close this row (EXCLUDED, error); no fetch
        ...
        new = admission.admit(...)
        ruling = guard.settle(candidate, story, new)  # once a visit, also of redirects and errors
        story = ruling.story                          # may have become GONE, SOFT_404
        if (probe := guard.probe_for(story)) is not None:
            # fetch it politely, out of turn, no row:  guard.probed(probe, page)
        ...
        writer: model table, name "guard": guard.to_bytes(); Guard.from_bytes(site, data) on resume

    Pure: no clock, no network. `probes` made-up URLs are asked of a host at the most; 0 is none.
    """

    def __init__(self, site: Site, *, probes: int = PROBES) -> None:
        self.site = site
        self._families = Families()
        self._places = EndlessPlaces()
        self._equivalence = Equivalence(self._families)
        self._missing = MissingPages(probes)
        self._novelty = Novelty()
        self._near = SimhashIndex()
        self._signatures: dict[str, int] = {}
        self._has_parameters = False
        self._duplicates = self._near_duplicates = self._soft_404 = 0

    @property
    def report(self) -> GuardReport:
        """What the guard has counted in this run, and what it knows, earlier runs included."""
        return GuardReport(
            self._places.traps(),
            self._duplicates,
            self._near_duplicates,
            self._soft_404,
            {place: tuple(names) for place, names in self._equivalence.idle().items()},
        )

    def canonical(self, url: str) -> str:
        """Return the URL without the parameters that were learned to be idle."""
        return self._equivalence.canonical(url)

    def alias_of(self, url: str) -> str | None:
        """Return the URL that stands for this one by what was learned; None if it is itself."""
        other = self._equivalence.canonical(url)
        return None if other == url else other

    def refuses(self, url: str) -> ErrorCode:
        """Return TRAP for a URL of an endless place, else OK. A target's form buys patience."""
        family = self._families.of(url)
        if not self._places.is_trap(family):
            return ErrorCode.OK
        looks_good = self.site.is_target_url(url) is True
        return (
            ErrorCode.TRAP if self._places.is_trap(family, looks_good=looks_good) else ErrorCode.OK
        )

    def settle(self, candidate: Candidate, story: Visit, new: Sequence[NewUrl]) -> Ruling:
        """Count what a visited page gained, with the rows its links got, and learn from it."""
        story = self._missing.judge(story, is_start=not candidate.parent and not candidate.depth)
        page = story.page
        self._soft_404 += page.error is ErrorCode.SOFT_404
        family = self._families.of(candidate.url)
        if page.status is not Status.FETCHED:
            self._count(family, story, new, Gain.NOTHING)
            return Ruling(story)
        self._learn_idle(candidate.url, story)
        duplicate, repeated = self._known(story)
        drawn = sketch(page.text)
        near = not duplicate and drawn.simhash is not None and self._near.add(drawn.simhash)
        if story.record is None and (repeated or story.evidence.url_match):
            self._missing.suspect(page)
        self._duplicates += duplicate
        self._near_duplicates += near
        self._count(family, story, new, self._gain(family, story, drawn, duplicate=duplicate))
        mark = None if drawn.simhash is None else signed(drawn.simhash)
        return Ruling(story, mark, duplicate, near)

    def probe_for(self, story: Visit) -> str | None:
        """Return a made-up URL to ask for, once a host and first directory that is suspicious."""
        return self._missing.probe_for(story.page)

    def probed(self, url: str, page: Page) -> list[str]:
        """Remember the answer to a made-up URL; return visited URLs that gave the same one."""
        late = self._missing.probed(url, page)
        self._soft_404 += len(late)
        return late

    def to_bytes(self) -> bytes:
        """Return what was learned, as JSON."""
        state = {
            "version": 1,
            "folded": self._families.folded(),
            "traps": self._places.state(),
            "idle": self._equivalence.idle(),
            "missing": self._missing.state(),
        }
        return json.dumps(state, ensure_ascii=False).encode()

    @classmethod
    def from_bytes(cls, site: Site, data: bytes, *, probes: int = PROBES) -> Guard:
        """Return a guard that goes on from an earlier run. Raises ValueError for other bytes."""
        state = json.loads(data)
        if state.get("version") != 1:
            raise ValueError("not a guard's state of version 1")
        guard = cls(site, probes=probes)
        guard._families = Families(state["folded"])
        guard._places.restore(state["traps"])
        guard._equivalence = Equivalence(guard._families, state["idle"])
        guard._missing.restore(state["missing"])
        return guard

    def _known(self, story: Visit) -> tuple[bool, bool]:
        """Was the page's text seen before, and was it with the same links? It is remembered.

        Lists often differ in their links only; one link in the middle tells them apart.
        """
        signature, links = story.page.signature, story.links
        if not story.page.text:
            return False, False
        mark = hash(links[len(links) // 2].url) if links else 0
        earlier = self._signatures.get(signature)
        if earlier is not None:
            return True, earlier == mark
        self._signatures[signature] = mark
        if len(self._signatures) > _SIGNATURES:
            del self._signatures[next(iter(self._signatures))]
        return False, False

    def _learn_idle(self, url: str, story: Visit) -> None:
        """Compare the page with others of its path, from the first URL with parameters on."""
        self._has_parameters = self._has_parameters or "?" in url or ";" in url
        if self._has_parameters and story.page.text:
            self._equivalence.note(url, _content(story))

    def _gain(self, family: str, story: Visit, drawn: Sketch, *, duplicate: bool) -> Gain:
        """Return what a page was good for by itself."""
        if story.kind is Kind.TARGET:
            return Gain.GOOD
        is_dated = names_date(story.request.url)
        if not duplicate and self._says_new(drawn, family, is_dated=is_dated):
            return Gain.NEW
        anchors = sketch(" ".join(link.anchor for link in story.links))
        if self._says_new(anchors, f"{family} anchors", is_dated=is_dated):
            return Gain.NEW
        is_thin = bool(story.page.text) and not duplicate and not is_dated
        return max(
            self._gain_of_known(family, story),
            Gain.THIN if is_thin else Gain.NOTHING,
            key=_RANKS.index,
        )

    def _says_new(self, drawn: Sketch, family: str, *, is_dated: bool) -> bool:
        share = self._novelty.share(drawn.shingles, family)
        least = _NEW_ON_DATES if is_dated else 0
        return share >= NEW_SHARE and share * len(drawn.shingles) >= least

    def _gain_of_known(self, family: str, story: Visit) -> Gain:
        """Return what the links are worth to which no page of the family led before.

        A list of products is good even if each of them was found elsewhere first.
        """
        worth: dict[Gain, list[str]] = {Gain.GOOD: [], Gain.THIN: []}
        for link in story.links[:_LINKS_LOOKED_AT]:
            gain = self._places.gain_of_link(self._families.of(link.url), on=family)
            if gain in worth:
                worth[gain].append(link.url)
        for gain, urls in worth.items():
            if self._novelty.share(hashes(urls), f"{family} links"):
                return gain
        return Gain.NOTHING

    def _count(self, family: str, story: Visit, new: Sequence[NewUrl], gain: Gain) -> None:
        """Count a page: what it was good for by itself or by its links, whichever is more."""
        found = [self._families.of(row.link.url) for row in new if row.status is Status.DISCOVERED]
        for other in found:
            self._places.found(other, on=family)
        if story.page.status in (Status.FETCH_ERROR, Status.EXCLUDED):
            return
        by_links = {self._places.gain_of_link(other, on=family) for other in found}
        self._places.fetched(family, max(by_links | {gain}, key=_RANKS.index))


#: From the least to the most.
_RANKS = (Gain.NOTHING, Gain.THIN, Gain.OPEN, Gain.NEW, Gain.GOOD)


def _content(story: Visit) -> int:
    """Return one number for all that a page shows: text, and links without their parameters."""
    links = tuple((one.anchor, one.url.partition("?")[0].partition(";")[0]) for one in story.links)
    return hash((story.page.signature, links))
