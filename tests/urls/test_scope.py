import pickle

import pytest

from winze.urls.scope import Scope, registered_domain


@pytest.mark.parametrize(
    ("reach", "start", "inside", "outside"),
    [
        (
            "host",
            ["http://www.a.example/x"],
            ["https://a.example/", "http://www.a.example:80/y"],
            ["http://b.a.example/", "http://a.example:8080/", "http://a.example.evil.example/"],
        ),
        (
            "host",
            ["http://127.0.0.1:8001/", "http://b.example/"],
            ["http://127.0.0.1:8001/p", "http://b.example/p"],
            ["http://127.0.0.1:8002/p"],
        ),
        (
            "domain",
            ["http://www.shop.com.cn/"],
            ["http://news.shop.com.cn/1", "https://shop.com.cn:8443/"],
            ["http://other.com.cn/", "http://shop.com/"],
        ),
        ("domain", ["http://me.github.io/"], ["http://me.github.io/b"], ["http://you.github.io/"]),
        ("domain", ["http://127.0.0.1:80/"], ["http://127.0.0.1/p"], ["http://127.0.0.2/p"]),
        (
            "prefix",
            ["http://a.example/docs/index.html"],
            ["https://www.a.example/docs", "http://a.example/docs/1", "http://a.example/docs?p=2"],
            ["http://a.example/docs2", "http://a.example/", "http://b.example/docs/1"],
        ),
        (
            "prefix",
            ["http://a.example/docs/list.html?page=1"],
            ["http://a.example/docs/other.html"],
            ["http://a.example/list.html"],
        ),
        ("prefix", ["http://a.example/"], ["http://a.example/x/y"], ["http://b.example/"]),
        ("any", ["http://a.example/"], ["http://z.example/"], []),
    ],
)
def test_scope_admits_what_its_reach_says(reach, start, inside, outside):
    scope = pickle.loads(pickle.dumps(Scope.around(start, reach=reach)))
    assert [url for url in inside if not scope.admits(url)] == []
    assert [url for url in outside if scope.admits(url)] == []
    assert all(scope.admits(url) for url in start)


def test_an_unknown_reach_is_refused():
    with pytest.raises(ValueError, match="everything"):
        Scope.around(["http://a.example/"], reach="everything")


def test_domains_need_no_network():
    assert registered_domain("a.b.co.uk") == "b.co.uk"
    assert registered_domain("localhost") == "localhost"
