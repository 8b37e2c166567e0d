"""XML as a stream of items: the entries of a sitemap or a feed, whatever the file's size.

libxml2's recovering parser with a target, so that no tree is built and nothing but the open item is
kept: 29 MB (200,000 entries) take 3.0 CPU s, with a pull parser that frees its tree they took 3.4.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from html.entities import html5

from lxml import etree

from winze.urls.canonical import join

#: Longest text of one field (characters); more is cut. URLs of sitemaps have 2,048 at the most.
MAX_TEXT = 8192

#: Fields kept of one item; a news entry has about ten.
_MAX_FIELDS = 64

#: Different element names in one file: libxml2 keeps each for ever (4 million took 220 MB). Feeds
#: with many extensions have about fifty.
_MAX_NAMES = 1000

#: Bytes without a whole item after which a file is no list of items. libxml2 holds an unfinished
#: comment or attribute in memory, and the longest article in a feed has about 1 MB.
_MAX_GAP = 8 * 1024 * 1024

#: Bytes without a ">" that are held back to see the whole of a reference or CDATA mark.
_MAX_TAIL = 64 * 1024

_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"

#: Namespaces whose names stand for themselves: those of the formats' own elements.
_PLAIN = frozenset(
    {
        "http://www.w3.org/2005/Atom",
        "http://purl.org/atom/ns#",
        "http://purl.org/rss/1.0/",
        "http://my.netscape.com/rdf/simple/0.9/",
    }
)

#: Namespaces by the prefix that everybody uses.
_PREFIXES = {
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://purl.org/dc/terms/": "dcterms",
    "http://www.google.com/schemas/sitemap-news/0.9": "news",
}

#: An ampersand that begins none of the references that XML itself defines.
_REFERENCE = re.compile(
    rb"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});)(\w{0,32};?)"
)

_CDATA = re.compile(rb"(<!\[CDATA\[|\]\]>)")


@dataclass(frozen=True, slots=True)
class Field:
    """One element of an item that was asked for."""

    #: Names from below the item, joined by "/"; a foreign namespace shows as prefix ("dc:date").
    path: str
    #: All text in it, white space at the ends removed.
    text: str
    attributes: Mapping[str, str]
    #: The URL against which its links are read (xml:base).
    base: str


@dataclass(frozen=True, slots=True)
class Item:
    """One item with the fields that were asked for, in document order."""

    name: str
    fields: tuple[Field, ...]

    def text(self, *paths: str) -> str:
        """Return the first text that is not empty of these paths, in their order."""
        for path in paths:
            for one in self.fields:
                if one.path == path and one.text:
                    return one.text
        return ""


class ItemReader:
    """Takes XML piece by piece and gives the items that are whole.

    What is broken is mended as far as libxml2 can, bare "&" and HTML's references are understood,
    entities are not expanded, and nothing is loaded from elsewhere.

    >>> reader = ItemReader({"item"}, {"link"}, "http://shop.example/feed")
    >>> [item.text("link") for item in reader.feed(b"<rss><item><link>/a?b=1&c=2</link></item>")]
    ['/a?b=1&c=2']
    """

    def __init__(self, items: Collection[str], fields: Collection[str], base: str) -> None:
        self._target = _Target(frozenset(items), frozenset(fields), base)
        self._parser = etree.XMLParser(
            target=self._target,
            recover=True,
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
        )
        self._mender: _Mender | None = None
        self._gap = 0
        #: Nothing more is read: the file is too broken, or no list of items.
        self.ended = False

    @property
    def root(self) -> str:
        """The name of the root element in lower case; empty before it was seen."""
        return self._target.root

    def feed(self, data: bytes) -> list[Item]:
        """Read on; return the items that are whole by now."""
        if self.ended or not data:
            return []
        if self._mender is None:
            self._mender = _Mender(is_ascii=b"\x00" not in data[:4])
        return self._parsed(self._mender.feed(data))

    def close(self) -> list[Item]:
        """Read to the end; return the items that are whole by now."""
        if self.ended or self._mender is None:
            return []
        items = self._parsed(self._mender.rest())
        self.ended = True
        self._target.close()
        items += self._target.items
        return items

    def _parsed(self, data: bytes) -> list[Item]:
        try:
            if data:
                self._parser.feed(data)
        except etree.XMLSyntaxError:
            self.ended = True
        items, self._target.items = self._target.items, []
        self._gap = 0 if items else self._gap + len(data)
        self.ended = self.ended or self._gap > _MAX_GAP or len(self._target.names) > _MAX_NAMES
        return items


class _Target:
    """Collects items from the parser's events."""

    def __init__(self, wanted: frozenset[str], fields: frozenset[str], base: str) -> None:
        self.items: list[Item] = []
        self.root = ""
        #: Tags as the parser gives them, to names.
        self.names: dict[str, str] = {}
        self._wanted = wanted
        self._paths = fields
        self._root_namespace = ""
        self._depth = 0
        #: Depth of the open item and of the open field; 0 if there is none.
        self._item = 0
        self._field = 0
        self._name = ""
        self._way: list[str] = []
        self._fields: list[Field] = []
        self._path = ""
        self._attributes: dict[str, str] = {}
        self._texts: list[str] = []
        self._room = 0
        #: Depth and URL of each xml:base in force.
        self._bases = [(0, base)]

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        self._depth += 1
        if self._depth == 1:
            self._root_namespace = tag[1:].partition("}")[0] if tag.startswith("{") else ""
        name = self.names.get(tag) or self._named(tag)
        if _XML_BASE in attributes:
            self._push_base(attributes[_XML_BASE])
        self.root = self.root or name
        if name in self._wanted:
            # Items do not nest: the one before was never closed.
            self._finish_item()
            self._item, self._name = self._depth, name
        elif self._item and not self._field:
            self._way.append(name)
            path = "/".join(self._way)
            if path in self._paths and len(self._fields) < _MAX_FIELDS:
                self._open(path, attributes)

    def data(self, text: str) -> None:
        if self._field and self._room > 0:
            self._texts.append(text[: self._room])
            self._room -= len(text)

    def end(self, _: str) -> None:
        depth = self._depth
        if depth == self._field:
            self._finish_field()
        if depth == self._item:
            self._finish_item()
        elif self._item and not self._field and self._way:
            self._way.pop()
        if len(self._bases) > 1 and self._bases[-1][0] == depth:
            self._bases.pop()
        self._depth -= 1

    def close(self) -> None:
        """Give the item that is open; a field that is cut off is none."""
        self._field = 0
        self._finish_item()

    def _finish_field(self) -> None:
        text = "".join(self._texts).strip()
        self._fields.append(Field(self._path, text, self._attributes, self._bases[-1][1]))
        self._field = 0

    def _finish_item(self) -> None:
        if self._field:
            self._finish_field()
        if self._item:
            self.items.append(Item(self._name, tuple(self._fields)))
        self._item, self._fields, self._way = 0, [], []

    def _open(self, path: str, attributes: Mapping[str, str]) -> None:
        self._field, self._path = self._depth, path
        self._attributes = {_local(name): value[:MAX_TEXT] for name, value in attributes.items()}
        self._texts, self._room = [], MAX_TEXT

    def _push_base(self, href: str) -> None:
        base = self._bases[-1][1]
        self._bases.append((self._depth, join(base, href.strip()) or base))

    def _named(self, tag: str) -> str:
        namespace, local = tag[1:].split("}", 1) if tag.startswith("{") else ("", tag)
        name = local.lower()
        if namespace and namespace not in _PLAIN and namespace != self._root_namespace:
            name = f"{_PREFIXES.get(namespace, '?')}:{name}"
        self.names[tag] = name
        return name


class _Mender:
    """Makes bare "&" and HTML's references harmless in a stream of XML, but not within CDATA."""

    def __init__(self, *, is_ascii: bool) -> None:
        #: False: two bytes a character; those are left alone.
        self._is_ascii = is_ascii
        self._in_cdata = False
        self._tail = b""

    def feed(self, data: bytes) -> bytes:
        """Return what can be read by now: up to the last ">"."""
        if not self._is_ascii:
            return data
        data = self._tail + data
        end = data.rfind(b">") + 1
        if not end and len(data) > _MAX_TAIL:
            end = len(data)
        self._tail = data[end:]
        return self._mended(data[:end])

    def rest(self) -> bytes:
        """Return what was held back."""
        tail, self._tail = self._tail, b""
        return self._mended(tail)

    def _mended(self, data: bytes) -> bytes:
        if b"&" not in data and b"[CDATA[" not in data and not self._in_cdata:
            return data
        parts = _CDATA.split(data)
        for at, part in enumerate(parts):
            if part == b"<![CDATA[":
                self._in_cdata = True
            elif part == b"]]>":
                self._in_cdata = False
            elif not self._in_cdata:
                parts[at] = _REFERENCE.sub(_reference, part)
        return b"".join(parts)


def _reference(found: re.Match[bytes]) -> bytes:
    """Return the character that HTML gives a reference, or the text that it was meant to be."""
    characters = html5.get(found[1].decode("ascii", "ignore"), "") if found[1] else ""
    if characters and found[1].endswith(b";"):
        return "".join(f"&#{ord(one)};" for one in characters).encode()
    return b"&amp;" + found[1]


def _local(name: str) -> str:
    return name.rpartition("}")[2].rpartition(":")[2].lower()
