"""P1's wrapper as written: the common template (Algorithm 2), the exact paths (Algorithm 3)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from winze.extract.wrapper import Value
from winze.learn.wrappers import Example
from winze.parse.html import Node, Tree
from winze.text.words import fold, squeeze

#: Where a value stands in a node besides its attributes.
TEXT = "text"


@dataclass(frozen=True, slots=True)
class Place:
    """A field's one path, and the part of the node that holds the value."""

    css: str
    part: str


def learn_gwc(examples: Sequence[Example]) -> dict[str, Place]:
    """Return P1's path of each field, from the first example that has a value for it."""
    places = {}
    for name in dict.fromkeys(name for example in examples for name in example.values):
        for number, example in enumerate(examples):
            value = example.values.get(name)
            if value:
                other = examples[1 - number] if len(examples) > 1 else example
                place = _place(_template(example.tree, other.tree), value)
                if place is not None:
                    places[name] = place
                break
    return places


def apply_gwc(places: dict[str, Place], tree: Tree) -> dict[str, Value]:
    """Return what the paths give on a page; a field may give several values."""
    return {name: _values(tree, place) for name, place in places.items()}


def _values(tree: Tree, place: Place) -> list[str]:
    try:
        nodes = tree.select(place.css)
    except ValueError:
        return []
    return [text for text in (squeeze(_part(node, place.part)) for node in nodes) if text]


def _template(tree: Tree, other: Tree) -> tuple[list[Node], list[Node]]:
    """Return the leaves and inner nodes whose names-only path is in the other tree, too."""
    known = {path for path, _ in _walk(other)}
    leaves: list[Node] = []
    inner: list[Node] = []
    for path, node in _walk(tree):
        if path in known and node.tag not in ("script", "style"):
            (inner if any(True for _ in node.iter()) else leaves).append(node)
    return leaves, inner


def _walk(tree: Tree) -> Iterator[tuple[str, Node]]:
    queue = [("", tree.root)] if tree.root is not None else []
    for above, node in queue:
        path = f"{above}>{node.tag}"
        yield path, node
        queue.extend((path, child) for child in node.iter())


def _place(template: tuple[list[Node], list[Node]], value: str | list[str]) -> Place | None:
    values = [value] if isinstance(value, str) else value
    first = _locate(template, values[0])
    if first is None:
        return None
    node, part = first
    steps = _steps(node)
    second = _locate(template, values[1]) if len(values) > 1 else None
    if second is not None:
        steps = _joined(node, second[0], steps)
    return Place(">".join(steps), part)


def _locate(template: tuple[list[Node], list[Node]], value: str) -> tuple[Node, str] | None:
    """Leaf equal, inner node equal from the bottom up, leaf contains, inner node contains."""
    leaves, inner = template
    wanted = fold(value)
    for equal in (True, False):
        for nodes in (leaves, inner[::-1]):
            for node in nodes:
                for part in (TEXT, *(node.attributes or ())):
                    text = fold(_part(node, part))
                    if text == wanted if equal else wanted in text:
                        return node, part
    return None


def _part(node: Node, part: str) -> str:
    return node.text() if part == TEXT else node.attributes.get(part) or ""


def _steps(node: Node) -> list[str]:
    steps: list[str] = []
    above: Node | None = node
    while above is not None and above.is_element_node:
        steps.append(_step(above))
        above = above.parent
    return steps[::-1]


def _step(node: Node) -> str:
    """Name a node; where siblings share its name, by an attribute of its own, else its place."""
    parent = node.parent
    alike = [one for one in parent.iter() if one.tag == node.tag] if parent is not None else [node]
    tag = node.tag or "*"
    if len(alike) == 1:
        return tag
    for name in ("id", "class", *node.attributes):
        value = node.attributes.get(name)
        same = sum(one.attributes.get(name) == value for one in alike)
        if value and '"' not in value and same == 1:
            return f'{tag}[{name}="{value}"]'
    position = next(n for n, one in enumerate(alike, 1) if one.mem_id == node.mem_id)
    return f"{tag}:nth-of-type({position})"


def _joined(one: Node, other: Node, steps: list[str]) -> list[str]:
    """Climb from both nodes until they are siblings; there the bare name stands for all."""
    first: Node | None = one
    second: Node | None = other
    depth = len(steps) - 1
    while first is not None and second is not None and depth >= 0:
        up, across = first.parent, second.parent
        if up is not None and across is not None and up.mem_id == across.mem_id:
            return [*steps[:depth], first.tag or "*", *steps[depth + 1 :]]
        first, second, depth = up, across, depth - 1
    return steps
