import ada_url
import pytest
from hypothesis import given
from hypothesis import strategies as st

from winze.urls.canonical import (
    BUCKETS,
    _canonicalized,
    bucket,
    canonicalize,
    clean,
    host_of,
    join,
    key,
    origin_of,
)

BASE = "http://a.example/x/y?q=1"


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("z", "http://a.example/x/z"),
        ("", "http://a.example/x/y?q=1"),
        ("?p=2", "http://a.example/x/y?p=2"),
        ("/p/1#top", "http://a.example/p/1"),
        ("../../../p", "http://a.example/p"),
        ("//b.example", "http://b.example/"),
        ("https:/p", "https://p/"),
        ("HTTP://A.Example:80/", "http://a.example/"),
        ("  /a\n/b\t ", "http://a.example/a/b"),
        ("/a b?c d", "http://a.example/a%20b?c%20d"),
        ("\\a\\b", "http://a.example/a/b"),
        ("http://bücher.example/", "http://xn--bcher-kva.example/"),
        ("/%zz", "http://a.example/%zz"),
        ("mailto:me@a.example", None),
        ("javascript:void(0)", None),
        ("java\nscript:void(0)", None),
        ("data:text/html,x", None),
        ("tel:+331", None),
        ("ftp://a.example/", None),
        ("http://", None),
        ("http://a b/", None),
        ("http://a.example:99999/", None),
        ("http://[::1/", None),
        ("\udcff", None),
    ],
)
def test_join_reads_a_link_as_browsers_do(href, expected):
    assert join(BASE, href) == expected


@pytest.mark.parametrize(
    ("encoding", "href", "expected"),
    [
        ("gbk", "/s?q=川菜", "http://a.example/s?q=%B4%A8%B2%CB"),
        ("gb18030", "/s?q=川菜", "http://a.example/s?q=%B4%A8%B2%CB"),
        ("gbk", "/路径/p", "http://a.example/%E8%B7%AF%E5%BE%84/p"),
        ("gbk", "/路?q=川#锚", "http://a.example/%E8%B7%AF?q=%B4%A8"),
        ("utf-8", "/s?q=川菜", "http://a.example/s?q=%E5%B7%9D%E8%8F%9C"),
        ("utf-16", "/s?q=川菜", "http://a.example/s?q=%E5%B7%9D%E8%8F%9C"),
        ("cp932", "/s?q=表", "http://a.example/s?q=%95\\"),
        ("big5", "/s?q=a&b=臺", "http://a.example/s?q=a&b=%BB%4F"),
        ("cp1252", "/s?q=é川", "http://a.example/s?q=%E9%26%2324029%3B"),
        ("no-such-charset", "/s?q=é", "http://a.example/s?q=%C3%A9"),
    ],
)
def test_join_writes_the_query_in_the_charset_of_the_page(encoding, href, expected):
    assert _same_escapes(join(BASE, href, encoding=encoding), expected)


def _same_escapes(url, expected):
    return canonicalize(url) == canonicalize(expected)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://www.a.example/B/?b=2&a=1", "http://www.a.example/B/?b=2&a=1"),
        ("http://a.example/p?utm_source=x&UTM_Medium=y", "http://a.example/p"),
        ("http://a.example/p?id=3&gclid=1#top", "http://a.example/p?id=3"),
        ("http://a.example/p?spm=a21bo.1&id=3", "http://a.example/p?id=3"),
        ("http://a.example/p?PHPSESSID=1f&id=3", "http://a.example/p?id=3"),
        ("http://a.example/p;jsessionid=1F?PHPSESSID=1f", "http://a.example/p"),
        ("http://a.example/p;v=1/q", "http://a.example/p;v=1/q"),
        ("http://a.example/p?sid=d41d8cd98f00b204e9800998ecf8427e", "http://a.example/p"),
        ("http://a.example/shop?sid=12", "http://a.example/shop?sid=12"),
        ("http://a.example/p?a&&b", "http://a.example/p?a&&b"),
        ("http://a.example/p?", "http://a.example/p"),
        ("http://a.example/(S(x1))/p?b=2", "http://a.example/p?b=2"),
    ],
)
def test_clean_drops_only_what_does_not_name_the_page(url, expected):
    assert clean(url) == expected
    assert clean(expected) == expected


@pytest.mark.parametrize(
    "variants",
    [
        # One page each, written in many ways.
        [
            "http://a.example/d",
            "https://www.a.example/d/",
            "http://A.EXAMPLE:80/d/index.html",
            "https://a.example:443/d/default.aspx",
            "http://a.example/./c/../d/#x",
            "http://a.example./d?utm_campaign=1",
            "http://user:pw@a.example/d;jsessionid=3",
            "http://a.example/d/?",
        ],
        ["http://a.example", "https://www.a.example/index.php", "http://www.www.a.example/"],
        [
            "http://a.example/s?b=2&a=1",
            "http://a.example/s/?a=1&amp;b=2&gclid=3",
            "http://a.example/s?a=1&&b=2",
        ],
        [
            "http://a.example/%7Eme/%e5%b7%9d",
            "http://a.example/~me/%E5%B7%9D",
            "http://a.example/~me/川",
        ],
        ["http://a.example/a%28b%29?q=x%20y", "http://a.example/a(b)?q=x+y"],
        ["http://a.example/a[1]|b", "http://a.example/a%5B1%5D%7Cb"],
        ["http://bücher.example/", "http://xn--bcher-kva.example"],
        ["https://a.example:80/", "http://a.example:443/", "http://a.example/"],
        # Servers' session ids, in the query and in the path.
        [
            "http://a.example/p/1",
            "http://a.example/(S(lit3py55t21z5v55vlm25s55))/p/1",
            "http://a.example/(X(1)A(q-_w)S(lit3py55t21z5v55vlm25s55))/p/1/",
            "http://a.example/%28S%28lit3py55t21z5v55vlm25s55%29%29/p/1",
            "http://a.example/p/1;JSESSIONID=AB12!-123!456",
            "http://a.example/p/1%3Bjsessionid=AB12",
            "http://a.example/p/1?ASPSESSIONIDQQABCDEF=AB",
            "http://a.example/p/1?ASP.NET_SessionId=ab",
            "http://a.example/p/1?osCsid=ab&utm_medium=x",
        ],
        [
            "http://a.example",
            "http://a.example/(S(lit3py55t21z5v55vlm25s55))",
            "http://a.example/(S(lit3py55t21z5v55vlm25s55))/Default.aspx",
            "http://a.example//",
            "http://a.example/;jsessionid=12",
        ],
        # Hosts as people write them.
        ["http://a.example/", "http://ａ.example/", "http://a。example/", "HTTP://A.EXAMPLE"],
        ["http://中文.example/", "http://xn--fiq228c.example", "http://www.中文．example/"],
        ["http://[::1]/a", "https://[0:0::1]:443/a/"],
        # Dot segments, bare and escaped, and a page's charset.
        ["http://a.example/d", "http://a.example/d/x/..", "http://a.example/b/%2e%2e/d/%2E"],
        [
            "http://a.example/s?q=%B4%A8%B2%CB",
            "https://www.a.example/s/?q=%b4%a8%B2%cB&",
            join(BASE, "/s?q=川菜", encoding="gbk"),
            join(BASE, "/s?q=川菜", encoding="gb2312"),
        ],
        ["http://a.example/%E8%B7%AF", join(BASE, "/路/", encoding="gbk")],
    ],
)
def test_spellings_of_one_page_are_one_row(variants):
    assert len({key(url) for url in variants}) == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.example/p/1", "http://a.example/p/2"),
        ("http://a.example/p", "http://a.example/P"),
        ("http://a.example/p?a=1&a=2", "http://a.example/p?a=2&a=1"),
        ("http://a.example/p?id=1", "http://a.example/p?id=2"),
        ("http://a.example/a%2Fb", "http://a.example/a/b"),
        ("http://a.example/?q=a%26b", "http://a.example/?q=a&b"),
        ("http://a.example/?q=a%2Bb", "http://a.example/?q=a+b"),
        ("http://a.example/", "http://a.example:8080/"),
        ("http://a.example/", "http://b.a.example/"),
        ("http://www.com/", "http://com/"),
        ("http://a.example/index.html2", "http://a.example/"),
        ("http://a.example/auth/default.html", "http://a.example/auth/"),
        ("http://a.example/a//b", "http://a.example/a/b"),
        ("http://a.example/(S(x))y/a", "http://a.example/a"),
        ("http://a.example/(s)/a", "http://a.example/a"),
        ("http://a.example/Q(S(x))/a", "http://a.example/Q"),
    ],
)
def test_two_pages_stay_two_rows(one, other):
    assert key(one) != key(other)


@pytest.mark.parametrize("url", ["", "/p", "mailto:a@b.example", "http://", "not a url"])
def test_what_is_no_absolute_url_has_no_identity(url):
    with pytest.raises(ValueError):
        canonicalize(url)


def test_hosts_keep_their_port():
    assert host_of("http://127.0.0.1:8000/a") == "127.0.0.1:8000"
    assert host_of("https://u@www.a.example:443/a") == "www.a.example"
    assert host_of("https://a.example:80/") == "a.example:80"
    assert origin_of("https://www.a.example:443/p?q") == "https://www.a.example"


def test_buckets_are_spread_and_stable():
    buckets = [bucket(f"host{number}.example") for number in range(2000)]
    assert all(0 <= number < BUCKETS for number in buckets)
    assert len(set(buckets)) > 1400
    assert bucket("shop.example") == bucket("shop.example")


_hrefs = st.text(
    alphabet=st.sampled_from("ab./?#&=;:%+~()[]|\\'\"-_@ \t川é2eE5%0www.index.htmlutm_sid"),
    max_size=40,
)
_urls = (
    st.tuples(
        st.sampled_from(
            ["http://a.example/", "https://www.www.a.cn:80/b/", "http://x.www.example./c?d"]
        ),
        _hrefs,
    )
    .map(lambda pair: join(*pair))
    .filter(lambda url: url is not None)
)


@given(
    st.sampled_from(["http://a.example/x/y?q=1", "https://a.example", "http://a.example/%7e/"]),
    st.text(alphabet=st.sampled_from("ab./?#&=;:%+~()~ABindex"), max_size=20),
)
def test_join_has_no_other_opinion_than_browsers(base, href):
    try:
        expected = ada_url.join_url(base, href).partition("#")[0]
    except ValueError:
        expected = ""
    assert join(base, href) == (expected if expected.startswith("http") else None)


@given(_urls)
def test_what_is_remembered_of_directories_changes_nothing(url):
    assert canonicalize(url) == _canonicalized(url)


@given(_urls)
def test_canonicalize_settles_at_once(url):
    assert canonicalize(canonicalize(url)) == canonicalize(url)


@given(_urls)
def test_clean_settles_at_once_and_keeps_the_identity(url):
    assert clean(clean(url)) == clean(url)
    assert key(clean(url)) == key(url)


@given(_urls)
def test_an_absolute_url_joins_to_itself(url):
    assert join("http://other.example/", url) == url
