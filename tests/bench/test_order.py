import pytest

from bench.order import harvest_area, trial
from bench.site_graphs import load_site, page_key
from bench.url_filters import survey


@pytest.mark.parametrize(
    ("order", "targets", "reachable", "area"),
    [
        ("ab", "ab", 2, 1.0),
        ("xxab", "ab", 4, 3 / 7),
        ("aab", "ab", 3, 4 / 5),  # a page fetched again costs a fetch
        ("x", "ab", 3, 0.0),
        ("a", "ab", 4, 4 / 7),  # the crawl stopped early
    ],
)
def test_harvest_area(order, targets, reachable, area):
    assert harvest_area(list(order), set(targets), reachable) == pytest.approx(area)


def test_page_key_is_what_the_server_tells_pages_by():
    assert page_key("http://S.example/%E4%B8%AD/#a") == page_key("http://s.example/中")
    assert page_key("http://s.example/a?b=1") != page_key("http://s.example/a?b=2")


def test_a_real_site_in_the_learned_order(data):
    site = load_site(data / "sites", "ddys")
    task = next(task for task in site.tasks if task.name == "item")
    found = trial(site, task, task.examples[0], learned=True)
    assert found.coverage == 1.0
    assert found.nauc > 0.94
    filters, _, _ = survey(site, task, task.examples[0])
    assert filters.decided_by == "url"
    assert len(filters.targets) == 1
