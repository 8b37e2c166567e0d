"""The types a field's text may have, told by its shape."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Any text: what remains when no narrower type fits every example.
TEXT = "text"

#: A day or a moment, or how long ago it was.
DATE = "date"

#: The words of a yes and of a no.
TRUE_WORDS = ("yes", "true", "on", "是", "有", "支持", "✓", "✔", "√")
_FALSE_WORDS = ("no", "false", "off", "否", "无", "不支持", "✗", "✘", "×")

_MONEY = r"(?:[$€£¥₤元円₩₹]|US\$|CA\$|USD|EUR|GBP|CNY|RMB|Kč|kr\.?|zł|Ft)"
_AMOUNT = r"\d[\d\s.,']*"

#: From narrow to wide; the first that fits all values is the field's type.
_SHAPES: dict[str, re.Pattern[str]] = {
    "image": re.compile(r"\S+\.(?:jpe?g|png|gif|webp|avif|svg|bmp)(?:[?#]\S*)?", re.I),
    "url": re.compile(r"(?:https?://|www\.)\S+|[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|edu|cn)\b\S*"),
    "price": re.compile(rf"{_MONEY}\s*{_AMOUNT}|{_AMOUNT}\s*{_MONEY}"),
    "boolean": re.compile("|".join((*TRUE_WORDS, *_FALSE_WORDS)), re.I),
    DATE: re.compile(
        r"(?:.{0,12}?)(?:\d{1,3}|an?|一|半)\s*个?\s*"
        r"(?:秒|分钟|小时|天|日|周|星期|月|年|seconds?|minutes?|hours?|days?|weeks?|months?|years?)\s*(?:以?前|ago)"
        r"|(?:刚刚|今天|昨天|前天|today|yesterday)(?:\s*\d{1,2}:\d{2})?"
        r"|(?=.*\d)(?:.{0,12}?)(?:\d{4}\s*[-/.年]\s*\d{1,2}\s*(?:[-/.月](?:\s*\d{1,2}.{0,20})?)?"
        r"|\d{1,2}\s*[-/.]\s*\d{1,2}\s*[-/.]\s*\d{2,4}.{0,12}"
        r"|(?:\d{1,2}(?:st|nd|rd|th)?\.?\s+)?[A-Za-zä]{3,9}\.?,?\s+(?:\d{1,2}(?:st|nd|rd|th)?,?\s+)?"
        r"\d{4}.{0,12})"
    ),
    "number": re.compile(r"[-+]?\d[\d.,]*\s*%?"),
    "code": re.compile(r"(?=(?:.*\d){3})[\dXx()+./\s-]{4,24}"),
}

#: Names that a wrapper may use.
TYPES = (*_SHAPES, TEXT)


def fits(name: str, value: str) -> bool:
    """Does a value have the shape of this type? Everything fits `text`.

    >>> fits("price", "£47.82"), fits("price", "in stock")
    (True, False)
    """
    shape = _SHAPES.get(name)
    return shape is None or shape.fullmatch(value.strip()) is not None


def type_of(values: Iterable[str]) -> str:
    """Return the narrowest type that fits every value; `text` if there is none.

    >>> type_of(["2019-09-07 13:43:45", "7 Sep 2019"]), type_of(["$5", "Free"])
    ('date', 'text')
    """
    known = [value for value in values if value]
    if not known:
        return TEXT
    return next((name for name in _SHAPES if all(fits(name, value) for value in known)), TEXT)
