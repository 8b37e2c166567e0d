"""Pages as the papers' crawlers read them; fetched once, parsed once, shared by all runs."""

from __future__ import annotations

from dataclasses import dataclass

from winze.model import ErrorCode, Fetcher, Link, Request, Status
from winze.parse.links import find_links
from winze.parse.page import read_page
from winze.urls.canonical import clean, key
from winze.urls.files import is_file
from winze.urls.scope import Scope

#: Redirects that a page may take.
MAX_HOPS = 5


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What a paper's crawler knows of a downloaded page."""

    url: str
    links: tuple[Link, ...]
    #: Title and text outside links.
    text: str
    #: Requests that it took: redirects count, what robots.txt forbids is never asked.
    requests: int = 1
    #: False for a dead link, a file, a forbidden page.
    alive: bool = True


class Library:
    """Reads pages through a fetcher; a page that was read before costs no time, but counts."""

    def __init__(self, fetch: Fetcher, scope: Scope) -> None:
        self._fetch = fetch
        self._scope = scope
        self._pages: dict[bytes, ReadPage] = {}

    async def page(self, url: str) -> ReadPage:
        """Return the page of a URL, redirects followed."""
        identity = key(url)
        if identity not in self._pages:
            self._pages[identity] = await self._read(url)
        return self._pages[identity]

    async def _read(self, url: str) -> ReadPage:
        for requests in range(1, MAX_HOPS + 1):
            page, tree = read_page(await self._fetch(Request(url)))
            if page.status is Status.REDIRECTED:
                url = page.location
                continue
            if tree is None:
                asked = requests - (page.error is ErrorCode.ROBOTS_DENIED)
                return ReadPage(clean(url), (), "", asked, alive=False)
            found = find_links(tree, page.url, encoding=page.encoding or "utf-8")
            links = tuple(link for link in found if self._is_page(link.url))
            return ReadPage(clean(page.url), links, f"{page.title} {page.text}", requests)
        return ReadPage(clean(url), (), "", MAX_HOPS, alive=False)

    def _is_page(self, url: str) -> bool:
        return self._scope.admits(url) and not is_file(url)
