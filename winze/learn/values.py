"""Does a value that the user copied stand on its page, and if not, what is like it?"""

from __future__ import annotations

from rapidfuzz import fuzz, process

from winze.learn.page_index import PageIndex
from winze.learn.spots import stands
from winze.parse.html import Tree, visible_texts
from winze.text.words import fold, squeeze

#: Least likeness of a text that is worth showing, 0 to 100 (rapidfuzz).
LEAST_LIKENESS = 55.0

#: Longest text shown to the user.
SHOWN = 80


def find_value(tree: Tree, value: str) -> bool:
    """Does the value stand on the page: as a text, part of one, attribute or data?"""
    return stands(PageIndex(tree), value)


def nearest_text(tree: Tree, value: str) -> str:
    """Return the page's text that is most like a value, or the empty string.

    >>> nearest_text(Tree("<h1>Sharp Objects</h1><p>Other things"), "Sharp Object")
    'Sharp Objects'
    """
    texts = {squeeze(text) for text in visible_texts(tree.root)} - {""}
    found = process.extractOne(
        fold(value),
        sorted(texts),
        scorer=fuzz.ratio,
        processor=fold,
        score_cutoff=LEAST_LIKENESS,
    )
    return found[0][:SHOWN] if found else ""
