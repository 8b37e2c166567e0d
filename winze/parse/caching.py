"""Did a cache answer? What a caching proxy says of it in the headers."""

from __future__ import annotations

import re
from collections.abc import Iterable

#: Quoted strings of a structured field; a proxy may be named "hit" (RFC 8941, 3.3.3).
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')

_HIT_PARAMETER = re.compile(r";\s*hit\s*(?:=\s*\?1\s*)?(?=[;,]|$)", re.I)

#: "HIT", "TCP_MEM_HIT", "Hit from proxy"; not "MISS" and not "HIT-FOR-PASS", which asks the origin.
_X_CACHE_HIT = re.compile(r"\s*(?:[A-Z]+_)*HIT\b(?!-FOR)", re.I)


def is_cache_hit(headers: Iterable[tuple[str, str]]) -> bool:
    """Did a cache between us and the site give this answer, by its headers (names in lower case)?

    Of several caches in a row one hit is enough: the site itself was not asked. Cache-Status
    (RFC 9211) is believed before X-Cache (Squid, Varnish, most CDNs), and that before an Age
    (RFC 9111, 5.1), which only a cache adds.

    >>> is_cache_hit([("x-cache", "HIT from proxy.example"), ("age", "3")])
    True
    >>> is_cache_hit([("cache-status", 'proxy; fwd=uri-miss; stored'), ("age", "0")])
    False
    """
    values: dict[str, list[str]] = {"cache-status": [], "x-cache": [], "age": []}
    for name, value in headers:
        if name in values:
            values[name].append(value)
    if values["cache-status"]:
        statuses = ",".join(_QUOTED.sub('""', value) for value in values["cache-status"])
        return any(_HIT_PARAMETER.search(status) for status in statuses.split(","))
    if values["x-cache"]:
        return any(
            _X_CACHE_HIT.match(part) for value in values["x-cache"] for part in value.split(",")
        )
    return any(value.strip().isdecimal() and int(value) > 0 for value in values["age"])
