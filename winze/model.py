"""The nouns of the story, in its order: a URL becomes a Page, Links and a Record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from typing import Protocol


class Status(StrEnum):
    """What is known about fetching a URL; each URL has exactly one."""

    DISCOVERED = "discovered"
    FETCHED = "fetched"
    UNCHANGED = "unchanged"
    REDIRECTED = "redirected"
    FETCH_ERROR = "fetch_error"
    GONE = "gone"
    EXCLUDED = "excluded"


class Verdict(StrEnum):
    """What was decided about a page's relevance."""

    RELEVANT = "relevant"
    IRRELEVANT = "irrelevant"
    UNCERTAIN = "uncertain"
    NOT_JUDGED = "not judged"


class Kind(StrEnum):
    """The part a URL plays on its site: a source leads to targets, a target holds a record."""

    SOURCE = "source"
    TARGET = "target"
    OTHER = "other"


class ErrorCode(IntEnum):
    """Why a URL gave no clean page or record; 0 to 12 are P4's, ours start at 20."""

    OK = 0
    URL_404 = 1
    URL_TIME_OUT = 2
    SAVE_ERROR = 3
    SAVE_PRODUCT_ERROR = 4
    NOT_IMAGE = 5
    VALIDATE_ERROR = 6
    PRODUCT_EXISTS = 7
    IMAGE_SAVE_ERROR = 8
    FILTER_ERROR = 9
    OTHER_ERROR = 10
    UNKNOWN_CATEGORY_ERROR = 11
    NOT_GOODS = 12
    ROBOTS_DENIED = 20
    TOO_LARGE = 21
    BAD_ENCODING = 22
    REDIRECT_LOOP = 23
    OUT_OF_SCOPE = 24
    SOFT_404 = 25
    TRAP = 26
    DNS = 27
    TLS = 28
    CONNECTION = 29
    HTTP_4XX = 30
    HTTP_5XX = 31
    RATE_LIMITED = 32
    LOGIN_WALL = 33


@dataclass(frozen=True, slots=True)
class Request:
    """One URL to be fetched, and how the crawl came to know it."""

    url: str
    #: Clicks from a start link.
    depth: int = 0
    #: Off-topic pages in a row that end with the parent page (GWC paper, eq. 3).
    parent_weight: int = 0
    #: ETag and Last-Modified of the copy that is at hand; the empty string for one not known.
    validators: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Response:
    """What the network gave for one request. A failure is a value here, never an exception."""

    url: str
    #: 0 when no answer came.
    http_status: int = 0
    #: In the order they came, names in lower case.
    headers: tuple[tuple[str, str], ...] = ()
    #: After Content-Encoding was undone.
    body: bytes = b""
    error: ErrorCode = ErrorCode.OK
    #: Seconds since the epoch.
    fetched_at: float = 0.0

    def header(self, name: str) -> str:
        """Return the first header of this name (lower case), or the empty string."""
        return next((value for key, value in self.headers if key == name), "")


class Fetcher(Protocol):
    """Whatever turns a request into a response: the network, an archive, a test's dictionary."""

    async def __call__(self, request: Request) -> Response:
        """Fetch one URL; return failures as a Response with an error code."""
        ...


@dataclass(frozen=True, slots=True)
class Page:
    """One fetched URL as text. `status` and `error` say what became of it."""

    url: str
    status: Status
    error: ErrorCode = ErrorCode.OK
    http_status: int = 0
    #: Where a REDIRECTED page points (HTTP or meta refresh), absolute.
    location: str = ""
    title: str = ""
    #: Visible text outside links; what the keyword expression is judged on.
    text: str = ""
    language: str = ""
    encoding: str = ""
    #: The page's own claim; a hint until it is verified.
    canonical: str = ""
    #: MD5 of the cleaned text (P2's checkpoint), hex.
    signature: str = ""
    #: The page asks robots not to keep it, or not to follow its links (meta, X-Robots-Tag).
    noindex: bool = False
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A link as it stands on its page."""

    #: Absolute, without fragment.
    url: str
    anchor: str = ""
    #: The last element names with classes from the root to the link, joined by ">".
    tag_path: str = ""
    #: How many links of the same tag path stand before it on the page.
    rank: int = 0
    #: rel=nofollow.
    nofollow: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """The row that a target page gives: field name to text, list of texts, or None for absent."""

    url: str
    fields: Mapping[str, str | list[str] | None]
    #: Empty for a good record, else why it went to quarantine.
    reason: str = ""
    #: The fields that have a type, read as JSON values (extract.typed); None for absent.
    typed: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the judges saw, kept so that a verdict can be explained."""

    #: Jaccard similarity of tag paths with the nearest example page, 0 to 1; -1 if not compared.
    similarity: float = -1.0
    #: Does the keyword expression hold on the text outside links? None without one.
    keywords: bool | None = None
    #: Does the URL match a learned or hand-written target pattern? None without one.
    url_match: bool | None = None
    #: Characters of visible text, links included.
    text_length: int = 0
    #: Script elements on the page.
    scripts: int = 0


@dataclass(frozen=True, slots=True)
class Visit:
    """The whole story of one URL: page, verdict, links, record, evidence."""

    request: Request
    page: Page
    kind: Kind = Kind.OTHER
    verdict: Verdict = Verdict.NOT_JUDGED
    links: tuple[Link, ...] = ()
    record: Record | None = None
    #: P1's weight of this page, 0 is best.
    weight: int = 0
    evidence: Evidence = field(default_factory=Evidence)
    #: The raw answer, for the archive; None when the page was read from there.
    response: Response | None = None
