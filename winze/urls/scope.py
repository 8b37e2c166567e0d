"""Which URLs belong to a crawl."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from winze.urls.canonical import canonicalize, host_of

if TYPE_CHECKING:
    from tldextract import TLDExtract


class Reach(StrEnum):
    """How far from its start and example pages a crawl may go."""

    #: The same hosts; www and scheme do not matter.
    HOST = "host"
    #: The same registered domains (public suffix list), all their hosts.
    DOMAIN = "domain"
    #: At or below the given URLs' paths.
    PREFIX = "prefix"
    ANY = "any"


@dataclass(frozen=True, slots=True)
class Scope:
    """A decision, frozen and picklable: `scope.admits(url)`.

    >>> scope = Scope.around(["http://www.shop.example/start"], reach="host")
    >>> scope.admits("https://shop.example/p/1"), scope.admits("http://blog.shop.example/")
    (True, False)
    """

    reach: Reach = Reach.ANY
    #: Hosts, registered domains or canonical URLs, by reach.
    roots: frozenset[str] = frozenset()

    @classmethod
    def around(cls, urls: Iterable[str], *, reach: str = "host") -> Scope:
        """Return the scope that the start and example URLs span.

        Raises ValueError for an unknown reach or a URL that is not absolute http(s).
        """
        chosen = Reach(reach)
        return cls(chosen, frozenset(_root(url, chosen) for url in urls))

    def admits(self, url: str) -> bool:
        """Does this absolute http(s) URL belong to the crawl?"""
        if self.reach is Reach.ANY:
            return True
        if self.reach is Reach.PREFIX:
            page = canonicalize(url)
            return any(_at_or_below(page, root) for root in self.roots)
        return _root(url, self.reach) in self.roots


def _root(url: str, reach: Reach) -> str:
    if reach is Reach.PREFIX:
        return _directory(canonicalize(url))
    host = _folded_host(host_of(url))
    return registered_domain(host) if reach is Reach.DOMAIN else host


@lru_cache(maxsize=4096)
def _folded_host(host: str) -> str:
    return host_of(canonicalize(f"http://{host}/"))


@lru_cache(maxsize=4096)
def registered_domain(host: str) -> str:
    """Return the domain that someone registered for this host; an address stands for itself.

    >>> registered_domain("news.shop.com.cn"), registered_domain("127.0.0.1:8000")
    ('shop.com.cn', '127.0.0.1:8000')
    """
    return _extractor()(host).top_domain_under_public_suffix or host


@lru_cache(maxsize=1)
def _extractor() -> TLDExtract:
    # Imported here: it brings a whole HTTP library, and few crawls reach beyond a host.
    from tldextract import TLDExtract  # noqa: PLC0415

    # Without URLs it uses the list that it ships and never goes online; without a cache it writes
    # no files. Private suffixes such as github.io hold a site each.
    return TLDExtract(suffix_list_urls=(), cache_dir=None, include_psl_private_domains=True)


def _directory(page: str) -> str:
    """Return the canonical URL below which a prefix scope lies: a file stands for its directory.

    >>> _directory("http://shop.example/docs/list.html"), _directory("http://shop.example/docs")
    ('http://shop.example/docs', 'http://shop.example/docs')
    """
    head, _, last = page.partition("?")[0].rpartition("/")
    return head if "." in last and head.count("/") > 2 else f"{head}/{last}".rstrip("/")


def _at_or_below(page: str, root: str) -> bool:
    return page == root or page.startswith((f"{root}/", f"{root}?"))
