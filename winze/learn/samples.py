"""Values that stand in learned.json beside each field, so that a person sees what it gives."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from winze.extract.wrapper import Wrapper, apply
from winze.parse.html import Tree

#: Values of each field, and characters of each.
SAMPLES, _LENGTH = 3, 80


def with_samples(wrapper: Wrapper, trees: Iterable[Tree]) -> Wrapper:
    """Return the wrapper with the first different values that each field gives on these pages.

    >>> pages = [Tree(f"<h1>Book {n // 2}</h1>") for n in range(9)]
    >>> wrapper = with_samples(Wrapper.from_json({"title": "h1"}), pages)
    >>> wrapper.templates[0].fields[0].samples
    ('Book 0', 'Book 1', 'Book 2')
    """
    records = [apply(wrapper, tree) for tree in trees]

    def of(name: str) -> tuple[str, ...]:
        values = (record.get(name) or [] for record in records)
        texts = (one for value in values for one in ([value] if isinstance(value, str) else value))
        different = dict.fromkeys(text[:_LENGTH] for text in texts if text)
        return tuple(islice(different, SAMPLES))

    templates = (
        replace(
            template,
            fields=tuple(replace(field, samples=of(field.name)) for field in template.fields),
        )
        for template in wrapper.templates
    )
    return Wrapper(tuple(templates))
