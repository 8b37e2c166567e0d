"""Several clients of one run: one pace and one set of places for all, the rest each its own."""

import asyncio
import time
from itertools import pairwise

import pytest
from aiohttp import web

from tests.fetch.server import page, running_site
from winze.fetch.client import Client
from winze.fetch.gate import Gate
from winze.fetch.politeness import Politeness
from winze.model import ErrorCode, Request, Response


def shared(*plans, total=16, concurrency=8):
    """Return clients over one politeness and one gate, each with its plan's options."""
    politeness = Politeness(delay=0.0, concurrency=concurrency, total=total)
    gate = Gate(politeness, clock=time.monotonic, sleep=asyncio.sleep)
    base = {"obey_robots": False, "user_agent": "winze/0", "retries": 0}
    return [Client(politeness=politeness, gate=gate, **base | plan) for plan in plans]


def counting(seconds=0.02):
    """A slow page that counts how many of its kind run at a time."""
    running = {"now": 0, "most": 0}

    async def handler(_):
        running["now"] += 1
        running["most"] = max(running["most"], running["now"])
        await asyncio.sleep(seconds)
        running["now"] -= 1
        return web.Response(text="ok", content_type="text/html")

    return handler, running


async def test_one_host_is_asked_at_the_slower_plans_pace_by_both(site):
    site.routes["/p"] = page()
    one, two = shared({"delay": 0.05}, {"delay": 0.2})
    async with one, two:
        await two(Request(f"{site.url}/p"))
        await asyncio.gather(
            *(client(Request(f"{site.url}/p")) for _ in range(3) for client in (one, two))
        )
    times = [when for when, _ in site.log]
    assert len(times) == 7
    assert all(later - earlier >= 0.19 for earlier, later in pairwise(times))


async def test_each_plans_own_host_keeps_its_own_pace(site):
    async with running_site() as other:
        site.routes["/p"] = other.routes["/p"] = page()
        slow, fast = shared({"delay": 30.0}, {"delay": 0.0})
        async with slow, fast:
            await slow(Request(f"{site.url}/p"))
            for _ in range(5):
                await fast(Request(f"{other.url}/p"))
            assert slow.politeness.wait(site.url[7:], time.monotonic()) > 20
    assert len(other.log) == 5


@pytest.mark.parametrize(
    ("places", "total", "most"), [((8, 8), 3, 3), ((1, 8), 16, 1), ((8, 2), 16, 2), ((5, 5), 16, 5)]
)
async def test_places_are_shared_by_host_and_in_all(site, places, total, most):
    site.routes["/p"], running = counting()
    clients = shared(*({"concurrency": number} for number in places), total=total)
    async with clients[0], clients[1]:
        await asyncio.gather(
            *(client(Request(f"{site.url}/p")) for _ in range(8) for client in clients)
        )
    assert len(site.log) == 16
    assert running["most"] == most


async def test_each_client_has_its_own_cookies_agent_and_headers(site):
    site.routes["/p"] = page(headers={"Set-Cookie": "id=1"})
    one, two = shared({"user_agent": "one/1", "cookies": {"a": "b"}}, {"user_agent": "two/1"})
    async with one, two:
        for client in (one, one, two):
            await client(Request(f"{site.url}/p"))
    seen = [(hit.headers["User-Agent"], hit.headers.get("Cookie")) for hit in site.seen]
    assert seen == [("one/1", "a=b"), ("one/1", "a=b; id=1"), ("two/1", None)]


async def test_a_refusal_to_one_client_is_heeded_by_all(site):
    site.routes["/p"] = [page("no", status=429, headers={"Retry-After": "3000"}), page()]
    one, two = shared({}, {})
    async with one, two:
        assert (await one(Request(f"{site.url}/p"))).http_status == 429
        assert (await two(Request(f"{site.url}/p"))).http_status == 0
    assert len(site.log) == 1


async def test_many_that_give_up_leave_no_place_taken(site):
    site.routes["/p"], _ = counting(0.05)
    one, two = shared({}, {}, total=2, concurrency=1)
    async with one, two:
        tasks = [
            asyncio.create_task(client(Request(f"{site.url}/p")))
            for _ in range(10)
            for client in (one, two)
        ]
        await asyncio.sleep(0.02)
        for task in tasks[::2]:
            task.cancel()
        done = await asyncio.gather(*tasks, return_exceptions=True)
        assert sum(isinstance(one, asyncio.CancelledError) for one in done) == 10
        assert [one.http_status for one in done[1::2]] == [200] * 10
        assert one.politeness.busy_hosts(time.monotonic()) == frozenset()


def test_a_gate_over_another_politeness_is_refused():
    gate = Gate(Politeness(), clock=time.monotonic, sleep=asyncio.sleep)
    with pytest.raises(ValueError, match="the same"):
        Client(user_agent="w", politeness=Politeness(), gate=gate)


async def test_a_turn_for_others_counts_like_a_request_of_our_own(site, client):
    site.routes = {"/robots.txt": page("User-agent: *\nDisallow: /no\n"), "/p": page()}
    host = site.url.removeprefix("http://")
    async with client(delay=0.2, concurrency=1) as fetch:
        async with fetch.turn(f"{site.url}/no") as turn:
            assert turn.refusal is ErrorCode.ROBOTS_DENIED
        async with fetch.turn(f"{site.url}/p") as turn:
            assert turn.refusal is ErrorCode.OK
            assert host in fetch.politeness.busy_hosts(time.monotonic())
            turn.sent()
            turn.answer = Response(f"{site.url}/p", 429, (("retry-after", "100"),))
        assert 90 < fetch.politeness.blocked_for(host, time.monotonic()) <= 100
        async with fetch.turn("mailto:x") as turn:
            assert turn.refusal is ErrorCode.OTHER_ERROR


async def test_a_connection_that_takes_long_does_not_bring_the_next_request_closer():
    gate = Gate(Politeness(delay=0.05, concurrency=4), clock=time.monotonic, sleep=asyncio.sleep)
    await gate.enter("a.example")
    second = asyncio.create_task(gate.enter("a.example"))
    await asyncio.sleep(0.2)
    assert not second.done()
    left = time.monotonic()
    gate.sent("a.example")
    assert await asyncio.wait_for(second, 1) >= left + 0.05


async def test_a_request_that_never_leaves_frees_its_host():
    politeness = Politeness(delay=0.05, concurrency=4)
    gate = Gate(politeness, clock=time.monotonic, sleep=asyncio.sleep)
    await gate.enter("a.example")
    second = asyncio.create_task(gate.enter("a.example"))
    await asyncio.sleep(0.1)
    politeness.finish("a.example", time.monotonic(), http_status=0)
    gate.leave("a.example")
    await asyncio.wait_for(second, 1)
