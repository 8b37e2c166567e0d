"""URLs made absolute, requestable and comparable."""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import quote_from_bytes

import ada_url

from winze.urls.parameters import without_sessions, without_tracking

#: Hosts are spread over this many partitions of the cluster (design 4).
BUCKETS = 4096

#: An absolute http(s) URL in WHATWG form: scheme, authority, path, query with its "?".
_PARTS = re.compile(r"(https?)://([^/?#]+)([^?#]*)(\??[^#]*)")

#: URLs that are their own WHATWG form, so that ada need not look at them.
_NORMAL = re.compile(
    r"(https?)://("
    r"(?:(?:[a-z0-9][a-z0-9-]*\.)*[a-z][a-z0-9-]*|127\.0\.0\.1)(?::(?:[1-5]\d{4}|[1-9]\d{0,3}))?)"
    r"((?:/(?!\.|%2[eE])[\w\-.~!()*,:@=&;+%]*+)++)((?:\?[\w\-.~!()*,:@=&;+%/]*)?)",
    re.A,
)

#: A name in a path that every writer spells alike: nothing to fold, no dot segment.
_NAME = r"[A-Za-z0-9_~-][A-Za-z0-9_.~-]*"

#: Links that browsers just put behind a directory of their base; the last group is what they add.
_SIMPLE_HREF = re.compile(
    rf"(?:(/)|((?:\.\./)*))({_NAME}(?:/{_NAME})*+/?(?:\?[\w\-.~!()*,:@=&;+%/]*)?)", re.A
)

_SIMPLE_QUERY = re.compile(r"[\w\-.~!()*,:@=&;+%/]*", re.A)

#: Last parts of paths that need no folding; index pages do.
_SIMPLE_NAME = re.compile(rf"(?!(?:index|default)\.){_NAME}", re.A | re.I)

_LEADING_WWW = re.compile(r"(?:www\.)+(?=[^.]+\.)")

#: ";", or a bracket behind a slash, bare or escaped.
_MAY_HOLD_SESSION = re.compile(r";|%3B|/(?:\(|%28)", re.I)

_DEFAULT_PORT = re.compile(r":(?:80|443)$")

_ROOT_DOT = re.compile(r"\.+(?=:|$)")

#: What a server gives for a directory. default.html is IIS's too, but manuals have such pages.
_INDEX_PAGE = re.compile(r"/(?:index\.(?:html?|shtml|php\d?|aspx?|jsp|cgi)|default\.aspx?)$", re.I)

_AMP = re.compile(r"(?:(?<=&)|^)(?:amp;)+")

_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")

#: What encodeURIComponent leaves bare and other writers escape: both spellings are one URL.
_BARE = frozenset("-._~!()*,:@")

#: What WHATWG leaves bare in a path or query and other writers escape (RFC 3986, 2).
_UNWISE = re.compile(r"[\[\]|^`{}\\'\"<>]")

_NON_ASCII = re.compile(r"[^\x00-\x7f]+")


def join(base: str, href: str, *, encoding: str = "utf-8") -> str | None:
    """Return the absolute http(s) URL that a link names, without its fragment, else None.

    As browsers do (WHATWG URL): white space is trimmed, the path is percent-encoded as UTF-8, the
    query in the page's `encoding`. None stands for mailto:, javascript:, data: and malformed URLs.

    >>> join("http://shop.example/a/b", "../s?q=川菜#top", encoding="gbk")
    'http://shop.example/s?q=%B4%A8%B2%CB'
    >>> join("http://shop.example/", "javascript:void(0)") is None
    True
    """
    href = href.partition("#")[0] or href
    found = _SIMPLE_HREF.fullmatch(href)
    if found is not None and (directories := _directories(base)):
        root, up, rest = found.groups()
        place = -1 if root else min(len(up) // 3, len(directories) - 1)
        return directories[place] + rest
    if not href.isascii() and encoding.lower() not in {"utf-8", "utf8"}:
        href = _encoded_query(href, encoding)
    try:
        url = ada_url.join_url(base, href)
    except ValueError:
        return None
    if not url.startswith(("http://", "https://")):
        return None
    return url.partition("#")[0] if "#" in url else url


def clean(url: str) -> str:
    """Return the URL that is asked for: without fragment, tracking and session parameters.

    Everything else (order, case, www, slash) stays as the site wrote it. Expects what `join` gives.

    >>> clean("http://www.shop.example/B/;jsessionid=1F?b=2&utm_source=x&a=1#top")
    'http://www.shop.example/B/?b=2&a=1'
    """
    url = url.partition("#")[0]
    if "?" not in url and ";" not in url and "/(" not in url:
        return url
    head, mark, query = url.partition("?")
    head = without_sessions(head)
    if not mark:
        return head
    pieces = query.split("&")
    kept = without_tracking(pieces)
    if query and len(kept) == len(pieces):
        return f"{head}?{query}"
    return f"{head}?{'&'.join(kept)}" if any(kept) else head


def canonicalize(url: str) -> str:
    """Return the identity of the page that a URL names; two URLs with the same one are one row.

    Folded are: scheme, www, default port, dot segments, index page, trailing slash, the spelling of
    percent-encoding and of international host names, the order of parameters; dropped are fragment,
    user name, tracking and session parameters. Case of path and query is kept.
    Raises ValueError for anything but an absolute http(s) URL.

    >>> canonicalize("HTTPS://www.Shop.example:443/a/../b/index.html?z=%7e&a=1&utm_id=3#top")
    'http://shop.example/b?a=1&z=~'
    """
    address, mark, query = url.partition("?")
    if mark and "#" not in address and _SIMPLE_QUERY.fullmatch(query):
        query = _folded_query(query)
        return f"{_address(address)}?{query}" if query else _address(address)
    return _canonicalized(url) if mark else _address(url)


def _address(url: str) -> str:
    """Return the canonical form of a URL without a query."""
    head, _, last = url.rpartition("/")
    if _SIMPLE_NAME.fullmatch(last) and (directory := _folded_directory(head)):
        return f"{directory}/{last}"
    return _canonicalized(url)


@lru_cache(maxsize=4096)
def _folded_directory(head: str) -> str:
    """Return the canonical form of a URL up to its last slash; empty if that is no path's.

    The names in one directory share it, and most links of a page are into a few.
    """
    if "?" in head or "#" in head or head.endswith(("/", ":")):
        return ""
    try:
        return _canonicalized(f"{head}/x").removesuffix("/x")
    except ValueError:
        return ""


def _canonicalized(url: str) -> str:
    scheme, authority, path, query = _split(url)
    if _MAY_HOLD_SESSION.search(path) and (rest := without_sessions(_spelled(path))) != path:
        # Without its session id the path may hold a dot segment.
        return _canonicalized(f"{scheme}://{authority}{rest}{query}")
    host = _folded_host(authority)
    path = _folded_path(path)
    if len(query) > 1:
        query = _folded_query(query[1:])
        return f"http://{host}{path}?{query}" if query else f"http://{host}{path}"
    return f"http://{host}{path}"


def key(url: str) -> bytes:
    """Return the 128-bit fingerprint of a URL's canonical form: the key of its row.

    >>> key("http://shop.example/a/") == key("https://www.shop.example/a")
    True
    """
    return blake2b(canonicalize(url).encode(), digest_size=16).digest()


def host_of(url: str) -> str:
    """Return whom a URL asks: host in lower case, with its port unless that is the default.

    >>> host_of("http://Shop.example:8080/a"), host_of("https://shop.example:443/")
    ('shop.example:8080', 'shop.example')
    """
    scheme, authority, _, _ = _split(url)
    return _host(scheme, authority)


def origin_of(url: str) -> str:
    """Return scheme and host of a URL: what one robots.txt speaks for (RFC 9309, 2.3).

    >>> origin_of("https://shop.example/a?b")
    'https://shop.example'
    """
    scheme, authority, _, _ = _split(url)
    return f"{scheme}://{_host(scheme, authority)}"


@lru_cache(maxsize=4096)
def folded_origin(origin: str) -> str:
    """Return the origin by which a site is known, whatever its links write: no www, http.

    >>> folded_origin("https://www.Shop.example:443")
    'http://shop.example'
    """
    return canonicalize(f"{origin}/").rstrip("/")


def bucket(host: str) -> int:
    """Return the partition of the cluster that looks after a host.

    >>> 0 <= bucket("shop.example") < BUCKETS
    True
    """
    return int.from_bytes(blake2b(host.encode()).digest(), "big") % BUCKETS


@lru_cache(maxsize=64)
def _directories(base: str) -> tuple[str, ...]:
    """Return a URL's directory and those above it, up to the root; none if it needs folding.

    >>> _directories("http://shop.example/a/b?c")
    ('http://shop.example/a/', 'http://shop.example/')
    """
    found = _NORMAL.fullmatch(base.partition("#")[0])
    if found is None or _DEFAULT_PORT.search(found[2]):
        return ()
    origin, *names = found[3].split("/")
    origin = f"{found[1]}://{found[2]}"
    heads = ["/".join((origin, *names[:count], "")) for count in range(len(names))]
    return tuple(reversed(heads))


def _split(url: str) -> tuple[str, str, str, str]:
    """Return scheme, authority, path and query (with its "?") of the URL's WHATWG form."""
    found = _NORMAL.fullmatch(url) or _PARTS.match(ada_url.normalize_url(url))
    if found is None:
        raise ValueError(f"not an absolute http(s) URL: {url}")
    return found.group(1, 2, 3, 4)  # type: ignore[return-value]


def _folded_host(authority: str) -> str:
    host = authority.rpartition("@")[2] if "@" in authority else authority
    if ":" in host:
        # Either default port: the scheme is folded too.
        host = _DEFAULT_PORT.sub("", host)
    if host.startswith("www."):
        host = _LEADING_WWW.sub("", host)
    return _ROOT_DOT.sub("", host)


def _host(scheme: str, authority: str) -> str:
    host = authority.rpartition("@")[2] if "@" in authority else authority
    return host.removesuffix(":80" if scheme == "http" else ":443")


def _folded_path(path: str) -> str:
    path = _spelled(path).rstrip("/")
    while found := _INDEX_PAGE.search(path):
        path = path[: found.start()].rstrip("/")
    return path or "/"


def _folded_query(query: str) -> str:
    query = _spelled(query).replace("%20", "+")
    if "amp;" in query:
        # An "&" that was escaped once too often.
        query = _AMP.sub("", query)
    kept = without_tracking(filter(None, query.split("&")))
    if len(kept) > 1:
        kept.sort(key=_name)
    return "&".join(kept)


def _name(piece: str) -> str:
    return piece.partition("=")[0]


def _spelled(text: str) -> str:
    """Return path or query in one spelling of percent-encoding (RFC 3986, 6.2.2)."""
    if "%" in text:
        text = _ESCAPE.sub(_respelled, text)
    return _UNWISE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    return f"%{ord(found[0]):02X}"


def _respelled(escape: re.Match[str]) -> str:
    char = chr(int(escape[1], 16))
    bare = char in _BARE or (char.isascii() and char.isalnum())
    return char if bare else escape[0].upper()


def _encoded_query(href: str, encoding: str) -> str:
    """Percent-encode the query of a link in the page's charset (WHATWG URL, 1.3)."""
    head, mark, rest = href.partition("?")
    query, sharp, fragment = rest.partition("#")
    if not mark or "#" in head or encoding.lower().startswith("utf-"):
        return href

    def escaped(run: re.Match[str]) -> str:
        # An unencodable character becomes its character reference, as in a browser's forms.
        return quote_from_bytes(run[0].encode(encoding, "xmlcharrefreplace"), safe="\\|^`{}[]~@_-.")

    try:
        return f"{head}?{_NON_ASCII.sub(escaped, query)}{sharp}{fragment}"
    except LookupError:
        return href
