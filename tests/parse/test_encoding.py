import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from winze.parse.encoding import decode, known_encoding
from winze.parse.plausibility import plausibility

SIMPLIFIED = "成都最好吃的川菜馆,火锅和小吃都在这里,欢迎大家来品尝。"
TRADITIONAL = "繁體中文頁面,臺灣最好的餐廳就在這裡,歡迎大家來品嚐。"
JAPANESE = "日本語のページです。東京都のレストランを紹介します。"
KOREAN = "한국어 페이지입니다. 서울의 맛있는 식당을 소개합니다."
RUSSIAN = "Лучшие рестораны города находятся здесь, добро пожаловать"
FRENCH = "Les meilleurs cafés de la ville sont ici, à côté du marché"
SAMPLES = {
    "utf-8": SIMPLIFIED,
    "gbk": SIMPLIFIED,
    "gb18030": SIMPLIFIED,
    "big5": TRADITIONAL,
    "cp932": JAPANESE,
    "euc_jp": JAPANESE,
    "cp949": KOREAN,
}
HTML = "text/html; charset="


def page(text, meta="", before=""):
    label = f'<meta charset="{meta}">' if meta else ""
    return f"<html><head>{before}{label}<title>x</title></head><body><p>{text}</p></body></html>"


@pytest.mark.parametrize(
    ("html", "encoding", "content_type"),
    [
        # The twelve cases of hard/README.md, D2.
        (page(SIMPLIFIED), "gbk", "text/html"),
        (page(TRADITIONAL), "big5", "text/html"),
        (page(JAPANESE), "shift_jis", "text/html"),
        (page(JAPANESE), "euc_jp", "text/html"),
        (page(SIMPLIFIED + "朱镕基", "gb2312"), "gbk", "text/html"),
        (page(SIMPLIFIED + "㐂𠀀", "gbk"), "gb18030", "text/html"),
        (page(SIMPLIFIED, "gbk"), "gbk", HTML + "utf-8"),
        (page(SIMPLIFIED, "gbk"), "gbk", HTML + "iso-8859-1"),
        (page(SIMPLIFIED, "gbk", before=" " * 6000), "gbk", "text/html"),
        (page(SIMPLIFIED, "gbk"), "utf-8", "text/html"),
        (page(SIMPLIFIED), "utf-16", "text/html"),
        (page(SIMPLIFIED, "utf-8"), "utf-8", HTML + "utf-8"),
        # More of their kind.
        (page(KOREAN), "euc_kr", "text/html"),
        (page(KOREAN, "ks_c_5601-1987"), "cp949", "text/html"),
        (page(SIMPLIFIED), "gbk", HTML + "iso-8859-1"),
        (page(SIMPLIFIED), "gbk", HTML + "klingon"),
        (page(TRADITIONAL), "big5", HTML + "gb2312"),
        (page(SIMPLIFIED, "iso-8859-1", before="<!-- <meta charset=big5> -->"), "gbk", ""),
        (page(RUSSIAN), "cp1251", HTML + "windows-1251"),
        (page(RUSSIAN), "koi8-r", HTML + "koi8-r"),
        (page(RUSSIAN), "cp1251", HTML + "iso-8859-1"),
        (page(FRENCH), "cp1252", HTML + "utf-8"),
        (page(FRENCH), "cp1252", ""),
        (page(FRENCH + " “€”", "iso-8859-1"), "cp1252", ""),
        (page(FRENCH, "iso-8859-1"), "utf-8", HTML + "iso-8859-1"),
        (page(JAPANESE, "iso-2022-jp"), "iso2022_jp", "text/html"),
        (page(SIMPLIFIED), "utf-16-le", HTML + "utf-16le"),
        (page("plain"), "ascii", HTML + "utf-8"),
        (page("重", "gbk"), "gbk", HTML + "gbk"),
    ],
)
def test_pages_are_read_right_whatever_they_claim(html, encoding, content_type):
    decoded = decode(html.encode(encoding), content_type)
    assert decoded.text == html
    assert decoded.errors == 0


@pytest.mark.parametrize("encoding", sorted(SAMPLES))
def test_a_cut_inside_the_last_character_is_no_error(encoding):
    text = SAMPLES[encoding]
    body = page(text * 3).encode(encoding)
    cut = body[: body.rindex(b"</p>") - 1]
    decoded = decode(cut, "text/html")
    assert page(text * 3).startswith(decoded.text)
    assert decoded.errors == 0


@pytest.mark.parametrize("encoding", ["utf-8", "gbk"])
def test_one_broken_byte_does_not_change_the_reading(encoding):
    body = (
        page(SIMPLIFIED * 5, encoding).encode(encoding)
        + b"<p>\xff</p>"
        + SIMPLIFIED.encode(encoding)
    )
    decoded = decode(body, "")
    assert decoded.text.count(SIMPLIFIED) == 6
    assert decoded.errors >= 1


@pytest.mark.parametrize(
    ("body", "content_type", "encoding"),
    [
        (b"<meta charset=gbk><a href='/s'>s</a>", "", "gbk"),
        (b"<a href='/s'>s</a>", HTML + "Shift_JIS", "cp932"),
        (b"<meta http-equiv=Content-Type content='text/html; charset=big5'>", "", "big5hkscs"),
        (b"<?xml version='1.0' encoding='gbk'?><html/>", "", "gbk"),
        (b"plain", "", "utf-8"),
    ],
)
def test_links_of_an_ascii_page_use_its_declared_charset(body, content_type, encoding):
    assert decode(body, content_type).encoding == encoding


def test_a_bom_beats_every_label():
    body = b"\xef\xbb\xbf" + page(SIMPLIFIED, "gbk").encode()
    assert decode(body, HTML + "gbk").text == page(SIMPLIFIED, "gbk")


@pytest.mark.parametrize("label", ["utf-7", "hex", "zlib", "", "no such", "é"])
def test_labels_that_are_no_encoding_of_text_are_refused(label):
    assert known_encoding(label) == ""


@given(
    st.binary(max_size=300), st.sampled_from(["", HTML + "gbk", HTML + "utf-16", HTML + "x\x00"])
)
def test_any_bytes_become_text(body, content_type):
    decoded = decode(body, content_type)
    assert isinstance(decoded.text, str)
    assert decoded.errors >= 0


def test_hostile_markup_takes_no_time():
    bodies = [b"<meta " * 100_000 + b"\xff", b"<!--" * 100_000 + b"\xff", b"<" * 300_000 + b"\xff"]
    start = time.perf_counter()
    for body in bodies:
        decode(body, "")
    assert time.perf_counter() - start < 3


def test_plausibility_tells_encodings_apart():
    gbk = SIMPLIFIED.encode("gbk")
    assert plausibility(SIMPLIFIED, "gbk") > 0.9
    assert plausibility(gbk.decode("cp932", "replace"), "cp932") < 0.5
    assert plausibility(SIMPLIFIED, "utf-8") == 1.0
