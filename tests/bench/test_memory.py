import time

import pytest

from bench.cpu_shares import CpuShares
from bench.memory import LINKS, Weighed, growth, part_of, print_table, weigh
from winze.engine.order import OrderName

STARTS = 20


@pytest.mark.parametrize("order", list(OrderName))
def test_every_page_makes_ten_urls_known(order, tmp_path):
    weighed = weigh(tmp_path, 60, order)
    assert weighed.pages == 60
    assert weighed.known == STARTS + LINKS * 60
    assert weighed.peak >= weighed.before > 10_000
    assert weighed.cpu_seconds > 0
    assert 0 <= weighed.frontier + weighed.learning + weighed.store <= 1


def test_growth_is_that_after_the_warm_up():
    samples = [(n, 1000 * n) for n in range(10)] + [(n, 9000 + 2 * n) for n in range(10, 30)]
    assert growth(samples) == pytest.approx(2)
    assert growth(samples[:1]) == 0


@pytest.mark.parametrize(
    ("calls", "part"),
    [
        ([("/a/numpy/core.py", "sum"), ("/a/winze/frontier/queue.py", "pop")], "frontier"),
        (
            [("/a/winze/engine/admission.py", "admit"), ("/a/winze/engine/crawl.py", "x")],
            "frontier",
        ),
        (
            [("/a/winze/learn/order.py", "observe"), ("/a/winze/engine/order.py", "learn")],
            "learning",
        ),
        ([("/a/winze/engine/order.py", "pop"), ("/a/winze/engine/crawl.py", "_next")], "frontier"),
        ([("/a/sqlalchemy/x.py", "y"), ("/a/winze/store/crawldb.py", "commit")], "store"),
        ([("/a/winze/parse/html.py", "x"), ("/a/winze/engine/crawl.py", "x")], "rest"),
    ],
)
def test_a_stack_belongs_to_the_innermost_part(calls, part):
    assert part_of(iter(calls)) == part


def test_cpu_time_goes_to_who_spends_it():
    def spend() -> None:
        end = time.process_time() + 0.2
        while time.process_time() < end:
            pass

    with CpuShares(
        lambda calls: "mine" if "spend" in {name for _, name in calls} else ""
    ) as shares:
        spend()
    assert shares.share("mine") > 0.5
    assert shares.total > 0.1


def test_a_missed_bar_is_told(capsys):
    good = Weighed(1000, 10_000, 100_000, 140_000, 80.0, 3.0, 0.05, 0.1, 0.4)
    bad = Weighed(100_000, 1_000_000, 100_000, 500_000, 400.0, 300.0, 0.2, 0.1, 0.4)
    assert print_table(good, good) == []
    assert len(print_table(good, bad)) == 2
    assert capsys.readouterr().out.count("MISSED") == 2
