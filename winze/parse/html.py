"""The page's tree: decoded first, parsed once, shared by all who look (lexbor)."""

from __future__ import annotations

from collections.abc import Iterator

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

#: A node of the tree. Tags of text and comment nodes begin with "-".
Node = LexborNode

#: Elements whose text a reader never sees.
HIDDEN = frozenset({"script", "style", "noscript", "template", "head", "iframe", "svg"})

#: Steps of a tag path that are kept; deeper nesting says little more (prototype, design 6.3).
TAG_PATH_STEPS = 3


class Tree:
    """One parsed page.

    >>> Tree("<p>Sharp <a href=/x>Objects</a></p>").text_outside_links()
    'Sharp'
    """

    def __init__(self, html: str) -> None:
        self.parser = LexborHTMLParser(html)
        self._tag_paths: frozenset[str] | None = None

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

    def title(self) -> str:
        """Return the text of the title element, white space folded."""
        node = self.parser.css_first("title")
        return "" if node is None else " ".join(node.text().split())

    def text(self) -> str:
        """Return the visible text, links included, white space folded."""
        return _folded(visible_texts(self.root))

    def text_outside_links(self) -> str:
        """Return the visible text without that of links (P1, 3.2.2)."""
        return _folded(visible_texts(self.root, skip=HIDDEN | {"a"}))

    def tag_paths(self) -> frozenset[str]:
        """Return the page's set of tag paths: the last three steps of each element, with classes.

        The shape of the page's template, independent of its text (design 6.3).
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


def _folded(texts: Iterator[str]) -> str:
    return " ".join(" ".join(texts).split())


def _tag_paths(root: Node | None) -> Iterator[str]:
    stack: list[tuple[Node, tuple[str, ...]]] = [(root, ())] if root is not None else []
    while stack:
        node, above = stack.pop()
        path = (*above, step(node))[-TAG_PATH_STEPS:]
        yield ">".join(path)
        stack.extend((child, path) for child in node.iter())
