import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.clusters import cpu_seconds, shop_urls
from winze.urls.clusters import cluster
from winze.urls.patterns import pattern_of

ROOT = "http://s.example"


def shapes(urls):
    return {found.shape.removeprefix("s.example"): len(found.members) for found in cluster(urls)}


def words(count):
    return ["".join(random.Random(n).choices("abcdefgh", k=6)) for n in range(count)]


def test_numbers_dates_and_text_are_told_apart():
    urls = [f"{ROOT}/p/{n}.html" for n in range(30)]
    urls += [f"{ROOT}/news/2015-04-{n:02}/a" for n in range(1, 29)]
    urls += [f"{ROOT}/tag/{word}" for word in words(40)]
    assert shapes(urls) == {"/p/#.html": 30, "/news/date/a": 28, "/tag/*": len(set(words(40)))}


def test_sections_stay_and_many_rare_names_become_one():
    urls = [
        f"{ROOT}/{section}/{n}" for section in ("film", "book", "game", "song") for n in range(50)
    ]
    urls += [f"{ROOT}/{name}/{n}" for n, name in enumerate(words(60))]
    found = shapes(urls)
    assert {
        f"/{section}/#": 50 for section in ("film", "book", "game", "song")
    }.items() <= found.items()
    assert found["/*/#"] == 60


def test_page_numbers_of_a_directory_are_no_items():
    urls = [f"{ROOT}/movie/{word}-x" for word in words(50)]
    urls += [f"{ROOT}/movie/page/{n}" for n in range(2, 9)]
    assert shapes(urls) == {"/movie/*": len(set(words(50))), "/movie/page/#": 7}


def test_a_few_titles_that_look_like_numbers_are_text():
    urls = [f"{ROOT}/movie/{word}" for word in words(90)] + [
        f"{ROOT}/movie/1917",
        f"{ROOT}/movie/300",
    ]
    assert list(shapes(urls)) == ["/movie/*"]


def test_query_keys_and_extensions_part_urls_but_query_values_do_not():
    urls = [f"{ROOT}/show?id={n}&v=a" for n in range(9)] + [f"{ROOT}/show?v=b&id=7", f"{ROOT}/show"]
    assert shapes(urls) == {"/show?id&v": 10, "/show": 1}
    urls = [f"{ROOT}/a/{n}.html" for n in range(9)] + [f"{ROOT}/a/{n}.php" for n in range(9)]
    assert shapes(urls) == {"/a/#.html": 9, "/a/#.php": 9}


def test_percent_escaped_chinese_tags_are_one_group():
    urls = [f"{ROOT}/tags/%E4%B8%{n:X}/" for n in range(0x80, 0xBF)]
    assert list(shapes(urls)) == ["/tags/*"]


def test_hosts_are_kept_apart_and_doubles_count_once():
    urls = ["http://a.example/1", "http://b.example/1", "http://a.example/1"]
    assert [len(found.members) for found in cluster(urls)] == [1, 1]
    assert cluster([]) == []


@given(
    st.lists(
        st.lists(st.sampled_from(["a", "7", "x-1", "2015-04", "page", "b.html", ""]), max_size=4)
    )
)
def test_each_url_is_in_one_group_whose_pattern_it_matches(paths):
    urls = [f"{ROOT}/{'/'.join(path)}" for path in paths]
    found = cluster(urls)
    members = [url for one in found for url in one.members]
    assert sorted(members) == sorted(set(urls))
    for one in found:
        pattern = pattern_of(one.members)
        assert all(map(pattern.matches, one.members))


def test_time_grows_linearly():
    cpu_seconds(cluster, shop_urls(2_000))
    small = min(cpu_seconds(cluster, shop_urls(4_000, seed=n)) for n in range(3))
    large = min(cpu_seconds(cluster, shop_urls(16_000, seed=n)) for n in range(2))
    assert large < 10 * max(small, 0.01)


@pytest.mark.parametrize("size", [100, 1000])
def test_the_order_of_urls_does_not_change_the_groups(size):
    urls = shop_urls(size)
    mixed = random.Random(5).sample(urls, len(urls))
    groups = [{frozenset(one.members) for one in cluster(some)} for some in (urls, mixed)]
    assert groups[0] == groups[1]
