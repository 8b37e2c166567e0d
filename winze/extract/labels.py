"""Nodes that stand behind a label: the short text that says what a value is."""

from __future__ import annotations

from dataclasses import dataclass

from winze.extract.page_view import PageView
from winze.parse.html import Node

#: Levels climbed from a label to the ancestor it shares with its value, if none are given.
_MAX_UP = 4

#: Nodes looked at behind a label.
_MAX_BEHIND = 3000

#: Places where a label may stand on one page.
_MAX_LABELS = 400


@dataclass(frozen=True, slots=True)
class Behind:
    """A way from a label to nodes behind it."""

    #: Folded text of the label.
    label: str
    #: Elements a label may stand in.
    label_css: str
    #: Elements that are wanted, or whose own texts are.
    css: str
    #: Levels from the label's element to the ancestor that also holds the value. None: climb.
    up: int | None
    #: Text nodes are wanted, not elements.
    of_texts: bool


def nodes_behind(way: Behind, view: PageView) -> list[list[Node]]:
    """Return, for each place where the label stands, the nodes from there to the next label.

    Places with none are left out.
    """
    known = view.behind.get(way)
    if known is None:
        places = view.labelled(way.label_css or "*", way.label)[:_MAX_LABELS]
        found = (_climbing(way, element, label, view) for element, label in places)
        known = view.behind[way] = [nodes for nodes in found if nodes]
    return known


def _climbing(way: Behind, element: Node, label: Node, view: PageView) -> list[Node]:
    ancestor: Node | None = element
    for up in range((_MAX_UP if way.up is None else way.up) + 1):
        if ancestor is None:
            return []
        if way.up in (None, up) and (nodes := _within(way, ancestor, label, view)):
            return nodes
        ancestor = ancestor.parent
    return []


def _within(way: Behind, ancestor: Node, label: Node, view: PageView) -> list[Node]:
    """Return the wanted nodes below an ancestor, from the label to the next label."""
    wanted = view.ids(way.css)
    labels = view.ids(way.label_css) if way.label_css else frozenset[int]()
    found: list[Node] = []
    behind = False
    stack, seen = [ancestor], 0
    while stack and seen < _MAX_BEHIND:
        node = stack.pop()
        seen += 1
        if node.is_text_node:
            if behind:
                found.extend(_wanted_text(way, node, wanted))
            behind = behind or node.mem_id == label.mem_id
            continue
        known = node.mem_id
        if behind and known in wanted and not way.of_texts:
            found.append(node)
        elif found and known in labels and known not in wanted:
            break
        else:
            stack.extend(reversed(list(node.iter(include_text=True))))
    return found


def _wanted_text(way: Behind, node: Node, wanted: frozenset[int]) -> list[Node]:
    if not way.of_texts or node.parent is None or node.parent.mem_id not in wanted:
        return []
    return [node] if (node.text_content or "").strip() else []
