"""A value that is only part of a text: the regexes that cut it out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product

from winze.text.words import fold

#: Regexes kept for one place.
_KEPT = 5

#: Longest text before or behind a value that is taken as fixed wording.
_MAX_FIXED = 40

#: Letters a value may have and still be described by the shape of its digits.
_MAX_SHAPE_LETTERS = 12

_LAST_TOKEN = re.compile(r"\S+\s*$")
_FIRST_TOKEN = re.compile(r"\s*\S+")
#: Parts of our regexes that aren't wording.
_LITERAL = re.compile(r"\\s[*+]|\\d\+|\[[^\]]*\][*+]?|\{\d+\}|\(\?[:<!=]+")
_WORD = re.compile(r"[^\W\d_]{2}")
#: Marks that end a label or part two texts.
_MARK = re.compile(r"[:：|–—·•»_/=#(]|\\-")
_DIGIT = re.compile(r"\d")


def part_regexes(text: str, value: str) -> list[str]:
    """Return regexes that find a value inside a squeezed text, the most telling first.

    Empty if the value doesn't stand there, or stands inside a longer word.

    >>> part_regexes("ISBN: 0307341550 (paperback)", "0307341550")[0]
    '^\\\\s*ISBN:\\\\s*(.+?)\\\\s*\\\\(paperback\\\\)$'
    """
    span = _find(text, value)
    if span is None:
        return []
    start, end = span
    found = dict.fromkeys((*_between(text, start, end), *_shape(text[start:end])))
    right = [regex for regex in found if _first(regex, text) == fold(value)]
    return right[:_KEPT]


def hangs_on_words(regex: str) -> bool:
    r"""Does a regex need words beside the value that don't look like a label or a separator?

    >>> hangs_on_words(r"^\s*Easy\s+(.+)$"), hangs_on_words(r"ISBN:\s*(.+)$")
    (True, False)
    """
    left, _, right = _LITERAL.sub("", regex).partition("(.+")
    return any(_WORD.search(side) and not _MARK.search(side) for side in (left, right))


def _find(text: str, value: str) -> tuple[int, int] | None:
    """Return where a value stands in a text as a whole word or words."""
    pattern = r"\s+".join(map(re.escape, value.split()))
    for match in re.finditer(pattern, text, re.IGNORECASE):
        if not _splits_word(text, match.start()) and not _splits_word(text, match.end()):
            return match.span()
    return None


def _splits_word(text: str, at: int) -> bool:
    """Would a cut here go through a Latin word or a number?"""
    pair = text[max(at - 1, 0) : at + 1]
    if not 0 < at < len(text) or not pair.isalnum():
        return False
    return all(char < "\u2e80" for char in pair) and pair[0].isdigit() == pair[1].isdigit()


def _first(regex: str, text: str) -> str:
    match = re.search(regex, text)
    return fold(match[1]) if match else ""


def _between(text: str, start: int, end: int) -> Iterator[str]:
    lefts = list(_lefts(text[:start]))
    rights = list(_rights(text[end:]))
    for left, right in product(lefts, rights):
        yield f"{left}(.+)$" if right == "$" else f"{left}(.+?){right}"


def _lefts(before: str) -> Iterator[str]:
    if not before.strip():
        yield r"^\s*"
        return
    stripped = before.rstrip()
    token = _LAST_TOKEN.search(stripped)
    if len(stripped) <= _MAX_FIXED and not _DIGIT.search(stripped):
        yield rf"^\s*{_literal(stripped)}\s*"
    if token and not _DIGIT.search(token[0]):
        yield rf"{_literal(token[0])}\s*"
    mark = stripped[-1]
    if not mark.isalnum():
        escaped = re.escape(mark)
        yield rf"^(?:[^{escaped}]*{escaped}){{{stripped.count(mark)}}}\s*"
        if stripped.count(mark) > 1:
            yield rf"{escaped}\s*(?!.*{escaped})"


def _rights(behind: str) -> Iterator[str]:
    if not behind.strip():
        yield "$"
        return
    stripped = behind.strip()
    if len(stripped) <= _MAX_FIXED and not _DIGIT.search(stripped):
        yield rf"\s*{_literal(stripped)}$"
    token = _FIRST_TOKEN.match(behind)
    if token and not _DIGIT.search(token[0]):
        yield rf"\s*{_literal(token[0].strip())}"
    if not stripped[0].isalnum():
        yield rf"\s*{re.escape(stripped[0])}"


def _literal(text: str) -> str:
    return r"\s+".join(map(re.escape, text.split()))


def _shape(value: str) -> Iterator[str]:
    """Yield the value's shape: digits stand for any digits, the rest for itself."""
    letters = sum(char.isalpha() for char in value)
    if sum(char.isdigit() for char in value) < 2 or letters > _MAX_SHAPE_LETTERS:
        return
    pieces = re.findall(r"\d+|[A-Za-z]+|\s+|[^\sA-Za-z\d]+", value)
    yield rf"(?<!\d)({''.join(map(_piece, pieces))})(?!\d)"


def _piece(piece: str) -> str:
    if piece.isdigit():
        return r"\d+"
    if piece.isspace():
        return r"\s+"
    return "[A-Za-z]+" if piece.isascii() and piece.isalpha() else re.escape(piece)
