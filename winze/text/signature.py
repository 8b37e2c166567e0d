"""Signatures: whether two texts are the same."""

from __future__ import annotations

import hashlib

from winze.text.words import squeeze


def signature(text: str) -> str:
    """Return the MD5 of a text's words as hex: P2's checkpoint for "has this page changed?".

    >>> signature("a  b") == signature(" a b ") != signature("ab")
    True
    """
    plain = text if _is_squeezed(text) else squeeze(text)
    return hashlib.md5(plain.encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def _is_squeezed(text: str) -> bool:
    """Is a blank the text's only white space, never twice? A page's text is: a third of the cost.

    A printable character that is white space is a blank.
    """
    return (
        text.isprintable()
        and "  " not in text
        and not text.startswith(" ")
        and not text.endswith(" ")
    )
