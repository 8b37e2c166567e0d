"""What a page says of itself, for sites on which the user named no fields."""

from __future__ import annotations

from winze.parse.html import Tree
from winze.text.words import squeeze

#: Field to the places that give it, best first: (selector, attribute), None for the text.
_PLACES: dict[str, tuple[tuple[str, str | None], ...]] = {
    "title": (("h1", None), ('meta[property="og:title"]', "content"), ("title", None)),
    "description": (
        ('meta[property="og:description"]', "content"),
        ('meta[name="description" i]', "content"),
    ),
    "image": (('meta[property="og:image"]', "content"),),
    "date": (
        ('meta[property="article:published_time"]', "content"),
        ("time[datetime]", "datetime"),
    ),
}


def metadata(tree: Tree) -> dict[str, str | list[str] | None]:
    """Return title, description, image and date of a page; None for what it does not say.

    >>> metadata(Tree("<title>Shop</title><h1>Sharp Objects</h1>"))["title"]
    'Sharp Objects'
    """
    return {name: _first(tree, places) for name, places in _PLACES.items()}


def language(tree: Tree) -> str:
    """Return the language that the page declares, such as "zh-cn", or the empty string."""
    root = tree.root
    return squeeze(root.attributes.get("lang") or "").lower()[:20] if root is not None else ""


def _first(tree: Tree, places: tuple[tuple[str, str | None], ...]) -> str | None:
    for css, attribute in places:
        for node in tree.select(css)[:1]:
            text = node.text() if attribute is None else node.attributes.get(attribute) or ""
            if squeeze(text):
                return squeeze(text)
    return None
