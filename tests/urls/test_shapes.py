import pytest

from winze.urls.shapes import Shape, shape_of, split_extension, split_url


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("0017", Shape.NUMBER),
        ("20150415", Shape.DATE),
        ("20159915", Shape.NUMBER),
        ("2015-04-15", Shape.DATE),
        ("2015.4", Shape.DATE),
        ("2015-44", Shape.SLUG),
        ("food", Shape.WORD),
        ("图书", Shape.WORD),
        ("%E5%9B%BE%E4%B9%A6", Shape.WORD),
        ("%E5%9B%BE-1", Shape.SLUG),
        ("item_17", Shape.NAME),
        ("deadbeef", Shape.WORD),
        ("deadbee1", Shape.HEX),
        ("12-angry-men", Shape.SLUG),
        ("v1.2", Shape.SLUG),
        ("", Shape.EMPTY),
        ("²", Shape.NAME),
    ],
)
def test_shape(text, shape):
    assert shape_of(text) is shape


@pytest.mark.parametrize(
    ("url", "host", "path", "query"),
    [
        ("http://S.example", "s.example", (), ()),
        ("http://s.example/", "s.example", (), ()),
        ("http://s.example:81/a/b/", "s.example:81", ("a", "b"), ()),
        (
            "http://s.example/a?x=1&y&&z=",
            "s.example",
            ("a",),
            (("x", "1"), ("y", None), ("z", "")),
        ),
        ("http://s.example/a?u=http://o/b#c?d", "s.example", ("a",), (("u", "http://o/b"),)),
        ("http://s.example?q=/a/b", "s.example", (), (("q", "/a/b"),)),
    ],
)
def test_split_url(url, host, path, query):
    parts = split_url(url)
    assert (parts.host, parts.path, parts.query) == (host, path, query)


@pytest.mark.parametrize(
    ("part", "pair"),
    [
        ("1.html", ("1", "html")),
        ("a.b.mp3", ("a.b", "mp3")),
        ("1.5", ("1.5", "")),
        ("plain", ("plain", "")),
        (".well-known", (".well-known", "")),
        ("mr.robinson", ("mr.robinson", "")),
    ],
)
def test_split_extension(part, pair):
    assert split_extension(part) == pair
