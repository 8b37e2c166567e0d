"""The frontier: a bounded queue over the URL table, in which nothing is lost or fetched twice."""

import random

import pytest

from winze.engine.frontier import LEAST_PER_HOST, Frontier
from winze.engine.order import Order, by_learning
from winze.frontier.queue import Candidate
from winze.learn.order import LinkModel
from winze.model import ErrorCode, Kind, Status, Verdict
from winze.store.crawldb import StoredUrl

HOSTS = ("a.example", "b.example", "c.example")


class Table:
    """The URL table of a crawl: each row waits until it was fetched and committed."""

    def __init__(self) -> None:
        self.rows: dict[str, StoredUrl] = {}
        self.done: set[str] = set()
        self.reads = 0

    def add(self, url: str) -> Candidate:
        host = url.split("/")[2]
        row = dict.fromkeys(StoredUrl.__dataclass_fields__)
        row |= {"url": url, "host": host, "depth": 1, "weight": 0, "attempts": 0, "rank": 0}
        row |= {"anchor": url, "tag_path": "ul>li>a", "id": len(self.rows) + 1}
        row |= {"status": Status.DISCOVERED, "kind": Kind.OTHER, "error": ErrorCode.OK}
        self.rows[url] = StoredUrl(**(row | {"verdict": Verdict.NOT_JUDGED}))
        return Candidate(url, host, 1, "", anchor=url, tag_path="ul>li>a")

    async def waiting(self, host: str, after: int, number: int) -> list[StoredUrl]:
        self.reads += 1
        rows = (row for row in self.rows.values() if row.host == host and row.id > after)
        return [row for row in rows if row.url not in self.done][:number]


def url(number):
    return f"http://{HOSTS[number % len(HOSTS)]}/p/{number}"


async def drain(frontier, table, *, in_flight=8, seed=1):
    """Fetch all, some at a time and committed late; return the URLs in the order of fetching."""
    rng = random.Random(seed)
    fetched, flying = [], []
    while True:
        candidate = await frontier.pop(()) if len(flying) < in_flight else None
        if candidate is not None:
            fetched.append(candidate.url)
            flying.append(candidate.url)
            continue
        if not flying:
            return fetched
        ended = flying.pop(rng.randrange(len(flying)))
        table.done.add(ended)
        frontier.settled(ended)


@pytest.mark.parametrize("make", [Order, lambda: by_learning(LinkModel(), {})])
@pytest.mark.parametrize("number", [10, 3 * LEAST_PER_HOST + 100, 6_000])
async def test_what_does_not_fit_is_fetched_later_and_once(make, number):
    table = Table()
    frontier = Frontier(make(), table.waiting, lambda _: True, most=1_000)
    for start in range(0, number, 50):
        frontier.push([table.add(url(n)) for n in range(start, min(number, start + 50))])
        assert len(frontier.order.queue) <= max(1_000, len(HOSTS) * LEAST_PER_HOST)
    assert len(frontier) == number
    fetched = await drain(frontier, table)
    assert len(fetched) == number
    assert set(fetched) == table.rows.keys()
    assert (table.reads > 0) == (number > 1_000)


async def test_first_in_is_first_out_across_the_table():
    table = Table()
    frontier = Frontier(Order(), table.waiting, lambda _: True, most=600)
    frontier.push([table.add(f"http://a.example/{n}") for n in range(2_000)])
    assert await drain(frontier, table, in_flight=1) == list(table.rows)


async def test_what_a_run_left_waits_and_filters_hold():
    table = Table()
    for number in range(900):
        table.add(url(number))
    frontier = Frontier(Order(), table.waiting, lambda one: not one.url.endswith("7"), most=600)
    frontier.await_rows(dict.fromkeys(HOSTS, 300))
    assert len(frontier) == 900
    fetched = await drain(frontier, table)
    assert sorted(fetched) == sorted(one for one in table.rows if not one.endswith("7"))
    assert len(frontier) == 0


async def test_what_was_taken_out_of_turn_is_not_offered_again():
    table = Table()
    frontier = Frontier(Order(), table.waiting, lambda _: True)
    frontier.push([table.add(url(n)) for n in range(6)])
    frontier.take(url(3))
    assert url(3) not in await drain(frontier, table)


async def test_busy_hosts_wait():
    table = Table()
    frontier = Frontier(Order(), table.waiting, lambda _: True)
    frontier.push([table.add(url(n)) for n in range(3)])
    assert frontier.has_other(["a.example", "b.example"])
    candidate = await frontier.pop(["a.example", "b.example"])
    assert candidate is not None
    assert candidate.host == "c.example"
    assert await frontier.pop(["a.example", "b.example"]) is None
    assert not frontier.has_other(["a.example", "b.example"])


async def test_what_is_left_in_the_table_while_it_is_read_is_not_forgotten():
    table = Table()
    late = [f"http://{HOSTS[0]}/late/{number}" for number in range(3)]

    async def read(host, after, number):
        rows = await table.waiting(host, after, number)
        if not rows and late:
            # A page is settled in the meantime: its link's row is not among those read.
            frontier.push([table.add(late.pop())])
        return rows

    frontier = Frontier(Order(), read, lambda _: True)
    frontier.await_rows({HOSTS[0]: 1})
    await frontier.pop(())
    fetched = await drain(frontier, table)
    assert sorted(fetched) == sorted(table.rows)
    assert len(fetched) == 3


async def test_what_got_no_outcome_is_taken_again_once():
    table = Table()
    frontier = Frontier(Order(), table.waiting, lambda _: True)
    frontier.await_rows({HOSTS[0]: 1})
    table.add(url(0))
    taken = await frontier.pop(())
    frontier.settled(taken.url)
    moved = Candidate(f"{url(0)}/", HOSTS[0])
    frontier.put_back(moved, taken.url)
    again = await frontier.pop(())
    frontier.settled(again.url)
    assert again.url == moved.url
    frontier.put_back(taken, again.url)
    assert (await frontier.pop(())).url == taken.url
    assert await frontier.pop(()) is None
