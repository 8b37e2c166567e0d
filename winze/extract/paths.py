"""One way to a field's value: where it stands on the page, and which part of the text it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from winze.extract.labels import Behind, nodes_behind
from winze.extract.linked_data import JSON_LD, plain
from winze.extract.page_view import PageView
from winze.parse.html import Node, Tree, visible_texts
from winze.text.words import fold, squeeze

#: What of a node is the value: all its text; the same with a blank between text nodes; one own
#: text node; an attribute; a key path in the JSON of script elements.
NODES = ("element", "spaced", "text", "attr", "json")

#: Who wrote a path. Hand-written ones win and are never overwritten.
AUTHORS = ("learned", "hand")

#: A selector that names more elements than this does not name a field.
_MAX_NODES = 400


@dataclass(frozen=True, slots=True)
class Path:
    """Where a value stands. Without `after_label` the selector names its element on the page."""

    css: str
    node: str = "element"
    #: The attribute's name, or the key path for node "json": `Recipe/author/name`.
    attr: str = ""
    #: Which own text node (negative: from the end); behind a label, which hit. None: all of them.
    nth_text: int | None = None
    #: The folded text of a label; the value stands behind it in the document.
    after_label: str = ""
    #: Elements a label may stand in. Empty: any.
    label_css: str = ""
    #: Levels from the label's element to the ancestor that also holds the value. None: climb.
    up: int | None = None
    #: Group 1 (or the whole match) is the value. Searched in the squeezed text.
    regex: str = ""
    #: Several hits make one value, with this between them. None: they don't.
    join: str | None = None
    by: str = "learned"
    #: Weight of this path's vote, 0 to 1.
    confidence: float = 1.0
    #: Several places that together make up a `many` field are numbered from 0.
    part: int = 0

    @property
    def family(self) -> str:
        """What a path rests on: "data", "label", "head" or "tree". Those of one err together."""
        if self.node == "json":
            return "data"
        if self.after_label:
            return "label"
        return "head" if self.css.startswith(("meta", "title")) else "tree"

    def values(self, view: PageView) -> Iterator[str]:
        """Yield what stands there, squeezed, never empty, in document order."""
        texts = (text for raw in self._texts(view) for text in self._parts(raw))
        found = (value for value in map(squeeze, texts) if value)
        if self.join is None:
            yield from found
        elif joined := self.join.join(found):
            yield joined

    def _texts(self, view: PageView) -> Iterator[str]:
        if self.node == "json":
            yield from map(plain, view.documents(self.css or JSON_LD).leaves(self.attr))
        elif self.after_label:
            yield from _behind_label(self, view)
        else:
            for node in islice(view.select(self.css), _MAX_NODES):
                yield from _texts_of(self, node, view)

    def _parts(self, text: str) -> Iterator[str]:
        if not self.regex:
            yield text
            return
        lines = text if self.node == "json" else squeeze(text)
        for match in _compiled(self.regex).finditer(lines):
            yield match[1] if match.re.groups else match[0]

    def to_json(self) -> dict[str, Any]:
        """Return the path as it stands in learned.json; keys with nothing to say are left out."""
        optional = {
            "label_css": self.label_css or None,
            "up": self.up,
            "join": self.join,
            "part": self.part or None,
        }
        return {
            "css": self.css,
            "node": self.node,
            "attr": self.attr or None,
            "nth_text": self.nth_text,
            "after_label": self.after_label or None,
            "regex": self.regex or None,
            "by": self.by,
            "confidence": round(self.confidence, 4),
            **{key: value for key, value in optional.items() if value is not None},
        }


#: learned.json's keys: their Python types, in error messages' words.
_KEYS: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "css": (str, "a text"),
    "node": (str, "a text"),
    "attr": (str, "a text"),
    "nth_text": (int, "a whole number"),
    "after_label": (str, "a text"),
    "label_css": (str, "a text"),
    "up": (int, "a whole number"),
    "regex": (str, "a text"),
    "join": (str, "a text"),
    "by": (str, "a text"),
    "confidence": ((int, float), "a number"),
    "part": (int, "a whole number"),
}


def path_from_json(obj: object, where: str) -> Path:
    """Read one path; `where` names it in errors. A bare text is a selector written by hand.

    Raises ValueError with one line that names the key.

    >>> path_from_json("h1.title", "title").by
    'hand'
    """
    if isinstance(obj, str):
        return path_by_hand(obj, "", where)
    if not isinstance(obj, Mapping):
        raise ValueError(f"{where}: must be an object or a CSS selector, not {obj!r}")
    for key, value in obj.items():
        if key not in _KEYS:
            raise ValueError(f"{where}.{key}: unknown key, known are {', '.join(_KEYS)}")
        kind, words = _KEYS[key]
        if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
            raise ValueError(f"{where}.{key}: must be {words}, not {value!r}")
    given = {key: value for key, value in obj.items() if value is not None}
    if "after_label" in given:
        given["after_label"] = fold(given["after_label"])
    return _checked(Path(**{"css": "", **given}), where)


def path_by_hand(css: str, part: str, where: str) -> Path:
    """Return the path of a selector written by hand, as in P1's `{"name#part": css}`.

    `part` is an attribute's name; empty or "text" means the element's text.

    >>> path_by_hand("a.next", "href", "next").attr
    'href'
    """
    if part in ("", "text"):
        return _checked(Path(css=css.strip(), by="hand"), where)
    return _checked(Path(css=css.strip(), node="attr", attr=part, by="hand"), where)


def _checked(path: Path, where: str) -> Path:
    if path.node not in NODES:
        raise ValueError(f"{where}.node: must be one of {', '.join(NODES)}, not {path.node!r}")
    if path.by not in AUTHORS:
        raise ValueError(f"{where}.by: must be one of {', '.join(AUTHORS)}, not {path.by!r}")
    if path.node in ("attr", "json") and not path.attr:
        raise ValueError(f"{where}.attr: missing for node {path.node!r}")
    if path.node != "json" and not path.css:
        raise ValueError(f"{where}.css: missing")
    if not 0 <= path.confidence <= 1:
        raise ValueError(f"{where}.confidence: must be from 0 to 1, not {path.confidence}")
    for key, css in (("css", path.css), ("label_css", path.label_css)):
        if css:
            check_selector(css, f"{where}.{key}")
    try:
        _compiled(path.regex)
    except re.error as error:
        raise ValueError(f"{where}.regex: {error}: {path.regex}") from error
    return path


@lru_cache(maxsize=4096)
def check_selector(css: str, where: str) -> None:
    """Raise ValueError that names the key if lexbor can't read a selector."""
    try:
        PageView(_EMPTY).select(css)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error


@lru_cache(maxsize=4096)
def _compiled(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


#: A page to try selectors on.
_EMPTY = Tree("<p></p>")


def _texts_of(path: Path, node: Node, view: PageView) -> Iterator[str]:
    if path.node == "element":
        yield view.text(node)
    elif path.node == "spaced":
        yield " ".join(visible_texts(node))
    elif path.node == "attr":
        yield node.attributes.get(path.attr) or ""
    else:
        own = view.own_texts(node)
        if path.nth_text is None:
            chosen = own
        elif -len(own) <= path.nth_text < len(own):
            chosen = [own[path.nth_text]]
        else:
            chosen = []
        yield from (text.text_content or "" for text in chosen)


def _behind_label(path: Path, view: PageView) -> Iterator[str]:
    """Yield the texts behind the first label that has any."""
    of_texts = path.node == "text"
    way = Behind(path.after_label, path.label_css, path.css, path.up, of_texts)
    for nodes in nodes_behind(way, view):
        if of_texts:
            hits = [node.text_content or "" for node in nodes]
        else:
            hits = [text for node in nodes for text in _texts_of(path, node, view) if text.strip()]
        if path.nth_text is not None:
            hits = hits[path.nth_text :][:1]
        if hits:
            yield from hits
            return
