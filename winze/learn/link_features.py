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
from winze.urls.shapes import shape_of, split_extension, split_url

#: Feature numbers of one link, each once.
Features = NDArray[np.int32]

#: Size of the hashed feature space; the features of one site seldom meet in it.
SPACE = 1 << 18

#: Row filler of a matrix of features; its weight stays zero.
PADDING = 0

#: The link names a keyword: a feature of its own, so that it can be given a prior weight.
KEYWORD = 1

#: Numbers below are kept for the two above.
_RESERVED = 2

#: Features a link may have at most; anchor tokens come last and are cut first.
WIDTH = 40

_URL_WORD = re.compile(r"[^\W_]+")
_LATIN_WORD = re.compile(r"[^\W_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,}")
_CJK_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")

#: Writing systems that tell the language of what lies behind a link.
_SCRIPTS = (
    ("kana", re.compile(r"[\u3041-\u30fa]")),
    ("han", re.compile(r"[\u3400-\u9fff]")),
    ("hangul", re.compile(r"[\uac00-\ud7af]")),
    ("latin", re.compile(r"[A-Za-z\u00c0-\u024f]")),
    ("cyrillic", re.compile(r"[\u0400-\u04ff]")),
    ("arabic", re.compile(r"[\u0600-\u06ff]")),
    ("digit", re.compile(r"[0-9]")),
)


class LinkLike(Protocol):
    """Whatever carries a link: model.Link on its page, or a candidate that waits."""

    @property
    def url(self) -> str:
        """Absolute URL."""

    @property
    def anchor(self) -> str:
        """The link's text."""

    @property
    def tag_path(self) -> str:
        """Where it stands in its page."""

    @property
    def rank(self) -> int:
        """How many of the same tag path stand before it."""


def features_of(link: LinkLike, *, parent: str = "", keywords: tuple[str, ...] = ()) -> Features:
    """Return the features of a link that stands on the page `parent`.

    The URL's parts with their words and shapes, the tag path, the rank among siblings, the
    parent's form, the words of the anchor (pairs of characters for Chinese, Japanese, Korean).
    `keywords` are folded words; their feature comes first. Stable from run to run.
    """
    head, _, last = link.url.rpartition("/")
    found = [
        *((KEYWORD,) if keywords and names_keyword(link, keywords) else ()),
        *_place_features(link.tag_path, min(link.rank, 255).bit_length()),
        *_head_features(head),
        *_last_features(head.count("/"), last),
        *_parent_features(url_form(parent) if parent else ""),
        *_anchor_features(link.anchor),
    ]
    return np.array(list(dict.fromkeys(found))[:WIDTH], dtype=np.int32)


def names_keyword(link: LinkLike, keywords: tuple[str, ...]) -> bool:
    """Does the anchor text or the URL hold one of the folded words?"""
    text = fold(f"{link.anchor} {unquote(link.url) if '%' in link.url else link.url}")
    return any(word in text for word in keywords)


@lru_cache(maxsize=1 << 14)
def url_form(url: str) -> str:
    """Return a URL with all that looks like an identifier replaced by its shape.

    >>> url_form("http://shop.example/list/it-books/page/2.html?sort=price&p=3")
    'shop.example/list/slug/page/#.html?p&sort'
    """
    parts = split_url(url)
    pieces = [parts.host]
    for position, part in enumerate(parts.path):
        stem, extension = split_extension(part)
        shape = shape_of(stem)
        last = position == len(parts.path) - 1
        plain = stem if shape == "word" and not (last and position) else str(shape)
        pieces.append(f"{plain}.{extension}" if extension else plain)
    query = "&".join(sorted({key for key, _ in parts.query}))
    return "/".join(pieces) + (f"?{query}" if query else "")


def number(token: str) -> int:
    """Return the feature number of a token."""
    return _RESERVED + zlib.crc32(token.encode()) % (SPACE - _RESERVED)


@lru_cache(maxsize=1 << 14)
def _head_features(head: str) -> tuple[int, ...]:
    """Features of a URL up to its last slash; siblings share them."""
    parts = split_url(head)
    tokens = [f"host={parts.host}", f"depth={len(parts.path)}"]
    for position, part in enumerate(parts.path):
        tokens.extend(_part_tokens(position, part))
    return tuple(map(number, tokens))


def _last_features(slashes: int, last: str) -> tuple[int, ...]:
    """Features of what stands behind a URL's last slash."""
    part, _, query = last.partition("?")
    tokens = list(_part_tokens(max(slashes - 2, 0), part)) if part else ["slash"]
    tokens.extend(f"query={pair}" for pair in query.split("&") if pair)
    return tuple(map(number, tokens))


def _part_tokens(position: int, part: str) -> list[str]:
    plain = unquote(part) if "%" in part else part
    stem, extension = split_extension(plain)
    words = _URL_WORD.findall(plain.lower())
    return [
        f"part{position}={plain}",
        f"shape{position}={shape_of(stem)}.{extension}",
        *(f"word={word}" for word in words),
    ]


@lru_cache(maxsize=1 << 14)
def _place_features(tag_path: str, rank_bits: int) -> tuple[int, ...]:
    return number(f"path={tag_path}"), number(f"rank={rank_bits}")


@lru_cache(maxsize=1 << 12)
def _parent_features(parent_form: str) -> tuple[int, ...]:
    return (number(f"parent={parent_form}"),) if parent_form else ()


@lru_cache(maxsize=1 << 14)
def _anchor_features(anchor: str) -> tuple[int, ...]:
    tokens = [f"length={min(5, len(anchor) // 8)}"]
    tokens.extend(f"anchor={word}" for word in _LATIN_WORD.findall(anchor.lower()))
    tokens.extend(f"script={script}" for script, letters in _SCRIPTS if letters.search(anchor))
    for run in _CJK_RUN.findall(anchor):
        tokens.extend(f"anchor={run[i : i + 2]}" for i in range(max(1, len(run) - 1)))
    return tuple(map(number, tokens))
