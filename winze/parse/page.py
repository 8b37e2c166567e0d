"""A response read as a page: decoded once, parsed once."""

from __future__ import annotations

from dataclasses import replace

from winze.model import ErrorCode, Page, Response, Status
from winze.parse.bombs import is_bomb
from winze.parse.encoding import decode
from winze.parse.html import Tree
from winze.parse.links import canonical_link, meta_refresh
from winze.parse.metadata import language
from winze.parse.robots_meta import wishes
from winze.text.signature import signature
from winze.urls.canonical import clean, join

#: What becomes of a URL that gave no page.
_FAILED = {
    ErrorCode.URL_404: Status.GONE,
    ErrorCode.ROBOTS_DENIED: Status.EXCLUDED,
}

_NOT_MODIFIED = 304


def read_page(response: Response) -> tuple[Page, Tree | None]:
    """Return the page of a response, and its tree if there is content to look at."""
    page, tree = open_page(response)
    return (page, tree) if tree is None else (with_text(page, tree.text_outside_links()), tree)


def open_page(response: Response) -> tuple[Page, Tree | None]:
    """Return the page of a response but for its text, and its tree if there is content."""
    location = _redirect(response)
    if response.error is not ErrorCode.OK or location or not response.body:
        return _bare_page(response, location), None
    decoded = decode(response.body, response.header("content-type"))
    if is_bomb(response.body, decoded.text):
        return _bare_page(replace(response, error=ErrorCode.TOO_LARGE), ""), None
    tree = Tree(response.body if decoded.is_utf8 else decoded.text)
    moved = _somewhere_else(meta_refresh(tree, response.url), response.url)
    if moved:
        return _bare_page(response, moved), None
    asked = wishes(response, tree)
    page = Page(
        response.url,
        Status.FETCHED,
        http_status=response.http_status,
        title=tree.title(),
        language=language(tree),
        encoding=decoded.encoding,
        canonical=canonical_link(tree, response.url),
        noindex=asked.noindex,
        nofollow=asked.nofollow,
    )
    return page, tree


def with_text(page: Page, text: str) -> Page:
    """Return the page with its text outside links, and the signature of that."""
    return replace(page, text=text, signature=signature(text))


def _bare_page(response: Response, location: str) -> Page:
    if location:
        status, error = Status.REDIRECTED, response.error
    elif response.http_status == _NOT_MODIFIED:
        status, error = Status.UNCHANGED, response.error
    elif response.error is ErrorCode.OK and 300 <= response.http_status < 400:
        status, error = Status.FETCH_ERROR, ErrorCode.OTHER_ERROR
    elif response.error is ErrorCode.OK:
        status, error = Status.FETCHED, response.error
    else:
        status, error = _FAILED.get(response.error, Status.FETCH_ERROR), response.error
    return Page(response.url, status, error, response.http_status, location=location)


def _redirect(response: Response) -> str:
    """Return where an HTTP redirect points; a loop points nowhere."""
    location = response.header("location").strip()
    is_redirect = 300 <= response.http_status < 400 and response.http_status != _NOT_MODIFIED
    if not is_redirect or response.error is not ErrorCode.OK or not location:
        return ""
    return join(response.url, location) or ""


def _somewhere_else(location: str, url: str) -> str:
    """A page that refreshes itself is no redirect."""
    return location if location and clean(location) != clean(url) else ""
