"""Which visited pages only say "not found": a suspicious host is asked for what it cannot have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import TypedDict

from winze.judge.missing import (
    Answer,
    Likeness,
    answer_of,
    first_directory,
    hints_missing,
    likeness,
    made_up,
    says_missing,
)
from winze.model import ErrorCode, Page, Status, Visit
from winze.urls.canonical import host_of

#: Made-up URLs that a host is asked for at the most.
PROBES = 8

#: Pages of a host that are known to be there, which no "not found" may be like.
_REAL_PAGES = 16

#: Visited pages of a host that are kept until the answers are there: the first, and suspects.
_EARLY_PAGES, _SUSPECTS = 16, 64


class MissingState(TypedDict):
    """What a later run needs to know, as JSON values."""

    #: First directory to the answer; None where a missing page is owned up to.
    answers: dict[str, dict[str, str | int | None] | None]


class MissingPages:
    """The remembered answers of all hosts, by first directory; a host's root speaks for the rest.

    A host is asked when a page without a record apologises, is another page once more, or has a
    target's URL: most hosts own up to what is missing, and each request is one that
    its owner did not ask for. What the page itself turns out to be, `probed` tells.

    An answer that is like a page which is surely there (a start page, a target) is not used: such
    a site answers everything alike.
    """

    def __init__(self, probes: int = PROBES) -> None:
        self._probes = probes
        self._answers: dict[str, Answer | None] = {}
        #: Made-up URL to its directory, while the answer is awaited.
        self._asked: dict[str, str] = {}
        self._probed: Counter[str] = Counter()
        self._real: dict[str, list[Answer]] = {}
        #: Pages of a directory that were unlike and nearly like its answer.
        self._unlike: Counter[str] = Counter()
        self._like: Counter[str] = Counter()
        #: First directories that are worth a made-up URL.
        self._suspected: set[str] = set()
        self._early: dict[str, list[tuple[str, Answer]]] = {}

    def judge(self, story: Visit, *, is_start: bool) -> Visit:
        """Return the story, GONE and SOFT_404 if its page says what a made-up URL's said."""
        page = story.page
        if not self._probes or not says_missing(page):
            return story
        answer = self._answer(page.url)
        is_real = is_start or story.record is not None
        if is_start:
            self._note_real(page.url, answer_of(page))
            return story
        if answer is None:
            self._unlike[first_directory(page.url)] += 1
            self._remember(story, is_real=is_real)
            if not is_real and hints_missing(page):
                self.suspect(page)
            return story
        said = answer_of(page)
        if not self._is_missing(page.url, likeness(answer, said), is_real=is_real):
            if is_real:
                self._note_real(page.url, said)
            return story
        gone = replace(page, status=Status.GONE, error=ErrorCode.SOFT_404)
        return replace(story, page=gone)

    def suspect(self, page: Page) -> None:
        """Let the page's directory be asked for a made-up URL; keep what the page said."""
        directory = first_directory(page.url)
        if not self._probes or directory in self._answers or not says_missing(page):
            return
        self._suspected.add(directory)
        early = self._early.setdefault(host_of(page.url), [])
        if len(early) < _EARLY_PAGES + _SUSPECTS and all(url != page.url for url, _ in early):
            early.append((page.url, answer_of(page)))

    def probe_for(self, page: Page) -> str | None:
        """Return the made-up URL to ask for now that this page was seen, if there is one."""
        if not self._probes or not says_missing(page):
            return None
        directory = first_directory(page.url)
        if directory not in self._suspected:
            return None
        self._suspected.discard(directory)
        host = host_of(page.url)
        if self._probed[host] >= self._probes:
            return None
        url = made_up(page.url)
        if url in self._asked:
            return None
        self._asked[url] = directory
        self._probed[host] += 1
        return url

    def probed(self, url: str, page: Page) -> list[str]:
        """Remember the answer to a made-up URL; return visited URLs that gave the same one."""
        directory = self._asked.pop(url, first_directory(url))
        host = host_of(url)
        early = [
            pair for pair in self._early.get(host, []) if first_directory(pair[0]) == directory
        ]
        if not says_missing(page):
            self._answers[directory] = None
            return []
        said = answer_of(page)
        likes_real = any(likeness(said, real) for real in self._real.get(host, []))
        self._answers[directory] = None if likes_real else said
        if likes_real:
            return []
        told = {
            one: likeness(said, seen) for one, seen in early if first_directory(one) == directory
        }
        return [one for one, like in told.items() if self._is_told(directory, like)]

    def state(self) -> MissingState:
        """Return what a later run needs to know."""
        told = {one: asdict(said) if said else None for one, said in self._answers.items()}
        return {"answers": told}

    def restore(self, state: MissingState) -> None:
        """Go on from an earlier run."""
        for directory, told in state["answers"].items():
            self._answers[directory] = _answer(told) if told else None
            self._probed[host_of(directory)] += 1

    def _is_missing(self, url: str, like: Likeness, *, is_real: bool) -> bool:
        directory = first_directory(url)
        self._unlike[directory] += like is Likeness.NONE
        self._like[directory] += like is Likeness.NEARLY
        return self._is_told(directory, like) and (like is Likeness.SAME or not is_real)

    def _is_told(self, directory: str, like: Likeness) -> bool:
        """Is a page missing that is so like the answer?

        One that is only nearly like it is where most pages are unlike it: a site that makes up a
        page for whatever is asked, as of tags, is nearly like its answers.
        """
        is_rare = self._unlike[directory] > self._like[directory]
        return like is Likeness.SAME or (like is Likeness.NEARLY and is_rare)

    def _answer(self, url: str) -> Answer | None:
        directory = first_directory(url)
        if directory in self._answers:
            return self._answers[directory]
        return self._answers.get("/".join(directory.split("/")[:3]) + "/")

    def _remember(self, story: Visit, *, is_real: bool) -> None:
        """Keep a page's answer while that of the made-up URL is not known."""
        page = story.page
        host = host_of(page.url)
        early = self._early.setdefault(host, [])
        if is_real and len(self._real.get(host, [])) < _REAL_PAGES:
            self._note_real(page.url, answer_of(page))
        elif not is_real and len(early) < _EARLY_PAGES:
            early.append((page.url, answer_of(page)))

    def _note_real(self, url: str, said: Answer) -> None:
        """Remember a page that is there, and give up the answers that are like it."""
        host = host_of(url)
        real = self._real.setdefault(host, [])
        if len(real) < _REAL_PAGES:
            real.append(said)
        for directory, answer in self._answers.items():
            if answer is not None and host_of(directory) == host and likeness(answer, said):
                self._answers[directory] = None


def _answer(told: Mapping[str, str | int | None]) -> Answer:
    mark = told["simhash"]
    number = None if mark is None else int(mark)
    return Answer(str(told["title"]), str(told["signature"]), str(told["bare"]), number)
