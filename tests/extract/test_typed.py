"""Texts read as values of their type, Chinese forms too."""

import pytest

from winze.extract.typed import MisfitError, Reading, typed, typed_fields
from winze.extract.value_types import TYPES, fits, type_of

#: 2026-05-28 20:26:40 UTC.
AT = 1_780_000_000.0


def read(kind, text, language=""):
    return typed(kind, text, Reading("http://a.example/d/p", AT, language))


@pytest.mark.parametrize(
    ("text", "language", "amount", "currency"),
    [
        ("£47.82", "", "47.82", "GBP"),
        ("1.299,00 €", "de", "1299.00", "EUR"),
        ("1 234,50 €", "", "1234.50", "EUR"),
        ("￥1,299.00", "zh-CN", "1299.00", "CNY"),
        ("¥980", "ja", "980", "JPY"),
        ("¥980", "", "980", None),
        ("58元", "", "58", "CNY"),
        ("人民币 99", "", "99", "CNY"),
        ("100円", "", "100", "JPY"),
        ("$1,299", "en-GB", "1299", "USD"),
        ("$1,299", "", "1299", None),
        ("US$ 12", "fr", "12", "USD"),
        ("HK$88", "zh", "88", "HKD"),
        ("NT$1,200", "zh", "1200", "TWD"),
        ("USD 5", "", "5", "USD"),
        ("CHF 12.50", "", "12.50", "CHF"),
        ("12 Kč", "", "12", "CZK"),
        ("0.10 €", "", "0.10", "EUR"),
    ],
)
def test_prices_keep_every_digit_and_their_currency(text, language, amount, currency):
    assert read("price", text, language) == {"amount": amount, "currency": currency}


@pytest.mark.parametrize(
    ("text", "language", "value"),
    [
        ("2024年3月5日", "zh", "2024-03-05"),
        ("2024年3月5日", "", "2024-03-05"),
        ("2024年3月", "zh-CN", "2024-03"),
        ("发布时间：2024年3月5日 10:20", "zh", "2024-03-05T10:20:00"),
        ("3小时前", "zh", "2026-05-28T17:26:40"),
        ("2 days ago", "en", "2026-05-26"),
        ("昨天", "zh", "2026-05-27"),
        ("March 5, 2024", "", "2024-03-05"),
        ("Published: 5 March 2024", "en", "2024-03-05"),
        ("2019-09-07 13:43:45", "", "2019-09-07T13:43:45"),
        ("2024-03-05T10:00:00+08:00", "", "2024-03-05T10:00:00+08:00"),
        ("5 mars 2024", "fr", "2024-03-05"),
        ("5 März 2024", "de", "2024-03-05"),
        ("2024-03-05", "xx-unknown", "2024-03-05"),
    ],
)
def test_dates_are_iso_as_far_as_they_are_known(text, language, value):
    assert read("date", text, language) == value


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("number", "1,204", 1204),
        ("number", "4.5", 4.5),
        ("number", "-3", -3),
        ("number", "45 %", 45),
        ("number", "12", 12),
        ("url", "../x", "http://a.example/x"),
        ("url", "www.b.example/a", "https://www.b.example/a"),
        ("image", "/img/a.jpg?w=2", "http://a.example/img/a.jpg?w=2"),
        ("boolean", "是", True),
        ("boolean", "No", False),
        ("boolean", " yes ", True),
        ("text", " as it is ", " as it is "),
        ("code", "978-7-02-000220-7", "978-7-02-000220-7"),
    ],
)
def test_the_other_types(kind, text, value):
    found = read(kind, text)
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("price", "Sold out"),
        ("price", "售罄"),
        ("number", "many"),
        ("date", "12"),
        ("date", "soon"),
        ("date", "31 Foo 2024 bar"),
        ("url", "not an address"),
        ("image", "data with blanks.jpg"),
        ("boolean", "maybe"),
    ],
)
def test_what_does_not_fit_is_told(kind, text):
    with pytest.raises(MisfitError):
        read(kind, text)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["3小时前", "2 days ago"], "date"),
        (["2024年3月", "2024年3月5日"], "date"),
        (["是", "否"], "boolean"),
        (["Yes", "No"], "boolean"),
        (["/a.jpg", "https://b.example/c.png?x=1"], "image"),
        (["12", "1,204"], "number"),
        (["£5", "Free"], "text"),
        (["Beautiful pictures.jpg of cats"], "text"),
    ],
)
def test_the_type_of_examples(values, kind):
    assert type_of(values) == kind


def test_a_record_is_read_field_by_field():
    types = {
        "price": "price",
        "dates": "date",
        "title": "text",
        "gone": "number",
        "stock": "number",
    }
    fields = {
        "price": "£5",
        "dates": ["2024年3月5日", ""],
        "title": "A",
        "gone": None,
        "stock": "lots",
    }
    values, misfits = typed_fields(types, fields, Reading())
    assert values == {
        "price": {"amount": "5", "currency": "GBP"},
        "dates": ["2024-03-05", None],
        "gone": None,
        "stock": None,
    }
    assert misfits == ["stock"]


def test_every_type_fits_something():
    shown = {"image": "a.jpg", "url": "http://a.example", "price": "$1", "boolean": "yes"}
    shown |= {"date": "2024-01-02", "number": "3", "code": "123-4", "text": "x"}
    assert shown.keys() == set(TYPES)
    assert all(fits(kind, value) for kind, value in shown.items())
