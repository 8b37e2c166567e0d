"""A field's text read as a value of its type: a number, an amount of money, a moment, an address.

Prices are read by price-parser, dates by dateparser, in Chinese as in English.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING

from price_parser import Price

from winze.extract.value_types import DATE, TRUE_WORDS, fits
from winze.urls.canonical import join

if TYPE_CHECKING:
    from dateparser.date import DateDataParser

#: A value as JSON holds it; amounts are text, so that none of their digits is lost.
Typed = str | int | float | bool | Mapping[str, str | None]

#: Signs of one currency only (ISO 4217).
_CURRENCIES = {
    "£": "GBP",
    "€": "EUR",
    "₩": "KRW",
    "₹": "INR",
    "₽": "RUB",
    "zł": "PLN",
    "Kč": "CZK",
    "Ft": "HUF",
    "US$": "USD",
    "CA$": "CAD",
    "HK$": "HKD",
    "NT$": "TWD",
    "円": "JPY",
    "元": "CNY",
    "RMB": "CNY",
    "人民币": "CNY",
}

#: What a sign that several countries use stands for, by the page's language.
_BY_LANGUAGE = {
    ("¥", "zh"): "CNY",
    ("¥", "ja"): "JPY",
    ("$", "en"): "USD",
}

_CODE = re.compile(r"\b[A-Z]{3}\b")

#: Signs that price-parser does not name.
_SIGNS = re.compile("|".join(map(re.escape, sorted(_CURRENCIES, key=len, reverse=True))))

#: What stands before a date: "Published:", "发布时间：".
_LABEL = re.compile(r"^[^\d:：]{1,30}[:：]\s*(?=\S)")

#: Languages that dates are written in, for pages that do not say theirs.
_LANGUAGES = ("en", "zh")

#: No timestamps: a number is none.
_PARSERS = ["relative-time", "custom-formats", "absolute-time"]

#: A text with a year needs no day to count from, and shares its reader with all others.
_YEAR = re.compile(r"\d{4}")
_ANY_DAY = datetime(2000, 1, 1)

#: What an ISO date shows, by what the text tells.
_SHOWN = {"year": "%Y", "month": "%Y-%m", "day": "%Y-%m-%d"}


class MisfitError(ValueError):
    """A text that is no value of its field's type."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says about how its values are to be read."""

    #: The page's address, against which a link is read.
    url: str = ""
    #: When it was fetched, seconds since the epoch: "3 hours ago" counts from there.
    at: float = 0.0
    #: As the page's own tag gives it, such as "zh-CN"; empty if it does not.
    language: str = ""


def typed(kind: str, text: str, reading: Reading) -> Typed:
    """Return a text as a value of this type (value_types.TYPES).

    A number is an int or float, a price `{"amount": "47.82", "currency": "GBP"}` (the currency
    None if it is not told), a date ISO 8601 as far as it is known, an address absolute. Raises
    MisfitError for a text that is no such value.

    >>> typed("price", "1.299,00 €", Reading())
    {'amount': '1299.00', 'currency': 'EUR'}
    >>> typed("date", "2024年3月5日", Reading()), typed("number", "1,204", Reading())
    ('2024-03-05', 1204)
    """
    read = _READERS.get(kind)
    return text if read is None else read(text.strip(), reading)


def typed_fields(
    types: Mapping[str, str], fields: Mapping[str, str | list[str] | None], reading: Reading
) -> tuple[dict[str, object], list[str]]:
    """Return the values of the fields that have a type, and the names of those that do not fit.

    A list gives a list; what is absent, or does not fit, is None.
    """
    values: dict[str, object] = {}
    misfits = []
    for name, kind in types.items():
        if kind not in _READERS or name not in fields:
            continue
        text = fields[name]
        try:
            if isinstance(text, list):
                values[name] = [typed(kind, one, reading) if one else None for one in text]
            else:
                values[name] = typed(kind, text, reading) if text else None
        except MisfitError:
            values[name] = None
            misfits.append(name)
    return values, misfits


def _price(text: str, reading: Reading) -> Typed:
    price = Price.fromstring(text)
    if price.amount is None:
        raise MisfitError(f"{text!r} is no price")
    return {"amount": str(price.amount), "currency": _currency(text, price.currency, reading)}


def _currency(text: str, sign: str | None, reading: Reading) -> str | None:
    code = _CODE.search(text)
    if code is not None and code[0] not in _CURRENCIES:
        return code[0]
    found = _SIGNS.search(text)
    if found is not None:
        return _CURRENCIES[found[0]]
    language = reading.language[:2].lower()
    return _BY_LANGUAGE.get(((sign or "").replace("￥", "¥"), language))


def _number(text: str, _reading: Reading) -> Typed:
    number = Price.fromstring(text).amount if any(map(str.isdigit, text)) else None
    if number is None:
        raise MisfitError(f"{text!r} is no number")
    is_negative = text.startswith("-") and number > 0
    number = -number if is_negative else number
    return int(number) if number == number.to_integral_value() else float(number)


def _date(text: str, reading: Reading) -> Typed:
    """Read a date, or a span of time that has passed, without what labels it."""
    language = reading.language[:2].lower()
    languages = (language, *_LANGUAGES) if language.isalpha() and language else _LANGUAGES
    now = datetime.fromtimestamp(reading.at, UTC).replace(tzinfo=None)
    moment = _ANY_DAY if _YEAR.search(text) else now
    for candidate in dict.fromkeys([text, _LABEL.sub("", text)]):
        found = _read_date(candidate, tuple(dict.fromkeys(languages)), moment)
        if found is not None:
            return found
    raise MisfitError(f"{text!r} is no date")


@lru_cache(maxsize=4096)
def _read_date(text: str, languages: tuple[str, ...], moment: datetime) -> str | None:
    if not fits(DATE, text):
        # dateparser takes "12" for a year.
        return None
    try:
        found = _parser(languages, moment).get_date_data(text)
    except ValueError:
        # The page's language is none that dateparser knows.
        found = _parser(_LANGUAGES, moment).get_date_data(text)
    if found.date_obj is None:
        return None
    read: datetime = found.date_obj
    shown = _SHOWN.get(found.period)
    return read.strftime(shown) if shown else read.isoformat()


@lru_cache(maxsize=64)
def _parser(languages: tuple[str, ...], moment: datetime) -> DateDataParser:
    from dateparser.date import DateDataParser  # noqa: PLC0415 - slow, and few crawls need it

    settings = {"RELATIVE_BASE": moment, "RETURN_TIME_AS_PERIOD": True, "PARSERS": _PARSERS}
    return DateDataParser(languages=list(languages), settings=settings)


def _address(text: str, reading: Reading) -> Typed:
    bare = f"https://{text}" if text.startswith("www.") else text
    target = join(reading.url, bare) if bare and not re.search(r"\s", bare) else None
    if target is None:
        raise MisfitError(f"{text!r} is no address")
    return target


def _boolean(text: str, _reading: Reading) -> Typed:
    if not fits("boolean", text):
        raise MisfitError(f"{text!r} is neither yes nor no")
    return text.casefold() in TRUE_WORDS


_READERS = {
    "price": _price,
    "number": _number,
    DATE: _date,
    "url": _address,
    "image": _address,
    "boolean": _boolean,
}
