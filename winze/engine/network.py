"""The network as a plan wants it: its client, pace, browser and fetch plug-ins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Protocol

from winze import __version__
from winze.engine.missing_pages import PROBES
from winze.engine.plugged import wrapped
from winze.engine.rendering import Lacks, Rendering, rendering_for
from winze.fetch.client import Client
from winze.fetch.gate import Gate
from winze.fetch.politeness import LATENCY_FACTOR, Politeness
from winze.model import ErrorCode, Fetcher
from winze.plan import Plan
from winze.urls.canonical import host_of

#: Who asks, and where the owner of a site can read what that is.
USER_AGENT = f"winze/{__version__} (+https://pypi.org/project/winze/)"


class Pace(Protocol):
    """Who knows which hosts may not be asked now (fetch.politeness.Politeness)."""

    def busy_hosts(self, now: float) -> frozenset[str]:
        """Return the hosts that may not be asked now; `now` is monotonic time in seconds."""
        ...


@dataclass(frozen=True, slots=True)
class Network:
    """What a job needs of the outside; the default of each part suits pages kept in memory."""

    fetch: Fetcher
    pace: Pace | None = None
    #: Hosts that are not asked for now.
    given_up: Callable[[], Mapping[str, ErrorCode]] = dict
    #: Visits at a time, all hosts together.
    concurrency: int = 1
    #: Made-up URLs that a host is asked for, to learn how it says "not found".
    probes: int = 0
    #: None: no sitemaps are read.
    client: Client | None = None
    #: None: pages count as they are sent.
    rendering: Rendering | None = None
    #: Headers that go with every request, for the archive.
    headers: Mapping[str, str] = field(default_factory=dict)

    def samples(self, lacks: Lacks) -> Fetcher:
        """Return what fetches single pages, drawn by a browser where they lack something."""
        return self.fetch if self.rendering is None else self.rendering.samples(self.fetch, lacks)


@asynccontextmanager
async def network_for(
    plan: Plan, *, obey_robots: bool = True, gate: Gate | None = None
) -> AsyncIterator[Network]:
    """Open the real network as the plan wants it; plans of one run share a gate."""
    agent = plan.user_agent or USER_AGENT
    async with (
        client_for(plan, obey_robots=obey_robots, gate=gate) as client,
        rendering_for(plan, agent, client.turn) as rendering,
    ):
        yield Network(
            wrapped(client, plan),
            client.politeness,
            lambda: client.given_up,
            plan.concurrency_total,
            PROBES,
            client,
            rendering,
            {"User-Agent": agent} | plan.headers,
        )


def latency_factor(plan: Plan) -> float:
    """Return how much slow answers slow the asking down: only where the plan sets no delay."""
    return LATENCY_FACTOR if plan.delay is None and plan.pace > 0 else 0.0


def client_for(plan: Plan, *, obey_robots: bool = True, gate: Gate | None = None) -> Client:
    """Return the client that fetches as the plan says; cookies go to the plan's hosts only."""
    own = Politeness(
        delay=plan.pace,
        concurrency=plan.concurrency,
        total=plan.concurrency_total,
        latency_factor=latency_factor(plan),
    )
    return Client(
        user_agent=plan.user_agent or USER_AGENT,
        politeness=own if gate is None else gate.politeness,
        gate=gate,
        delay=plan.pace,
        concurrency=plan.concurrency,
        obey_robots=plan.robots and obey_robots,
        timeout=plan.timeout,
        max_bytes=plan.page_bytes,
        headers=plan.headers,
        cookies=plan.cookies,
        trusted_hosts={host_of(url) for url in [*plan.starts(), *plan.examples]},
        proxy=plan.proxy,
        connect_to=plan.connect_to,
    )
