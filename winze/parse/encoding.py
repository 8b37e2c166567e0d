"""A page's bytes as text: header, BOM, meta and the bytes vote, strict decoding decides."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from operator import attrgetter

import cchardet

from winze.parse.plausibility import LIKELY, plausibility

#: The superset that browsers read in place of a label (WHATWG Encoding, 4.2).
_SUPERSETS = {
    "gb2312": "gbk",
    "gbk": "gbk",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
}

#: Labels that Python does not know or knows by a narrower name.
_LABELS = {
    "x-gbk": "gbk",
    "x-sjis": "cp932",
    "windows-31j": "cp932",
    "x-euc-jp": "euc_jp",
    "x-x-big5": "big5hkscs",
    "cn-big5": "big5hkscs",
    "windows-949": "cp949",
    "ks_c_5601-1987": "cp949",
    "unicode": "utf-8",
    "utf-16": "utf-16-le",
    "utf-8-sig": "utf-8",
}

#: Encodings in which a wrong guess shows: most byte strings are not valid in them.
_MULTIBYTE = frozenset({"utf-8", "gbk", "gb18030", "big5hkscs", "cp932", "euc_jp", "cp949"})

#: Tried on pages without a right label.
_EAST_ASIAN = ("gb18030", "big5hkscs", "cp932", "euc_jp", "cp949")

#: Korean read as GBK looks like Chinese, while Chinese read as Korean holds other characters than
#: hangul: of 12 Chinese characters in a row, one in 500 such runs would be hangul alone.
_KOREAN = re.compile(r"(?:[\uac00-\ud7a3][^\uac00-\ud7a3\u3400-\u9fff]*){12}")

#: What the detector's guess adds to a plausibility: enough to break a tie.
_DETECTOR_VOTE = 0.03

#: What a run of hangul adds.
_HANGUL_VOTE = 0.03

#: Single-byte encodings of scripts that a detector tells from Latin.
_OTHER_SCRIPTS = frozenset(
    {
        *("cp1251", "koi8-r", "iso8859-5", "mac-cyrillic", "cp866"),
        *("cp1253", "iso8859-7"),
        *("cp1255", "iso8859-8", "cp1256", "iso8859-6", "cp874"),
    }
)

#: Never from a label: utf-7 hides markup, the others are no encodings of text.
_REFUSED = frozenset(
    {"utf-7", "rot13", "hex", "base64", "bz2", "zlib", "uu", "quopri", "idna", "punycode", "utf-32"}
)

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]+)", re.I)

#: A charset in a meta element or XML declaration, anywhere in the page; comments are stepped over.
_META_CHARSET = re.compile(
    rb"<!--(?:(?!-->).)*+|<(?:meta|\?xml)[\s/][^<>]{0,500}?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)",
    re.I | re.S,
)

#: A character that takes three bytes or more in UTF-8; runs of these do not come about by chance.
_WIDE = re.compile("[\u0800-\U0010ffff]")

#: Markup, in which all encodings look alike.
_TAG = re.compile(rb"<[^<>]*>")

#: Bytes of text outside tags that are shown to the detector; more does not change its mind.
_DETECTED = 20_000

#: Share of the characters beyond ASCII that may be broken in a page that is still read as labelled.
_DAMAGE = 0.1

#: A body may be cut inside a character, at most this many bytes before its end.
_TAIL = 3


@dataclass(frozen=True, slots=True)
class Decoded:
    """A page as text."""

    text: str
    #: Python's name of the encoding; also the one in which the page's links write their queries.
    encoding: str
    #: Characters that could not be read, each shown as U+FFFD.
    errors: int = 0
    #: The body is this text in UTF-8 as it stands: a parser may take the bytes.
    is_utf8: bool = field(default=False, compare=False, repr=False)


def decode(body: bytes, content_type: str = "") -> Decoded:
    """Return a page's text, whatever its labels say.

    A BOM wins (WHATWG); valid UTF-8 is UTF-8; else the labels of header and meta are tried, then
    the East Asian encodings, and what decodes strictly into likely text is taken. A single-byte
    label proves nothing, since it decodes anything, so it comes last. A body that was cut inside
    its last character is not an error.

    >>> decode("<meta charset=gb2312>朱镕基".encode("gbk"), "text/html; charset=utf-8")
    Decoded(text='<meta charset=gb2312>朱镕基', encoding='gbk', errors=0)
    """
    for bom, encoding in _BOMS:
        if body.startswith(bom):
            return _lenient(body[len(bom) :], encoding)
    header = _header_encoding(content_type)
    text = _strict(body, "utf-8")
    if text is not None:
        return _maybe_utf8(body, text, header)
    return _legacy(body, header)


def _maybe_utf8(body: bytes, text: str, header: str) -> Decoded:
    """Valid UTF-8 is something else only if it is short, or ASCII with escapes."""
    if header != "utf-8" and _WIDE.search(text) is None:
        label = header or _meta_encoding(body)
        if header.startswith("utf-16") and b"\x00" in body:
            return _lenient(body, header)
        if label == "iso2022_jp" or (text.isascii() and b"\x1b$" in body):
            return _lenient(body, "iso2022_jp")
        if text.isascii() and label:
            return Decoded(text, label, is_utf8=True)
        if label in _MULTIBYTE and _strict(body, label) is not None:
            # Two bytes of GBK can be valid UTF-8; East Asian text in UTF-8 takes three.
            return _lenient(body, label)
    return Decoded(text, "utf-8", is_utf8=True)


def _legacy(body: bytes, header: str) -> Decoded:
    """Read what is no valid UTF-8: likely multi-byte text, else damaged, else single-byte."""
    labels = list(_with_supersets([header, _meta_encoding(body)]))
    strict = [reading for name in labels if (reading := _reading(body, name)) is not None]
    for reading in strict:
        if _score(reading) >= LIKELY:
            return reading
    detected = _detected(body)
    best = _likeliest(body, detected)
    if best is not None and _score(best) >= LIKELY:
        return best
    if strict:
        return strict[0]
    damaged = _least_damaged(dict.fromkeys([*labels, *_with_supersets([detected, "utf-8"])]), body)
    return damaged or _lenient(body, _single_byte(labels, detected))


def _reading(body: bytes, name: str) -> Decoded | None:
    text = _strict(body, name) if name in _MULTIBYTE else None
    return None if text is None else Decoded(text, name)


def _score(reading: Decoded) -> float:
    return plausibility(reading.text, reading.encoding)


def _likeliest(body: bytes, detected: str) -> Decoded | None:
    """Return the most plausible East Asian reading; the detector has a small say."""

    def votes(reading: Decoded) -> float:
        korean = reading.encoding == "cp949" and _KOREAN.search(reading.text) is not None
        detector = _DETECTOR_VOTE if reading.encoding == detected else 0
        return _score(reading) + detector + (_HANGUL_VOTE if korean else 0)

    readings = [_reading(body, name) for name in _EAST_ASIAN]
    return max(filter(None, readings), key=votes, default=None)


def _with_supersets(names: Iterable[str]) -> Iterator[str]:
    for name in filter(None, names):
        yield name
        if name == "gbk":
            # For pages with rare characters under the common label.
            yield "gb18030"


def _single_byte(labels: list[str], detected: str) -> str:
    """Choose among encodings that any bytes are valid in.

    Latin-1 is what servers say by default, so it yields to a detector that saw another script;
    among Latin encodings the detector is no better than a coin.
    """
    for name in labels:
        if name not in _MULTIBYTE and name != "cp1252":
            return name
    return detected if detected in _OTHER_SCRIPTS else "cp1252"


def _least_damaged(names: Iterable[str], body: bytes) -> Decoded | None:
    """Return the multi-byte reading with the fewest broken characters, if these are few."""
    readings = [_lenient(body, name) for name in names if name in _MULTIBYTE]
    likely = [
        reading
        for reading in readings
        if reading.errors <= _DAMAGE * _beyond_ascii(reading.text) and _score(reading) >= LIKELY
    ]
    return min(likely, key=attrgetter("errors"), default=None)


def _beyond_ascii(text: str) -> int:
    return len(text) - len(text.encode("ascii", "ignore"))


def _header_encoding(content_type: str) -> str:
    found = _HEADER_CHARSET.search(content_type) if content_type else None
    return known_encoding(found[1]) if found else ""


def _meta_encoding(body: bytes) -> str:
    for found in _META_CHARSET.finditer(body):
        name = known_encoding(found[1].decode("ascii", "ignore")) if found[1] else ""
        if name:
            # A page that a browser could read up to its meta element is not UTF-16.
            return "utf-8" if name.startswith("utf-16") else name
    return ""


def _detected(body: bytes) -> str:
    text = _TAG.sub(b" ", body[: 10 * _DETECTED])[:_DETECTED]
    guess = cchardet.detect(text)["encoding"]
    return known_encoding(guess) if guess else ""


@lru_cache(maxsize=256)
def known_encoding(label: str) -> str:
    """Return Python's name of the encoding that browsers use for a label, or the empty string.

    >>> known_encoding("GB2312"), known_encoding("ISO-8859-1"), known_encoding("klingon")
    ('gbk', 'cp1252', '')
    """
    label = label.strip().lower()
    label = _LABELS.get(label, label)
    try:
        name = codecs.lookup(label).name
        b"".decode(name)
    except LookupError:
        return ""
    return "" if name in _REFUSED else _SUPERSETS.get(name, name)


def _strict(body: bytes, encoding: str) -> str | None:
    """Return the text if every byte is valid, but for a last character that was cut."""
    try:
        return body.decode(encoding)
    except UnicodeDecodeError as error:
        if error.start < len(body) - _TAIL or encoding not in _MULTIBYTE:
            return None
    try:
        # Without "final" it waits for the rest of the last character.
        return codecs.getincrementaldecoder(encoding)().decode(body)
    except UnicodeDecodeError:
        return None


def _lenient(body: bytes, encoding: str) -> Decoded:
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    text = decoder.decode(body)
    return Decoded(text, encoding, text.count("\ufffd"))
