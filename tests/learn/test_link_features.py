import subprocess
import sys

import numpy as np
import pytest

from winze.learn.link_features import KEYWORD, SPACE, WIDTH, features_of, names_keyword, url_form
from winze.model import Link

LINK = Link("http://s.example/movie/page/17.html?sort=up", "日本动画 film", "ul.grid>li>a", 3)


def shared(one, other):
    return len(np.intersect1d(features_of(one), features_of(other)))


def test_features_are_distinct_numbers_in_their_space():
    found = features_of(LINK, parent="http://s.example/movie/", keywords=("动画",))
    assert found.dtype == np.int32
    assert len(set(found.tolist())) == len(found) <= WIDTH
    assert found.min() > 0
    assert found.max() < SPACE
    assert found[0] == KEYWORD


def test_features_are_the_same_in_another_process():
    code = (
        "from winze.learn.link_features import features_of as f; from winze.model import Link;"
        f"print(f({LINK!r}, parent='http://s.example/').tolist())"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == str(features_of(LINK, parent="http://s.example/").tolist())


def test_a_long_anchor_leaves_url_and_place_in():
    long = Link(LINK.url, "字" + "".join(map(chr, range(0x4E00, 0x4F00))), LINK.tag_path, LINK.rank)
    bare = Link(LINK.url, "", LINK.tag_path, LINK.rank)
    assert len(features_of(long)) == WIDTH
    assert shared(long, bare) >= len(features_of(bare)) - 1  # all but the anchor's length


@pytest.mark.parametrize(
    ("near", "far"),
    [
        (Link("http://s.example/movie/18.html"), Link("http://s.example/book/18.php")),
        (
            Link("http://s.example/x", tag_path="ul>li>a"),
            Link("http://s.example/x", tag_path="p>a"),
        ),
        (Link("http://s.example/x", "日本电影"), Link("http://s.example/x", "美国歌曲")),
        (Link("http://s.example/x", "ドラゴン"), Link("http://s.example/x", "Dragon")),
    ],
)
def test_links_that_are_alike_share_more(near, far):
    link = Link("http://s.example/movie/17.html", "日本动画 メーカー", "ul>li>a")
    assert shared(link, near) > shared(link, far)


@pytest.mark.parametrize(
    ("link", "named"),
    [
        (Link("http://s.example/1", "ＲＥＤＩＳ 入门"), True),
        (Link("http://s.example/tags/Redis/"), True),
        (Link("http://s.example/%E7%BC%93%E5%AD%98"), True),
        (Link("http://s.example/java", "Java"), False),
    ],
)
def test_keywords_are_looked_for_in_anchor_and_url(link, named):
    assert names_keyword(link, ("redis", "缓存")) is named


def test_form_leaves_out_what_identifies():
    assert url_form("http://s.example/movie/17.html") == url_form("http://s.example/movie/9.html")
    assert url_form("http://s.example/movie/it") == "s.example/movie/word"
    assert url_form("http://s.example/") == "s.example"
    assert url_form("http://s.example/a?b=1&a=2") == "s.example/a?a&b"
