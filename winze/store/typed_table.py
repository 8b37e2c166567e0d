"""Records as a table of typed values: a price takes two columns, the rest one each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from winze.store.records import StoredRecord

#: What the column of a price's currency is called behind the price's own.
_CURRENCY = "_currency"


def typed_columns(columns: Sequence[str], types: Mapping[str, str]) -> list[str]:
    """Return the columns with one more behind each price.

    >>> typed_columns(["title", "price"], {"price": "price"})
    ['title', 'price', 'price_currency']
    """
    found: list[str] = []
    for name in columns:
        found.append(name)
        if types.get(name) == "price" and name + _CURRENCY not in columns:
            found.append(name + _CURRENCY)
    return found


def typed_row(record: StoredRecord, columns: Sequence[str]) -> dict[str, Any]:
    """Return a record's values by these columns, typed where they have a type.

    >>> price = {"amount": "47.82", "currency": "GBP"}
    >>> record = StoredRecord("/p", {"title": "A", "price": "£47.82"}, True, "", {"price": price})
    >>> typed_row(record, ["title", "price", "price_currency"])
    {'title': 'A', 'price': '47.82', 'price_currency': 'GBP'}
    """
    row: dict[str, Any] = {}
    for name in columns:
        if name in record.fields:
            row[name] = _part(record.typed.get(name, record.fields[name]), "amount")
        elif name.endswith(_CURRENCY):
            row[name] = _part(record.typed.get(name.removesuffix(_CURRENCY)), "currency")
    return row


def _part(value: Any, name: str) -> Any:
    """Return this part of a price, or of each price in a list; other values as they are."""
    if isinstance(value, list):
        return [_part(one, name) for one in value]
    return value.get(name) if isinstance(value, Mapping) else value
