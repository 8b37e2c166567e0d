import time

import pytest

from winze.urls.patterns import Pattern, matches_any, pattern_of

HOST = r"https?://s\.example"


@pytest.mark.parametrize(
    ("paths", "rest"),
    [
        (["/p/1", "/p/27"], "/p/[0-9]+/?"),
        (["/p/1.html", "/p/27.html"], r"/p/[0-9]+\.html/?"),
        (["/p/1.html", "/p/27.htm"], r"/p/[0-9]+\.[a-zA-Z0-9]+/?"),
        (["/p/1.html", "/p/27"], r"/p/[0-9]+(?:\.[a-zA-Z0-9]+)?/?"),
        (["/beijing/food", "/shanghai/food"], "/[a-zA-Z]+/food/?"),
        (["/a_1", "/b_2"], r"/\w+/?"),
        (["/n/2015-04-15", "/n/2015-4-1"], r"/n/[0-9]{4}[-_.][0-9]{1,2}(?:[-_.][0-9]{1,2})?/?"),
        (["/movie/it", "/movie/batman-begins"], r"/movie/[\w%-]+/?"),
        (["/t/%E5%9B%BE", "/t/%E4%B9%A6/"], r"/t/[\w%-]+/?"),
        (["/t/图书", "/t/电影"], r"/t/[^/?#.]+/?"),
        (["/d/v1.2.3", "/d/a b"], r"/d/[^/?#]+/?"),
        (["/list/page/2", "/list/page/3"], "/list/page/[0-9]+/?"),
        (["/", ""], "/?"),
        (["/s?q=a&p=1", "/s?q=%E5&p=2"], r"/s/?\?q=[\w%-]+&p=[0-9]+"),
        (["/s?p=1&q=a", "/s?q=b&p=2"], r"/s/?\?.*"),
        (["/s?p=1", "/s"], r"/s/?(?:\?.*)?"),
        (["/s?x", "/s?x"], r"/s/?\?x"),
        (["/s?x", "/s?x=1"], r"/s/?\?x(?:=[^&]*)?"),
        (["/s?id=7"], r"/s/?\?id=[0-9]+"),
        (["/s?v=list&id=7"], r"/s/?\?v=list&id=[0-9]+"),
        (["/s?u=http://x/y", "/s?u=b"], r"/s/?\?u=[^&]*"),
    ],
)
def test_rule_table(paths, rest):
    urls = [f"http://s.example{path}" for path in paths]
    pattern = pattern_of(urls)
    assert pattern.regex == HOST + rest
    assert all(map(pattern.matches, urls))
    assert (pattern.support, pattern.samples, pattern.by) == (len(urls), tuple(urls), "learned")


@pytest.mark.parametrize(
    ("url", "matches"),
    [
        ("https://s.example/p/9", True),
        ("http://s.example/p/9/", True),
        ("http://s.example/p/9#top", True),
        ("http://s.example/p/", False),
        ("http://s.example/p/9/reviews", False),
        ("http://s.example/p/x9", False),
        ("http://s.example/p/９", False),
        ("http://s.example/p/9?sort=up", False),
        ("http://other.example/p/9", False),
        ("http://sxexample/p/9", False),
        ("x http://s.example/p/9", False),
    ],
)
def test_the_whole_url_must_match(url, matches):
    pattern = pattern_of(["http://s.example/p/1", "http://s.example/p/27"])
    assert pattern.matches(url) is matches
    assert matches_any([Pattern("nothing"), pattern], url) is matches


@pytest.mark.parametrize(
    "urls",
    [
        ["http://a.example/1", "http://b.example/1"],
        ["http://s.example/1", "http://s.example/a/1"],
        [],
    ],
)
def test_urls_of_different_build_have_no_pattern(urls):
    with pytest.raises(ValueError, match="one host and one number of parts"):
        pattern_of(urls)


def test_a_bad_regex_by_hand_is_a_value_error():
    with pytest.raises(ValueError, match=r"not a regex: p/\("):
        Pattern("p/(", by="hand").matches("http://s.example/")


@pytest.mark.parametrize(
    "paths",
    [
        ["/a.b/1", "/c-d/x.y"],
        ["/a-1.html", "/b_2"],
        ["/a.b.html", "/c.d"],
        ["/s?a=1&b=x", "/s?b=1&a=y"],
        ["/2015-01-02", "/2016.3"],
    ],
)
def test_matching_never_takes_long(paths):
    pattern = pattern_of([f"http://s.example{path}" for path in paths])
    for piece in ("a", "1", "a.", "-", "%", "1-", "&a="):
        url = f"http://s.example/{piece * 5000}\x00/"
        began = time.process_time()
        pattern.matches(url)
        assert time.process_time() - began < 0.1
