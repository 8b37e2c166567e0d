"""One page as the paths of a wrapper see it; what two paths share is looked up once."""

from __future__ import annotations

from collections.abc import Hashable

from winze.extract.linked_data import Documents, load_json
from winze.parse.html import Node, Tree, visible_texts
from winze.text.words import fold

#: Elements whose text is not the page's.
_UNSEEN = "script, style, noscript, template"

#: Elements longer than this may well hold scripts; shorter ones are values.
_LONG_TEXT = 200


class PageView:
    """A tree with what was asked of it so far."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._selected: dict[str, list[Node]] = {}
        self._ids: dict[str, frozenset[int]] = {}
        #: What was found behind labels, by the way that was asked (`extract.labels`).
        self.behind: dict[Hashable, list[list[Node]]] = {}
        self._labels: dict[str, dict[str, list[tuple[Node, Node]]]] = {}
        self._own_texts: dict[int, list[Node]] = {}
        self._texts: dict[int, str] = {}
        self._documents: dict[str, Documents] = {}

    def select(self, css: str) -> list[Node]:
        """Return the elements a selector names; raises ValueError for one lexbor can't read."""
        nodes = self._selected.get(css)
        if nodes is None:
            nodes = self._selected[css] = self.tree.select(css)
        return nodes

    def ids(self, css: str) -> frozenset[int]:
        """Return the memory ids of the elements a selector names."""
        found = self._ids.get(css)
        if found is None:
            found = self._ids[css] = frozenset(node.mem_id for node in self.select(css))
        return found

    def text(self, node: Node) -> str:
        """Return all text below an element, white space as it stands."""
        key = node.mem_id
        text = self._texts.get(key)
        if text is None:
            text = node.text()
            if len(text) > _LONG_TEXT and node.css_first(_UNSEEN) is not None:
                text = "".join(visible_texts(node))
            self._texts[key] = text
        return text

    def own_texts(self, node: Node) -> list[Node]:
        """Return the text nodes right under an element, blank ones left out."""
        key = node.mem_id
        texts = self._own_texts.get(key)
        if texts is None:
            texts = self._own_texts[key] = [
                child
                for child in node.iter(include_text=True)
                if child.is_text_node and (child.text_content or "").strip()
            ]
        return texts

    def labelled(self, css: str, label: str) -> list[tuple[Node, Node]]:
        """Return (element, text node) where an own text of the elements equals a folded label."""
        index = self._labels.get(css)
        if index is None:
            index = self._labels[css] = {}
            for node in self.select(css):
                for text in self.own_texts(node):
                    index.setdefault(fold(text.text_content or ""), []).append((node, text))
        return index.get(label, [])

    def documents(self, css: str) -> Documents:
        """Return the JSON in the scripts that a selector names."""
        found = self._documents.get(css)
        if found is None:
            loaded = [load_json(node.text()) for node in self.select(css)]
            found = self._documents[css] = Documents([v for v in loaded if v is not None])
        return found


#: What must stand around elements that HTML allows in tables only.
_TABLE_PARTS = {
    "tr": "<table><tbody>{}</tbody></table>",
    "td": "<table><tbody><tr>{}</tr></tbody></table>",
    "th": "<table><tbody><tr>{}</tr></tbody></table>",
    "tbody": "<table>{}</table>",
}


def subtree(node: Node) -> Tree:
    """Return an element as a page of its own."""
    return Tree(_TABLE_PARTS.get(node.tag or "", "{}").format(node.html or ""))
