import pytest

from winze.model import ErrorCode, Response, Status
from winze.parse.page import read_page

URL = "http://shop.example/p/1"


def read(body: str | bytes, *, status: int = 200, kind: str = "text/html", **headers: str):
    raw = body.encode() if isinstance(body, str) else body
    named = (("content-type", kind), *headers.items())
    return read_page(Response(URL, status, named, raw))


def test_a_page_as_text():
    page, tree = read(
        "<html lang=zh-CN><title> 川菜 \n馆</title><link rel=canonical href='/p/1?x'>"
        "<body><p>麻辣</p><a href=/>首页</a><script>var x</script><style>p{}</style>"
    )
    assert (page.status, page.http_status, page.error) == (Status.FETCHED, 200, ErrorCode.OK)
    assert (page.title, page.text, page.language) == ("川菜 馆", "麻辣", "zh-cn")
    assert page.canonical == "http://shop.example/p/1?x"
    assert tree is not None


@pytest.mark.parametrize(
    ("body", "kind", "encoding"),
    [
        ("<p>成都的川菜</p>".encode("gbk"), "text/html; charset=gbk", "gbk"),
        ("<meta charset=gbk><p>成都的川菜</p>".encode("gbk"), "text/html", "gbk"),
        ("\ufeff<p>成都的川菜</p>".encode(), "text/html; charset=latin-1", "utf-8"),
        # A label that does not fit the bytes is not believed.
        ("<p>成都的川菜，味道很好</p>".encode(), "text/html; charset=ascii", "utf-8"),
    ],
)
def test_bytes_are_decoded_once(body, kind, encoding):
    page, _ = read(body, kind=kind)
    assert "成都的川菜" in page.text
    assert page.encoding == encoding


def test_the_same_text_has_the_same_signature():
    one, _ = read("<p>Some text</p><a href=/1>x</a>")
    other, _ = read("<div>Some   text</div><a href=/2>y</a>")
    third, _ = read("<p>Some other text</p>")
    assert one.signature == other.signature != third.signature


@pytest.mark.parametrize(
    ("status", "location", "expected"),
    [
        (301, "/b", (Status.REDIRECTED, "http://shop.example/b")),
        (302, "https://other.example/b#c", (Status.REDIRECTED, "https://other.example/b")),
        (308, "?x=1", (Status.REDIRECTED, "http://shop.example/p/1?x=1")),
        (301, "", (Status.FETCH_ERROR, "")),
        (302, "  ", (Status.FETCH_ERROR, "")),
        (302, "mailto:a@b", (Status.FETCH_ERROR, "")),
        (304, "", (Status.UNCHANGED, "")),
        (200, "/b", (Status.FETCHED, "")),
    ],
)
def test_redirects(status, location, expected):
    page, _ = read("", status=status, location=location)
    assert (page.status, page.location) == expected


def test_a_redirect_loop_is_an_error():
    response = Response(URL, 302, (("location", URL),), error=ErrorCode.REDIRECT_LOOP)
    page, tree = read_page(response)
    assert (page.status, page.error, tree) == (Status.FETCH_ERROR, ErrorCode.REDIRECT_LOOP, None)


@pytest.mark.parametrize(
    ("content", "location"),
    [
        ("0;url=/b", "http://shop.example/b"),
        ("3; URL = '/b'", "http://shop.example/b"),
        ("0, /b", "http://shop.example/b"),
        ("0.5; url=/b", "http://shop.example/b"),
        ("600; url=/b", ""),
        ("5", ""),
        ("0; url=/p/1#again", ""),
    ],
)
def test_meta_refresh_is_a_redirect_if_it_leads_elsewhere_soon(content, location):
    page, tree = read(f'<meta http-equiv=refresh content="{content}"><p>Moved')
    assert page.location == location
    assert (tree is None) == bool(location)
    assert page.status is (Status.REDIRECTED if location else Status.FETCHED)


@pytest.mark.parametrize("body", ["<", "\x00\x01", "<p" * 5000, "<div>" * 3000 + "x", "plain"])
def test_no_body_is_too_odd_to_be_read(body):
    page, _ = read(body)
    assert page.status is Status.FETCHED
