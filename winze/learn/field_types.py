"""Whether the examples' types hold on other pages of the site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from winze.extract.typed import Reading, typed_fields
from winze.extract.value_types import TEXT
from winze.extract.wrapper import Wrapper, apply
from winze.parse.html import Tree

#: Share of the pages with a value on which it may miss the field's type. With more the examples
#: were too few to tell: the field is text, and no record is refused for it.
MOST_MISFITS = 0.05


def settled(wrapper: Wrapper, trees: Iterable[Tree]) -> Wrapper:
    """Return the wrapper with those types only that hold on these pages.

    >>> wrapper = Wrapper.from_json([{"id": "p", "fields": {
    ...     "pages": {"type": "number", "paths": [{"css": "b"}]}}}])
    >>> settled(wrapper, [Tree(f"<b>{n}</b>") for n in range(9)]).types()
    {'pages': 'number'}
    >>> settled(wrapper, [Tree(f"<b>{n}</b>") for n in ("12", "xii, 320", "many")]).types()
    {'pages': 'text'}
    """
    types = wrapper.types()
    present: Counter[str] = Counter()
    misfits: Counter[str] = Counter()
    for tree in trees:
        fields = apply(wrapper, tree)
        present.update(name for name, value in fields.items() if value)
        misfits.update(typed_fields(types, fields, Reading())[1])
    refuted = {name for name, number in misfits.items() if number > MOST_MISFITS * present[name]}
    return wrapper.with_types(dict.fromkeys(refuted, TEXT))
