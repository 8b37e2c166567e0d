"""The page's tree: decoded first, parsed once, shared by all who look (lexbor)."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

#: A node of the tree. Tags of text and comment nodes begin with "-".
Node = LexborNode

#: Elements whose text a reader never sees.
HIDDEN = frozenset({"script", "style", "noscript", "template", "head", "iframe", "svg"})

#: Elements that say something of a page or lead out of it.
LOOKED_AT = ("a", "area", "title", "base", "meta", "link", "iframe", "frame", "script")

_LOOK = ", ".join(LOOKED_AT)

_HIDDEN_OR_LINK = [*sorted(HIDDEN), "a"]

#: Of these, those that `elements` finds, and the others.
_FOUND = [tag for tag in _HIDDEN_OR_LINK if tag in LOOKED_AT]
_NOT_FOUND = ", ".join(tag for tag in _HIDDEN_OR_LINK if tag not in LOOKED_AT)


class Tree:
    """One parsed page.

    >>> Tree("<p>Sharp <a href=/x>Objects</a></p>").text_outside_links()
    'Sharp'
    """

    def __init__(self, html: str | bytes) -> None:
        """Parse a text, or the bytes of one in UTF-8."""
        self.parser = LexborHTMLParser(html)
        self._tag_paths: frozenset[str] | None = None
        self._elements: dict[str, list[Node]] | None = None

    @property
    def root(self) -> Node | None:
        """The html element; None for an empty document."""
        return self.parser.root

    def select(self, css: str) -> list[Node]:
        """Return the elements that a CSS selector names, in document order.

        Raises ValueError for a selector that lexbor does not understand.
        """
        try:
            return self.parser.css(css)
        except SelectolaxError as error:
            raise ValueError(f"not a CSS selector: {css}") from error

    def elements(self, tag: str) -> list[Node]:
        """Return the elements of one of the tags in LOOKED_AT, in document order.

        Each look at all elements of a page has its price, so one look finds all of these.
        """
        if self._elements is None:
            self._elements = {name: [] for name in LOOKED_AT}
            for node in self.parser.css(_LOOK):
                self._elements[node.tag or ""].append(node)
        return self._elements[tag]

    def title(self) -> str:
        """Return the text of the title element, white space folded."""
        titles = self.elements("title")
        return " ".join(titles[0].text().split()) if titles else ""

    def text(self) -> str:
        """Return the visible text, links included, white space folded."""
        return _folded(visible_texts(self.root))

    def text_outside_links(self) -> str:
        """Return the visible text without that of links (P1, 3.2.2)."""
        return _without_links(self.parser.clone())

    def last_text(self) -> str:
        """Return the text outside links and take the tree apart on the way: nobody may look after.

        A copy of the tree costs as much as half the parsing, and a look at all its elements for
        each tag half as much again: what was found already is used.
        """
        found = [node for tag in _FOUND for node in self.elements(tag)]
        for node in [*found, *self.parser.css(_NOT_FOUND)]:
            node.decompose(recursive=False)
        return _shown(self.parser)

    def tag_paths(self) -> frozenset[str]:
        """Return the page's set of tag paths: the last three steps of each element, with classes.

        The shape of the page's template, independent of its text; deeper nesting says little more
        (prototype, design 6.3).
        """
        if self._tag_paths is None:
            self._tag_paths = frozenset(_tag_paths(self.root))
        return self._tag_paths


def step(node: Node) -> str:
    """Return an element's step of a tag path: its name and classes.

    >>> step(Tree('<p class="price  big">1</p>').select("p")[0])
    'p.price.big'
    """
    classes = node.attributes.get("class")
    tag = node.tag or ""
    return f"{tag}.{'.'.join(classes.split())}" if classes else tag


def visible_texts(root: Node | None, skip: frozenset[str] = HIDDEN) -> Iterator[str]:
    """Yield the text nodes below a node in document order, leaving out the elements in `skip`."""
    stack = [root] if root is not None else []
    while stack:
        node = stack.pop()
        if node.is_text_node:
            yield node.text_content or ""
        elif node.tag not in skip:
            stack.extend(reversed(list(node.iter(include_text=True))))


def _without_links(parser: LexborHTMLParser) -> str:
    parser.strip_tags(_HIDDEN_OR_LINK)
    return _shown(parser)


def _shown(parser: LexborHTMLParser) -> str:
    root = parser.root
    return "" if root is None else " ".join(root.text(separator=" ").split())


def _folded(texts: Iterator[str]) -> str:
    return " ".join(" ".join(texts).split())


def _tag_paths(root: Node | None) -> Iterator[str]:
    """Walk all elements; this is the dearest look at a page, so nothing is made twice."""
    triples: set[tuple[str, str, str]] = set()
    steps: dict[tuple[str | None, str | None], str] = {}
    stack = [(root, "", "")] if root is not None else []
    while stack:
        node, grandparent, parent = stack.pop()
        written = (node.tag, node.attributes.get("class"))
        own = steps.get(written)
        if own is None:
            own = steps[written] = step(node)
        triples.add((grandparent, parent, own))
        for child in node.iter():
            stack.append((child, parent, own))
    return (">".join(filter(None, triple)) for triple in triples)
