"""A learned site's own test: pages kept with the records that they must give.

They lie in `pages/DATE/` beside the plan, the newest day's counting: the example pages as `1.html`
and `1.json`, and in `pinned/` a few more that learning met. A person reads the records, and edits
them where they are wrong.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import count
from pathlib import Path

from winze.engine.site import Site
from winze.engine.visit import raw_fields
from winze.engine.workspace import SiteStore
from winze.errors import CheckFailedError, PlanError
from winze.extract.wrapper import Value
from winze.parse.html import Tree
from winze.parse.page import read_page
from winze.plan import Plan
from winze.store import records

#: Pages that are pinned beside the examples.
PINNED = 5

_MORE = "pinned"


@dataclass(frozen=True, slots=True)
class PinnedPage:
    """A kept page and the record that it must give."""

    #: The record's file; the page's lies beside it.
    path: Path
    url: str
    tree: Tree
    fields: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Difference:
    """A field that does not give what it must."""

    page: PinnedPage
    name: str
    found: Value

    @property
    def expected(self) -> Value:
        """What it must give."""
        return self.page.fields[self.name]


def save_examples(plan: Plan, pages: Sequence[tuple[str, Tree]], site: Site, day: date) -> None:
    """Save each example page and the record that it gives, for `pin_more` to go on from.

    What was pinned when the site was learned earlier on this day makes room.
    """
    folder = plan.folder / "pages" / day.isoformat()
    for old in [*(folder / _MORE).glob("*.json"), *(folder / _MORE).glob("*.html")]:
        old.unlink()
    for number, (url, tree) in enumerate(pages, 1):
        _save(folder, number, url, tree, site)


def saved_examples(folder: Path) -> Iterator[tuple[str, Tree]]:
    """Yield URL and tree of the newest saved example pages."""
    newest = _newest(folder)
    for path in sorted(newest.glob("*.json")) if newest is not None else ():
        page = _read(path)
        yield page.url, page.tree


def pinned_pages(folder: Path) -> list[PinnedPage]:
    """Return the examples and the pinned pages of the newest day; none where nothing is learned.

    Raises PlanError for a file that was damaged by an edit.
    """
    newest = _newest(folder)
    if newest is None:
        return []
    return [_read(path) for path in [*_records(newest), *_records(newest / _MORE)]]


def differences(pages: Sequence[PinnedPage], site: Site) -> list[Difference]:
    """Return the fields that give something else than they must; fields added since are free."""
    found = []
    for page in pages:
        fields = raw_fields(page.tree, site)
        found += [
            Difference(page, name, fields.get(name))
            for name, expected in page.fields.items()
            if (fields.get(name) or None) != (expected or None)
        ]
    return found


def refuse_if_failing(plan: Plan, site: Site, store: SiteStore) -> None:
    """Raise CheckFailedError if a kept page gives other values and good records are at stake."""
    failing = differences(pinned_pages(plan.folder), site)
    if not failing:
        return
    with store.read() as connection:
        good, _ = records.record_counts(connection, store.site_id)
    if good:
        names = ", ".join(dict.fromkeys(one.name for one in failing))
        number = len({one.page.path for one in failing})
        raise CheckFailedError(
            f"{plan.name}: {number} of the kept pages give other values ({names}), and {good} good"
            f" records are in the table: winze check {plan.path} shows them; then --accept them"
            " there, or go on with --force"
        )


def accept(pages: Sequence[PinnedPage], site: Site) -> None:
    """Let the pages give what they give now."""
    for page in pages:
        _write_record(page.path, page.url, raw_fields(page.tree, site))


def pin_more(plan: Plan, store: SiteStore, site: Site) -> list[str]:
    """Pin pages with a good record until there are PINNED of them; return their URLs.

    They are spread over the table, since pages found together look alike.
    """
    newest = _newest(plan.folder)
    if newest is None:
        return []
    there = {page.url for page in pinned_pages(plan.folder)}
    missing = PINNED - len(_records(newest / _MORE))
    chosen = _spread(store, _good_urls(store, there), missing)
    free = (n for n in count(1) if not (newest / _MORE / f"{n}.json").exists())
    for number, (url, tree) in zip(free, chosen, strict=False):
        _save(newest / _MORE, number, url, tree, site)
    return [url for url, _ in chosen]


def _good_urls(store: SiteStore, others: Collection[str]) -> list[str]:
    with store.read() as connection:
        good = records.good_urls(connection, store.site_id)
        return [url for url in good if url not in others]


def _spread(store: SiteStore, urls: Sequence[str], number: int) -> list[tuple[str, Tree]]:
    """Return so many of the pages, evenly spread, whose answer is in the archive."""
    step = max(1, len(urls) // max(1, number))
    chosen: list[tuple[str, Tree]] = []
    for url in urls[::step]:
        answer = store.answer(url) if len(chosen) < number else None
        tree = read_page(answer)[1] if answer is not None else None
        if tree is not None:
            chosen.append((url, tree))
    return chosen


def _newest(folder: Path) -> Path | None:
    days = sorted(path for path in (folder / "pages").glob("*") if path.is_dir())
    return days[-1] if days else None


def _records(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.json"))


def _save(folder: Path, number: int, url: str, tree: Tree, site: Site) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number}.json"
    html = tree.parser.html or ""
    path.with_suffix(".html").write_text(html, "utf-8")
    # By the page as it was saved: a parser may see it in another way than the one that was sent.
    _write_record(path, url, raw_fields(Tree(html), site))


def _write_record(path: Path, url: str, fields: dict[str, Value]) -> None:
    text = json.dumps({"url": url, "fields": fields}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", "utf-8")


def _read(path: Path) -> PinnedPage:
    try:
        told = json.loads(path.read_text("utf-8"))
        tree = Tree(path.with_suffix(".html").read_text("utf-8"))
        return PinnedPage(path, str(told["url"]), tree, dict(told["fields"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PlanError(
            f"{path}: is no record of a kept page ({type(error).__name__}):"
            " mend it, or delete it with its page"
        ) from error
