import pytest

from bench.clusters import main, shop_urls
from bench.papers.gwc_clusters import cluster, similarity, threshold


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("a/b/c", "a/b/c", 6.0),  # m(m+1)/2
        ("a/b/c", "a/b", 0.0),
        ("ab/x", "ac/x", 2 / 1.5 + 1),
        ("x/ab", "x/cd", 2.5),
        ("", "", 1.0),
    ],
)
def test_similarity_is_equation_1(one, other, expected):
    assert similarity(one.split("/"), other.split("/")) == pytest.approx(expected)


def test_a_url_joins_the_first_cluster_that_is_near_enough():
    urls = [f"http://s/shop/{n}" for n in range(100, 105)] + ["http://s/help", "http://o/shop/100"]
    assert [len(members) for members in cluster(urls)] == [5, 1, 1]


def test_the_threshold_grows_with_the_number_of_parts_only():
    assert threshold(3, 0.5) == 3.0


def test_the_bench_prints_both_and_holds_its_bar(monkeypatch, capsys):
    monkeypatch.setattr("bench.clusters.URLS", 2000)
    monkeypatch.setattr("bench.clusters.PAPER_URLS", 100)
    assert main(["--json"]) == 0
    assert '"passed": true' in capsys.readouterr().out
    monkeypatch.setattr("bench.clusters.MOST_SECONDS", 0.0)
    assert main([]) == 1
    assert "pattern trie" in capsys.readouterr().out


def test_the_shop_has_as_many_distinct_urls_as_asked():
    assert len(set(shop_urls(3000))) == 3000
