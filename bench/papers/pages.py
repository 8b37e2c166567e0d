"""Pages as the papers' crawlers read them; fetched once, parsed once, shared by all runs."""

from __future__ import annotations

from dataclasses import dataclass

from winze.model import Fetcher, Link, Request, Status
from winze.parse.links import find_links
from winze.parse.page import read_page
from winze.urls.canonical import clean, key
from winze.urls.files import is_file
from winze.urls.scope import Scope


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What a paper's crawler knows of a downloaded page."""

    url: str
    links: tuple[Link, ...]
    #: Title and text outside links.
    text: str
    #: Requests that it took: redirects count.
    requests: int = 1


class Library:
    """Reads pages through a fetcher; a page that was read before costs no time, but counts."""

    def __init__(self, fetch: Fetcher, scope: Scope) -> None:
        self._fetch = fetch
        self._scope = scope
        self._pages: dict[bytes, ReadPage | None] = {}

    async def page(self, url: str) -> ReadPage | None:
        """Return the page of a URL, redirects followed; None for a dead one."""
        identity = key(url)
        if identity not in self._pages:
            self._pages[identity] = await self._read(url)
        return self._pages[identity]

    async def _read(self, url: str) -> ReadPage | None:
        for requests in range(1, 6):
            page, tree = read_page(await self._fetch(Request(url)))
            if page.status is Status.REDIRECTED:
                url = page.location
                continue
            if tree is None:
                return None
            found = find_links(tree, page.url, encoding=page.encoding or "utf-8")
            links = tuple(link for link in found if self._is_page(link.url))
            return ReadPage(clean(page.url), links, f"{page.title} {page.text}", requests)
        return None

    def _is_page(self, url: str) -> bool:
        return self._scope.admits(url) and not is_file(url)
