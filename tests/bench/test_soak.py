"""A short soak, and the judge himself: what he does not notice was never tested."""

import pytest

from bench.soak.__main__ import soak
from bench.soak.crawls import Run, Sample
from bench.soak.judge import Soaked, judge, slope
from bench.soak.server_log import (
    Asked,
    asked_in_pause,
    fetched_again,
    gaps,
    longest_silence,
    most_asked,
    read_log,
)
from bench.soak.site import Fault, SoakSite
from winze.engine.workspace import open_site
from winze.model import Status
from winze.plan import load_plan
from winze.store.records import all_records

#: With this seed so few pages have every fault but 429, which makes a host slow for 100 pages.
SITE = SoakSite(hosts=5, pages=60, seed=11)

#: Seconds between two requests to a host, and what a noisy machine cannot make of them.
DELAY, MUCH_TOO_SOON = 0.06, 0.015


@pytest.fixture(scope="module")
def soaked(tmp_path_factory):
    """The figures of one soak by name, and the folder that it left."""
    folder = tmp_path_factory.mktemp("soak")
    figures = soak(SITE, folder, delay=DELAY, kills=(0.4,))
    return {figure.name: figure for figure in figures}, folder


def test_nothing_is_lost_doubled_or_wrong_after_a_kill(soaked):
    figures, _ = soaked
    judged = {name: figure for name, figure in figures.items() if figure.bar}
    missed = [f for name, f in judged.items() if not f.met and "gap" not in name]
    assert missed == []
    assert figures["kill -9"].value == "1"
    assert figures["reachable URLs"].value == "305"
    assert len(judged) >= 15


def test_every_fault_was_met(soaked):
    _, folder = soaked
    asked = read_log(folder / "server.log")
    faults = {SITE.fault(one.host, one.path) for one in asked if SITE.has(one.path)}
    assert faults == set(Fault) - {Fault.RATE_FIRST}
    assert {one.status for one in asked} == {0, 200, 403, 404, 410, 500, 503}


def test_the_store_holds_each_item_once(soaked):
    _, folder = soaked
    expected = SITE.truth().values()
    with open_site(load_plan(folder / "soak" / "plan.toml")) as store, store.read() as connection:
        rows = list(store.urls.all(connection))
        records = list(all_records(connection, store.site_id))
    assert len(rows) == len({row.url for row in rows}) == len(expected)
    assert len(records) == sum(one.record is not None for one in expected) > 200
    fetched = sum(one.status is Status.FETCHED for one in expected)
    assert sum(row.status is Status.FETCHED for row in rows) == fetched


def test_no_host_is_asked_again_at_once(soaked):
    # Not the delay itself: a machine that pauses the crawl between its clock and the wire would
    # break that. The HTTP library's own retry after a reset comes within 2 ms.
    _, folder = soaked
    asked = read_log(folder / "server.log")
    found = gaps(asked, DELAY)
    assert found.number == len(asked) - SITE.hosts
    assert found.shortest > MUCH_TOO_SOON


def at(*times, host=0, status=200, path="/"):
    return [Asked(time, host, status, 1, path) for time in times]


def test_gaps_are_judged_by_host():
    asked = sorted(at(1.0, 1.5, 1.596, 1.69) + at(1.01, 2.0, host=1))
    assert gaps(asked, 0.1).number == 4
    assert gaps(asked, 0.1).short == 1
    assert gaps(asked, 0.1).shortest == pytest.approx(0.094)


def test_a_host_left_alone_is_seen():
    assert longest_silence(sorted(at(1.0, 1.5, 9.0) + at(3.0, 4.0, host=1))) == 7.5
    assert longest_silence(at(1.0)) == 0


def test_requests_in_a_pause_are_seen():
    asked = [*at(1.0, status=429), *at(1.05, 1.5, 1.99, 2.0), *at(1.5, host=1)]
    assert asked_in_pause(asked) == 2


def test_pages_asked_for_twice_are_counted():
    asked = at(1, 2, 3, path="/item/1") + at(4, 5, path="/robots.txt")
    asked += at(6, 7, 8, 9, status=500, path="/item/2") + at(10, path="/item/2")
    assert fetched_again(asked) == 2
    assert most_asked(asked) == 5


def test_slope_is_that_after_the_warm_up():
    steep = [Sample(1000 * n, 10_000 * n) for n in range(10)]
    flat = [Sample(1000 * n, 100_000 + 50 * n) for n in range(10, 30)]
    assert slope(Run([*steep, *flat])) == pytest.approx(50)
    assert slope(Run([*steep, *flat, Sample(29_500, 113_000)])) == pytest.approx(50)
    assert slope(Run([])) == 0


def test_a_lost_row_is_noticed(soaked):
    figures, folder = soaked
    # The same store is judged against a site of one more list a host.
    larger = SoakSite(SITE.hosts, SITE.pages + 21, SITE.seed)
    line = (folder / "soak" / "plan.toml").read_text("utf-8").splitlines()[0]
    port = int(line.rpartition(":")[2].partition("/")[0])
    assert figures["without a row"].value == "0"
    plan, output, log = folder / "soak" / "plan.toml", folder / "out.jsonl", folder / "server.log"
    judged = judge(Soaked(larger, port, DELAY, plan, output, log, [Run()]))
    without = next(figure for figure in judged if figure.name == "without a row")
    assert not without.met
    assert int(without.value) > 50
