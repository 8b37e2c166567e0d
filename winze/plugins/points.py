"""The five points, and what a plug-in must be at each.

An entry point names a function (or class) that makes the part from its options, once a run:

    fetch.NAME         WrapFetch        named in the plan
    link_filter.NAME   MakeLinkFilter   named in the plan
    extract.NAME       MakeExtractor    named in the plan
    score.NAME         engine.order.MakeOrder      taken by `--order NAME`
    sink.SUFFIX        store.export.MakeFormat     taken by `-o file.SUFFIX`

The last two stand beside the nouns that they make, Order and Format. Options are the table behind
the plug-in's name in the plan, empty if there is none. A maker that does not like its options
raises ValueError; the user sees the text as an error of the plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from winze.model import Fetcher, Page
from winze.parse.html import Tree

#: What stands behind a plug-in's name in the plan.
Options = Mapping[str, object]

#: What an extractor finds: field name to text, list of texts, or None for absent.
Fields = Mapping[str, str | list[str] | None]


class WrapFetch(Protocol):
    """Makes a fetcher around a fetcher: a cache, a mirror, a body that is rewritten.

    It stands between the crawl and the client, so robots.txt, pace and retries lie behind it. The
    plan's first one is the innermost. What it raises becomes OTHER_ERROR of that URL.
    """

    def __call__(self, fetch: Fetcher, options: Options) -> Fetcher:
        """Return the new fetcher; `fetch` is the one it may ask."""
        ...


class LinkFilter(Protocol):
    """Says of each new URL whether the crawl may fetch it, on top of the plan's filters.

    It must be picklable: a function or class of a module. What it raises keeps the URL out, with
    OTHER_ERROR.
    """

    def __call__(self, url: str, /) -> bool:
        """May this absolute URL be fetched?"""
        ...


class MakeLinkFilter(Protocol):
    """Makes a link filter."""

    def __call__(self, options: Options) -> LinkFilter:
        """Return the filter; raise ValueError for options that it cannot take."""
        ...


class Extractor(Protocol):
    """Adds fields to the record of each target page; fields of the plan win over its own.

    It must be picklable. The page has its text, the tree is whole and is nobody's afterwards. What
    it raises puts the record into quarantine, with the reason; `winze extract` mends it later.
    """

    @property
    def fields(self) -> Sequence[str]:
        """The names of its fields, for a table's head; what else it returns is left out."""
        ...

    def __call__(self, page: Page, tree: Tree, /) -> Fields:
        """Return what the page says."""
        ...


class MakeExtractor(Protocol):
    """Makes an extractor."""

    def __call__(self, options: Options) -> Extractor:
        """Return the extractor; raise ValueError for options that it cannot take."""
        ...
