"""Our own link filter and extractor; both are examples for others', too."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from winze.model import Page
from winze.parse.html import Tree
from winze.parse.metadata import metadata
from winze.plugins.points import Fields, Options

#: Folders and name of a path that a filter without options lets through.
MOST_PARTS = 8


@dataclass(frozen=True, slots=True)
class PathLength:
    """Lets URLs through whose path has no more than so many parts.

    >>> PathLength(2)("https://shop.example/goods/7"), PathLength(2)("https://shop.example/a/b/c")
    (True, False)
    """

    most: int = MOST_PARTS

    def __call__(self, url: str, /) -> bool:
        """Is the path short enough?"""
        return len([part for part in urlsplit(url).path.split("/") if part]) <= self.most


def path_length(options: Options) -> PathLength:
    """Make `link_filter.path_length`; its option: `most`, parts of a path."""
    most = options.get("most", MOST_PARTS)
    if not isinstance(most, int) or most < 0 or options.keys() - {"most"}:
        raise ValueError("its one option is a number of path parts, such as { most = 5 }")
    return PathLength(most)


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Adds what a page says of itself: its title, description, image and date."""

    fields: tuple[str, ...] = ("title", "description", "image", "date")

    def __call__(self, page: Page, tree: Tree, /) -> Fields:
        """Return what the page's head and heading say."""
        return metadata(tree)


def own_words(options: Options) -> OwnWords:
    """Make `extract.metadata`; it has no options."""
    if options:
        raise ValueError("it has no options: write {}")
    return OwnWords()
