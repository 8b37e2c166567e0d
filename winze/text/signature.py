"""Signatures: whether two texts are the same."""

from __future__ import annotations

import hashlib

from winze.text.words import squeeze


def signature(text: str) -> str:
    """Return the MD5 of a text's words as hex: P2's checkpoint for "has this page changed?".

    >>> signature("a  b") == signature(" a b ") != signature("ab")
    True
    """
    return hashlib.md5(squeeze(text).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
