"""An example page taken apart, so that a value can be looked for everywhere at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from winze.extract.linked_data import JSON_LD, SEPARATOR, TOP, Documents, plain
from winze.extract.page_view import PageView
from winze.parse.html import Node, Tree
from winze.text.words import fold

#: Elements that hold no values, nor do those below them.
_UNSEEN = frozenset({"script", "style", "noscript", "template", "svg", "iframe"})

#: Attributes that say how, not what.
_NO_VALUES = frozenset({"class", "id", "style", "srcset", "sizes", "rel", "type", "target", "for"})

#: Levels of JSON that are looked into.
_MAX_DEPTH = 12


@dataclass(slots=True, eq=False)
class Element:
    """An element with its place among its siblings."""

    node: Node
    tag: str
    parent: Element | None
    #: Place among the siblings of the same tag, from 1.
    nth: int
    depth: int
    attributes: dict[str, str]
    #: Siblings of this tag in all, itself included.
    same: int = 1

    def ancestors(self) -> Iterator[Element]:
        """Yield the element itself, its parent, and so on up to the root."""
        element: Element | None = self
        while element is not None:
            yield element
            element = element.parent


@dataclass(slots=True, eq=False)
class Text:
    """A text node that isn't blank."""

    raw: str
    folded: str
    parent: Element
    #: Place among its parent's own texts, from 0.
    own: int
    #: Place among the page's texts.
    at: int


@dataclass(slots=True, eq=False)
class Leaf:
    """A text in JSON: the script that holds it, and the key path."""

    css: str
    path: str
    raw: str
    folded: str


@dataclass(slots=True)
class _Walk:
    elements: list[Element] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)


class PageIndex:
    """A page's elements, texts, attributes and JSON, in document order."""

    def __init__(self, tree: Tree) -> None:
        self.view = PageView(tree)
        walk = _Walk()
        if tree.root is not None:
            _walk(tree.root, walk)
        self.elements = walk.elements
        self.texts = walk.texts

    @cached_property
    def by_text(self) -> dict[str, list[Text]]:
        """Texts by their folded form."""
        index: dict[str, list[Text]] = {}
        for text in self.texts:
            index.setdefault(text.folded, []).append(text)
        return index

    @cached_property
    def by_first_letter(self) -> dict[str, list[Text]]:
        """Texts by the first letter of their folded form."""
        index: dict[str, list[Text]] = {}
        for text in self.texts:
            index.setdefault(text.folded[:1], []).append(text)
        return index

    @cached_property
    def attributes(self) -> list[tuple[Element, str, str]]:
        """(element, attribute's name, folded value) of all that may hold values."""
        return [
            (element, name, quick_fold(value))
            for element in self.elements
            for name, value in element.attributes.items()
            if value and name not in _NO_VALUES and not name.startswith("on")
        ]

    @cached_property
    def linked_data(self) -> list[Leaf]:
        """The texts of the page's JSON-LD."""
        return list(_leaves(JSON_LD, self.view.documents(JSON_LD)))

    @cached_property
    def script_data(self) -> list[Leaf]:
        """The texts of JSON in the page's other scripts."""
        return [
            leaf
            for css in dict.fromkeys(_data_scripts(self.view))
            for leaf in _leaves(css, self.view.documents(css))
        ]


@lru_cache(maxsize=8192)
def quick_fold(text: str) -> str:
    """Return `fold(text)`, remembered: values stand on many pages."""
    return fold(text)


def _walk(root: Node, into: _Walk) -> None:
    top = Element(root, root.tag or "", None, 1, 0, _attributes(root))
    into.elements.append(top)
    stack: list[tuple[Element, Iterator[Node], dict[str, int], list[int]]] = [
        (top, root.iter(include_text=True), {}, [0])
    ]
    while stack:
        parent, children, counts, own = stack[-1]
        node = next(children, None)
        if node is None:
            stack.pop()
            continue
        if node.is_text_node:
            _add_text(node, parent, own, into)
            continue
        tag = node.tag or ""
        counts[tag] = nth = counts.get(tag, 0) + 1
        element = Element(node, tag, parent, nth, parent.depth + 1, _attributes(node))
        into.elements.append(element)
        if tag not in _UNSEEN:
            stack.append((element, node.iter(include_text=True), {}, [0]))
    _count_siblings(into.elements)


def _count_siblings(elements: list[Element]) -> None:
    totals: dict[tuple[int, str], int] = {}
    for element in elements:
        key = (id(element.parent), element.tag)
        totals[key] = max(totals.get(key, 0), element.nth)
    for element in elements:
        element.same = totals[id(element.parent), element.tag]


def _add_text(node: Node, parent: Element, own: list[int], into: _Walk) -> None:
    raw = node.text_content or ""
    folded = quick_fold(raw)
    if raw.strip():
        if folded:
            into.texts.append(Text(raw, folded, parent, own[0], len(into.texts)))
        own[0] += 1


def _attributes(node: Node) -> dict[str, str]:
    return {name: value or "" for name, value in node.attributes.items()}


def _data_scripts(view: PageView) -> Iterator[str]:
    """Yield selectors of scripts that look like JSON but aren't linked data."""
    for node in view.select("script"):
        kind = node.attributes.get("type") or ""
        name = node.attributes.get("id")
        if kind == "application/json":
            yield f'script[id="{name}"]' if name else 'script[type="application/json"]'
            continue
        if kind not in ("", "text/javascript"):
            continue
        before, assigned, _ = node.text()[:200].partition("=")
        variable = before.replace("var ", "").strip()
        if assigned and variable.replace(".", "").replace("_", "").isalnum():
            yield f'script:lexbor-contains("{variable}")'


def _leaves(css: str, documents: Documents) -> Iterator[Leaf]:
    seen: set[tuple[str, str]] = set()
    starts: list[tuple[str, Any]] = [
        (name, value) for name in documents.types() for value in documents.of_type(name)
    ]
    if not starts or css != JSON_LD:
        starts = [(TOP, value) for value in documents.values]
    for name, start in starts:
        for path, raw in _paths(documents, start, name, 0):
            if (path, raw) not in seen:
                seen.add((path, raw))
                yield Leaf(css, path, raw, quick_fold(plain(raw)))


def _paths(documents: Documents, value: Any, path: str, depth: int) -> Iterator[tuple[str, str]]:
    value = documents.resolved(value)
    if depth > _MAX_DEPTH:
        return
    if isinstance(value, dict):
        for key, child in value.items():
            if isinstance(key, str) and key and SEPARATOR not in key and key[0] != "@":
                yield from _paths(documents, child, f"{path}{SEPARATOR}{key}", depth + 1)
    elif isinstance(value, list):
        for child in value:
            yield from _paths(documents, child, path, depth + 1)
    elif isinstance(value, str | int | float) and not isinstance(value, bool):
        yield path, str(value)
