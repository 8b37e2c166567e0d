"""What a link says about the page behind it, as hashed features (design 6.2)."""

from __future__ import annotations

import re
import zlib
from functools import lru_cache
from typing import Protocol
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from winze.text.words import fold
from winze.urls.shapes import Shape, shape_of, split_url

#: Feature numbers of one link, each once.
Features = NDArray[np.int32]

#: Size of the hashed feature space: 5,000 distinct features of a site seldom meet in it.
SPACE = 1 << 18

#: Row filler of a matrix of features; its weight stays zero.
PADDING = 0

#: The link names a keyword: a feature of its own, so that it can be given a prior weight.
KEYWORD = 1

#: Numbers below are kept for the two above.
_RESERVED = 2

#: Features a link may have at most; what comes last in `features` is cut.
WIDTH = 40

#: Anchor tokens that are kept: a long anchor is a teaser and would drown the URL.
_ANCHOR_TOKENS = 12

_WORD = re.compile(r"[a-z0-9]{2,}|[^\W\da-z_]+")
_INNER = re.compile(r"[\W_]+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


class LinkLike(Protocol):
    """Whatever carries a link: model.Link on its page, or a candidate that waits."""

    @property
    def url(self) -> str: ...
    @property
    def anchor(self) -> str: ...
    @property
    def tag_path(self) -> str: ...
    @property
    def rank(self) -> int: ...


def features_of(link: LinkLike, *, parent: str = "", keywords: tuple[str, ...] = ()) -> Features:
    """Return the features of a link that stands on the page `parent`.

    URL parts with their words and shapes, the tag path, the rank among siblings, the parent's
    form, the words of the anchor text (pairs of characters for Chinese, Japanese and Korean).
    The hash is stable from run to run. `keywords` are folded words.
    """
    head, _, last = link.url.rpartition("/")
    found = [
        *_head_features(head),
        *_last_features(last),
        *_place_features(link.tag_path, min(link.rank, 64).bit_length()),
        *_parent_features(form(parent) if parent else ""),
        *_anchor_features(link.anchor),
    ]
    if keywords and names_keyword(link, keywords):
        found.insert(0, KEYWORD)
    return np.array(list(dict.fromkeys(found))[:WIDTH], dtype=np.int32)
