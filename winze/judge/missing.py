"""Pages that say "not found" with status 200, told by the answer to a URL that was made up."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import IntEnum
from hashlib import blake2b
from urllib.parse import unquote

from winze.model import ErrorCode, Page, Status
from winze.text.signature import signature
from winze.text.simhash import near, simhash

#: Letters of a made-up name: no site has a page of this name.
_NAME_LENGTH = 20

_LETTERS = "bcdfghklmnprstvz"


#: What pages say that are not there. A hint to ask for the made-up URL, whose answer decides.
_APOLOGY = re.compile(
    r"\b404\b|not (?:be )?found|no longer|n[o']t exist|sorry|oops|unavailable|nicht gefunden"
    r"|introuvable|no encontrad|não encontrad|не найден|找不到|不存在|未找到|没有找到|已删除|已下架"
    r"|抱歉|对不起|見つかりません|찾을 수 없",
    re.I,
)

#: Characters in which an apology stands; a page with many more of them is none.
_APOLOGY_WITHIN, _APOLOGY_PAGE = 300, 2000


class Likeness(IntEnum):
    """How like the answer to a made-up URL a page is."""

    NONE = 0
    #: But for its own address, or nearly the same under one title.
    NEARLY = 1
    #: Word for word.
    SAME = 2


@dataclass(frozen=True, slots=True)
class Answer:
    """What a page says."""

    title: str
    signature: str
    #: Of the text without the page's own address, which many answers repeat.
    bare: str
    simhash: int | None = None


def made_up(url: str) -> str:
    """Return a URL that surely names nothing, in the first directory of a URL; the same each time.

    >>> made_up("http://shop.example/p/17?a=1")
    'http://shop.example/p/...'
    """
    directory = first_directory(url)
    digest = blake2b(directory.encode(), digest_size=_NAME_LENGTH).digest()
    return directory + "".join(_LETTERS[byte % len(_LETTERS)] for byte in digest)


def first_directory(url: str) -> str:
    """Return a URL up to the slash behind its first directory.

    >>> first_directory("http://shop.example/p/17"), first_directory("http://shop.example/17?a=/b")
    ('http://shop.example/p/', 'http://shop.example/')
    """
    scheme, _, rest = url.partition("#")[0].partition("?")[0].partition("://")
    parts = rest.split("/")
    kept = parts[:2] if len(parts) > 2 else parts[:1]
    return f"{scheme}://{'/'.join(kept)}/"


def answer_of(page: Page) -> Answer:
    """Return what a page says."""
    title = _without_address(page.title, page.url)
    bare = signature(_without_address(page.text, page.url))
    return Answer(title, page.signature, bare, simhash(page.text))


def says_missing(page: Page) -> bool:
    """Does the answer to a made-up URL look like a page, so that it must be remembered?"""
    return page.status is Status.FETCHED and page.error is ErrorCode.OK and page.http_status == 200


def hints_missing(page: Page) -> bool:
    """Does a page look as if it said that it is not there?

    >>> hints_missing(Page("http://shop.example/p/1", Status.FETCHED, text="抱歉，商品已下架"))
    True
    """
    if len(page.text) > _APOLOGY_PAGE:
        return False
    return _APOLOGY.search(f"{page.title} {page.text[:_APOLOGY_WITHIN]}") is not None


def likeness(one: Answer, other: Answer) -> Likeness:
    """Return how like each other two answers are.

    >>> likeness(Answer("Sorry", "a", "b", 0b1011), Answer("Sorry", "c", "d", 0b1001)).name
    'NEARLY'
    """
    if one.title != other.title:
        return Likeness.NONE
    if one.signature == other.signature:
        return Likeness.SAME
    alike = one.bare == other.bare or near(one.simhash, other.simhash)
    return Likeness.NEARLY if alike else Likeness.NONE


def _without_address(text: str, url: str) -> str:
    """Leave out the page's URL, its path and its last part, escaped or not, longest first."""
    path = "/" + url.partition("://")[2].partition("/")[2]
    name = path.rstrip("/").rpartition("/")[2]
    spellings = dict.fromkeys(
        spelling for part in (url, path, name) for spelling in (part, unquote(part)) if part
    )
    for spelling in spellings:
        if spelling in text:
            text = re.sub(rf"(?<!\w){re.escape(spelling)}(?!\w)", "", text)
    return text
