"""Dates as machines write them, in feeds and sitemaps: RFC 822, RFC 3339, W3C, and near misses."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime

#: Year, month and day in this order, with or without a time and a zone ("2024年5月1日 8:30").
_YMD = re.compile(
    r"\s*(\d{4})(?:\D{1,2}(\d{1,2})(?:\D{1,2}(\d{1,2})"
    r"(?:\D{1,3}(\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?)?)?)?\D*",
    re.I,
)


def epoch(text: str) -> float | None:
    """Return a date as seconds since the epoch, or None if it cannot be read.

    A date without a time is its first second, one without a zone is in UTC (RFC 822's "-0000").

    >>> epoch("Tue, 10 Jun 2003 04:00:00 GMT") == epoch("2003-06-10T06:00:00+02:00") == 1055217600.0
    True
    >>> epoch("2003-06"), epoch("2003年6月10日 4:00"), epoch("yesterday")
    (1054425600.0, 1055217600.0, None)
    """
    text = text.strip()[:100]
    found = _YMD.fullmatch(text)
    try:
        timed = text if ":" in text else f"{text} 00:00"
        moment = _moment(found) if found else parsedate_to_datetime(timed)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _moment(found: re.Match[str]) -> datetime:
    year, month, day = (int(part or 1) for part in found.group(1, 2, 3))
    # A leap second counts as the one before it.
    hour, minute, second = (min(int(part or 0), 59) for part in found.group(4, 5, 6))
    return datetime(year, month, day, hour, minute, second, tzinfo=_zone(found[7] or ""))


def _zone(text: str) -> timezone:
    if not text or text[0] not in "+-":
        return UTC
    away = timedelta(hours=int(text[1:3]), minutes=int(text[-2:]))
    return timezone(away if text[0] == "+" else -away)
