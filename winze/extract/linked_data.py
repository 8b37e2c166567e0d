"""Data that a page carries for machines: JSON-LD and JSON in script elements, read by key paths."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from typing import Any

#: Selector of the scripts that hold JSON-LD.
JSON_LD = 'script[type="application/ld+json"]'

#: Between the keys of a path: `Recipe/author/name`. `//` skips any number of levels.
SEPARATOR = "/"

#: First key of a path that starts at the top of the document and not at a type.
TOP = "$"

#: Deeper nesting than this is a trap, not data.
_MAX_DEPTH = 25

_BLOCK_TAG = re.compile(r"</?(?:p|div|li|ul|ol|br|h[1-6]|tr)\b[^>]*>", re.IGNORECASE)
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_TRAILING_COMMA = re.compile(r",\s*([}\]])")


def load_json(script: str) -> Any:
    """Return the JSON value of a script's text, or None if there is none.

    Lenient where sites err: control characters, comments around it, trailing commas, an
    assignment before it (`window.data = {...};`).

    >>> load_json('window.x = {"name": "Soup",};')
    {'name': 'Soup'}
    """
    starts = [at for at in (script.find("{"), script.find("[")) if at >= 0]
    if not starts:
        return None
    text = script[min(starts) :]
    decoder = json.JSONDecoder(strict=False)
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            return decoder.raw_decode(attempt)[0]
        except (json.JSONDecodeError, RecursionError):
            continue
    return None


class Documents:
    """The JSON values of one page, with references (`@id`) and types (`@type`) indexed."""

    def __init__(self, values: list[Any]) -> None:
        self.values = values
        self._by_id: dict[str, dict[str, Any]] = {}
        self._by_type: dict[str, list[dict[str, Any]]] = {}
        for value in values:
            self._index(value, 0)

    def types(self) -> list[str]:
        """Return the names of the types that occur, in document order."""
        return list(self._by_type)

    def of_type(self, name: str) -> list[dict[str, Any]]:
        """Return the objects of a type, in document order."""
        return self._by_type.get(name, [])

    def resolved(self, value: Any) -> Any:
        """Return the object that a bare reference names, anything else unchanged."""
        if isinstance(value, dict) and "@id" in value and len(value) <= 2:
            return self._by_id.get(str(value["@id"]), value)
        return value

    def leaves(self, path: str) -> Iterator[str]:
        """Yield the texts that a key path names, lists flattened.

        >>> page = Documents([{"@type": "Recipe", "author": [{"name": "Ann"}, {"name": "Bo"}]}])
        >>> list(page.leaves("Recipe/author/name"))
        ['Ann', 'Bo']
        """
        first, *keys = path.split(SEPARATOR)
        starts = self.values if first == TOP else self.of_type(first)
        for start in starts:
            yield from self._walk(start, keys, 0)

    def _walk(self, value: Any, keys: list[str], depth: int) -> Iterator[str]:
        value = self.resolved(value)
        if depth > _MAX_DEPTH:
            return
        if isinstance(value, list):
            for item in value:
                yield from self._walk(item, keys, depth + 1)
        elif not keys:
            if isinstance(value, str | int | float) and not isinstance(value, bool):
                yield str(value)
        elif isinstance(value, dict):
            yield from self._walk_object(value, keys, depth)

    def _walk_object(self, value: dict[str, Any], keys: list[str], depth: int) -> Iterator[str]:
        key, rest = keys[0], keys[1:]
        if key:
            if key in value:
                yield from self._walk(value[key], rest, depth + 1)
            return
        for name, child in value.items():
            if rest and name == rest[0]:
                yield from self._walk(child, rest[1:], depth + 1)
            elif isinstance(child, dict | list):
                yield from self._walk(child, keys, depth + 1)

    def _index(self, value: Any, depth: int) -> None:
        if depth > _MAX_DEPTH:
            return
        if isinstance(value, list):
            for item in value:
                self._index(item, depth + 1)
        elif isinstance(value, dict):
            if len(value) > 2 and "@id" in value:
                self._by_id.setdefault(str(value["@id"]), value)
            types = value.get("@type", ())
            for name in [types] if isinstance(types, str) else types:
                if isinstance(name, str):
                    self._by_type.setdefault(name, []).append(value)
            for child in value.values():
                self._index(child, depth + 1)


def plain(text: str) -> str:
    """Return a JSON text as a reader would see it: entities decoded, tags out, blocks on lines.

    >>> plain("<p>Mix &amp; stir.</p><p>Bake.</p>").split("\\n")
    ['', 'Mix & stir.', '', 'Bake.', '']
    """
    if "&" in text:
        text = html.unescape(html.unescape(text))
    if "<" in text:
        text = _TAG.sub("", _BLOCK_TAG.sub("\n", text))
    return text
