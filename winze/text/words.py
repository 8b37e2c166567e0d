"""Text made comparable."""

from __future__ import annotations

import html
import re
import unicodedata

#: Characters that take no room on the page and must not make two texts differ.
_ZERO_WIDTH = re.compile("[\u200b\u200c\u200d\ufeff\u2060\xad]+")


def fold(text: str) -> str:
    """Return text as values are compared: entities, NFKC, white space and case folded.

    >>> fold(" Ｓharp&nbsp; OBJECTS ")
    'sharp objects'
    """
    decoded = html.unescape(html.unescape(text))
    plain = _ZERO_WIDTH.sub("", unicodedata.normalize("NFKC", decoded))
    return " ".join(plain.split()).casefold()


def squeeze(text: str) -> str:
    """Return text with white space runs as one blank and none at the ends.

    >>> squeeze(" Sharp   Objects ")
    'Sharp Objects'
    """
    return " ".join(text.split())
