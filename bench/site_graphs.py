"""Real sites as link graphs in memory, with the tasks that are set on them."""

from __future__ import annotations

import json
import lzma
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote

from winze.model import Link
from winze.parse.html import Tree
from winze.parse.links import find_links
from winze.urls.shapes import split_url

#: Files that are no pages; the crawl's scope leaves them out as well.
_FILES = frozenset(("jpg", "jpeg", "png", "gif", "webp", "svg", "ico", "css", "js", "zip", "pdf"))


@dataclass(frozen=True, slots=True)
class SitePage:
    """What the judges and the order need of a page."""

    url: str
    links: tuple[Link, ...]
    tag_paths: frozenset[str]
    text: str


@dataclass(frozen=True, slots=True)
class Task:
    """A set of pages to be found on a site, named by keywords and pairs of examples."""

    name: str
    keywords: tuple[str, ...]
    examples: tuple[tuple[str, ...], ...]
    targets: frozenset[str]


@dataclass(frozen=True, slots=True)
class Site:
    """A snapshot of a site."""

    name: str
    start: str
    #: Pages and dead links that can be reached from the start.
    reachable: int
    pages: dict[str, SitePage]
    tasks: tuple[Task, ...]

    def page(self, url: str) -> SitePage | None:
        """Return the page that the site's server gives for a URL; None for a dead one."""
        return self.pages.get(page_key(url))


def data_folder(given: str | None = None) -> Path:
    """Return the folder of test data: given, else WINZE_DATA, else beside the repository."""
    default = Path(__file__).parents[1] / "../shared/data"
    return Path(given or os.environ.get("WINZE_DATA") or default)


def page_key(url: str) -> str:
    """Return what the data's server tells pages by: escapes decoded, one slash at the end off.

    >>> page_key("http://S.example/%E4%B8%AD/") == page_key("http://s.example/中")
    True
    """
    parts = split_url(url)
    query = url.partition("#")[0].partition("?")[2]
    path = unquote("/".join(parts.path))
    return f"{parts.host}/{path}" + (f"?{query}" if query else "")


@lru_cache(maxsize=1)
def load_site(folder: Path, name: str) -> Site:
    """Read and parse one site; the last one stays in memory."""
    told = json.loads((folder / "tasks.json").read_text("utf-8"))[name]
    host = split_url(told["start"]).host
    pages = {page_key(page.url): page for page in _pages(folder / f"{name}.jsonl.xz", host)}
    return Site(name, told["start"], told["reachable"], pages, tuple(_tasks(told["tasks"])))


def site_names(folder: Path) -> Sequence[str]:
    """Return the names of the sites in a folder."""
    return list(json.loads((folder / "tasks.json").read_text("utf-8")))


def _tasks(told: dict[str, dict[str, list[str]]]) -> Iterator[Task]:
    for name, task in told.items():
        examples = tuple(tuple(pair) for pair in task["examples"])
        targets = frozenset(map(page_key, task["targets"]))
        yield Task(name, tuple(task["keywords"]), examples, targets)


def _pages(path: Path, host: str) -> Iterator[SitePage]:
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            tree = Tree(row["html"])
            links = tuple(link for link in find_links(tree, row["url"]) if _is_page(link.url, host))
            text = f"{tree.title()} {tree.text_outside_links()}"
            yield SitePage(row["url"], links, tree.tag_paths(), text)


def _is_page(url: str, host: str) -> bool:
    parts = split_url(url)
    last = parts.path[-1] if parts.path else ""
    return parts.host == host and last.rpartition(".")[2].lower() not in _FILES
