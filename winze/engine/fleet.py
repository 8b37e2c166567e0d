"""Many sites in one run: each has its plan, its crawl and its pace; the total is shared."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace

from winze.engine.interruption import Interruption
from winze.engine.job import Done, Job
from winze.engine.network import latency_factor
from winze.errors import WinzeError
from winze.fetch.gate import Gate
from winze.fetch.politeness import Politeness


async def crawl_all(jobs: Sequence[Job], *, total: int) -> list[Done | WinzeError]:
    """Crawl all sites at once; return what each came to, in their order.

    A host that several plans name is asked as gently as the gentlest of them wants. No more than
    `total` requests run at a time. What ends one site's crawl does not touch the others.
    """
    politeness = Politeness(
        delay=0.0,
        concurrency=total,
        total=total,
        latency_factor=max(latency_factor(job.plan) for job in jobs),
    )
    gate = Gate(politeness, clock=time.monotonic, sleep=asyncio.sleep)
    interruption = Interruption()
    shared = [replace(job, gate=gate, interruption=interruption) for job in jobs]
    return await asyncio.gather(*(_outcome(job) for job in shared))


async def _outcome(job: Job) -> Done | WinzeError:
    try:
        return await job.crawl()
    except WinzeError as error:
        return error
