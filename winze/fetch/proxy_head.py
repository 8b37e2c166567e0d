"""The head of a request to a proxy: whom it asks, and how it is sent on (RFC 9112, 3.2)."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

#: Ports of a URL that names none.
PORTS = {"http": 80, "https": 443}


class Place(NamedTuple):
    """A host, as a name or an address, and its port."""

    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a request to a proxy."""

    method: str
    target: str
    #: As they came, without the empty line.
    lines: tuple[str, ...]


def read_head(raw: bytes) -> Head | None:
    """Return the head that ends with an empty line; None if it is none."""
    first, *lines = raw.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = first.split(" ")
    return Head(words[0], words[1], tuple(lines)) if len(words) == 3 else None


def asked(head: Head) -> Place | None:
    """Return whom a request goes to; None for what no browser sends."""
    url = f"https://{head.target}" if head.method == "CONNECT" else head.target
    if not url.startswith(("http://", "https://")):
        return None
    try:
        return place_of(url)
    except ValueError:
        return None


def place_of(url: str) -> Place:
    """Return the host and port of a URL. Raises ValueError for one without.

    >>> place_of("http://[::1]:8080/a"), place_of("https://shop.example")
    (Place(host='::1', port=8080), Place(host='shop.example', port=443))
    """
    parts = urlsplit(url)
    if not parts.hostname:
        raise ValueError(f"{url!r} names no host")
    return Place(parts.hostname, parts.port or PORTS[parts.scheme])


def forwarded(head: Head, proxy: str | None) -> bytes:
    """Return a head as the next server wants it; one exchange a connection."""
    lines = [line for line in head.lines if not line.lower().startswith(("proxy-", "connection:"))]
    target = head.target
    if proxy is None:
        target = f"/{target.partition('://')[2].partition('/')[2]}"
    if head.method != "CONNECT":
        lines.append("Connection: close")
    if proxy is not None and (secret := _credentials(proxy)):
        lines.append(f"Proxy-Authorization: Basic {secret}")
    return "\r\n".join([f"{head.method} {target} HTTP/1.1", *lines, "", ""]).encode("latin-1")


def _credentials(proxy: str) -> str:
    parts = urlsplit(proxy)
    if parts.username is None:
        return ""
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return b64encode(pair.encode()).decode()


def answer(status: int, reason: str) -> bytes:
    """Return a whole answer of the proxy's own, without a body."""
    head = f"HTTP/1.1 {status} {reason}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    return head.encode()
