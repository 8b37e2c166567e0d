"""Text made comparable."""

from __future__ import annotations

import html
import unicodedata

#: Characters that take no room on the page and must not make two texts differ.
_ZERO_WIDTH = "\u200b\u200c\u200d\ufeff\u2060\xad"


def fold(text: str) -> str:
    """Return text as values are compared: entities, NFKC, white space and case folded.

    >>> fold(" Ｓharp&nbsp; OBJECTS ")
    'sharp objects'
    """
    plain = html.unescape(html.unescape(text)) if "&" in text else text
    if not plain.isascii():
        # Whole pages are folded: what nearly all of them lack is looked for first.
        if not unicodedata.is_normalized("NFKC", plain):
            plain = unicodedata.normalize("NFKC", plain)
        for character in _ZERO_WIDTH:
            if character in plain:
                plain = plain.replace(character, "")
    return " ".join(plain.split()).casefold()


def squeeze(text: str) -> str:
    """Return text with white space runs as one blank and none at the ends.

    >>> squeeze(" Sharp   Objects ")
    'Sharp Objects'
    """
    return " ".join(text.split())
