"""Judges a soak: the store against the truth, the server's log against good manners, the memory."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench.soak import server_log
from bench.soak.crawls import CONCURRENCY, CONCURRENCY_TOTAL, Run, Sample
from bench.soak.site import Expected, SoakSite, url_of
from winze.engine.report import Stop
from winze.engine.workspace import open_site
from winze.engine.writer import BATCH
from winze.fetch.client import RETRIES
from winze.plan import load_plan
from winze.store.crawldb import MAX_ATTEMPTS, StoredUrl
from winze.store.records import StoredRecord, all_records

#: KB that a crawl may grow by in 1,000 requests. A known URL costs 100 bytes (the set of
#: fingerprints), and a page tells of three new ones at the most while the hosts are being explored:
#: 300. 100 more are the noise of the resident set: 1 MB in 10,000 requests.
MOST_GROWTH = 400.0

#: Share of a run's requests that count as warm-up.
_WARM_UP = 1 / 3

#: Requests after the warm-up from which on a slope says something: in a run with fewer the queue is
#: still filling.
_ENOUGH_REQUESTS = 5_000


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the table."""

    name: str
    value: str
    #: Empty: it is told, not judged.
    bar: str = ""
    met: bool = True


@dataclass(frozen=True, slots=True)
class Soaked:
    """All that a soak left behind."""

    site: SoakSite
    port: int
    delay: float
    plan: Path
    output: Path
    log: Path
    runs: Sequence[Run]


def judge(soaked: Soaked) -> list[Figure]:
    """Return every figure beside its bar."""
    truth = {
        url_of(host, path, soaked.port): expected
        for (host, path), expected in soaked.site.truth().items()
    }
    plan = load_plan(soaked.plan)
    with open_site(plan) as store, store.read() as connection:
        rows = list(store.urls.all(connection))
        found = list(all_records(connection, store.site_id))
    records = {url: one.record for url, one in truth.items() if one.record is not None}
    return [
        *_row_figures(rows, truth),
        *_record_figures(found, records),
        *_line_figures(soaked.output, records),
        *_log_figures(soaked),
        *memory_figures(soaked.runs),
        *_run_figures(soaked.runs),
    ]


def _row_figures(rows: Sequence[StoredUrl], truth: Mapping[str, Expected]) -> list[Figure]:
    known = Counter(row.url for row in rows)
    wrong = Counter(
        f"{row.status} {row.error.name}, not {truth[row.url].status} {truth[row.url].error.name}"
        for row in rows
        if row.url in truth and (row.status, row.error) != _end(truth[row.url])
    )
    return [
        Figure("reachable URLs", f"{len(truth)}"),
        _none("without a row", len(truth.keys() - known.keys())),
        _none("with two rows", sum(number > 1 for number in known.values())),
        _none("rows of no page", len(known.keys() - truth.keys())),
        _none("wrong status or error", wrong.total(), _told(wrong)),
    ]


def _end(expected: Expected) -> tuple[str, int]:
    return expected.status, expected.error


def _record_figures(
    found: Sequence[StoredRecord], truth: Mapping[str, tuple[str, str]]
) -> list[Figure]:
    known = Counter(record.url for record in found)
    wrong = [
        record.url
        for record in found
        if not record.valid or not _agrees(record.fields, truth.get(record.url))
    ]
    return [
        _none("records missing", len(truth.keys() - known.keys())),
        _none("records doubled", sum(number > 1 for number in known.values())),
        _none("records wrong", len(wrong), ", ".join(wrong[:3])),
    ]


def _line_figures(output: Path, truth: Mapping[str, tuple[str, str]]) -> list[Figure]:
    text = output.read_text("utf-8") if output.exists() else ""
    lines = [json.loads(line) for line in text.splitlines()]
    good = Counter(line["url"] for line in lines if _agrees(line, truth.get(line["url"])))
    return [
        _none("lines missing in -o", len(truth.keys() - good.keys())),
        _none("lines doubled or wrong in -o", len(lines) - len(good)),
    ]


def _agrees(fields: Mapping[str, object], true: tuple[str, str] | None) -> bool:
    return true is not None and (fields.get("title"), fields.get("price")) == true


def _log_figures(soaked: Soaked) -> list[Figure]:
    asked = server_log.read_log(soaked.log)
    gaps = server_log.gaps(asked, soaked.delay)
    kills = sum(run.killed for run in soaked.runs)
    again, most = server_log.fetched_again(asked), server_log.most_asked(asked)
    return [
        Figure("requests", f"{len(asked)}"),
        _none("gaps shorter than the delay", gaps.short, f"{gaps.short / max(1, gaps.number):.4%}"),
        Figure(
            "shortest gap (ms)", f"{1000 * gaps.shortest:.1f}", f"delay {1000 * soaked.delay:g}"
        ),
        _none("asked in a pause (Retry-After)", server_log.asked_in_pause(asked)),
        _at_most("requests at a time at a host", max(one.running for one in asked), CONCURRENCY),
        _none("asked against robots.txt", sum("/private/" in one.path for one in asked)),
        _at_most("pages fetched again", again, kills * (CONCURRENCY_TOTAL + BATCH)),
        Figure("longest silence at a host (s)", f"{server_log.longest_silence(asked):.0f}"),
        _at_most("requests for one page", most, (RETRIES + 1) * (MAX_ATTEMPTS + kills)),
    ]


def memory_figures(runs: Sequence[Run]) -> list[Figure]:
    """Judge the growth of every run that was long enough."""
    figures = []
    for number, run in enumerate(runs, 1):
        peak = max((sample.rss for sample in run.samples), default=0)
        figures.append(Figure(f"run {number}: peak memory (MB)", f"{peak / 1024:.0f}"))
        samples = _warm(run)
        if samples and samples[-1].requests - samples[0].requests >= _ENOUGH_REQUESTS:
            name, growth = f"run {number}: growth (KB in 1,000 requests)", slope(run)
            figures.append(
                Figure(name, f"{growth:.0f}", f"<= {MOST_GROWTH:.0f}", growth <= MOST_GROWTH)
            )
    return figures


def slope(run: Run) -> float:
    """Return by how many KB the memory grows in 1,000 requests, after the warm-up.

    The median slope of all pairs of samples (Theil and Sen): scoring the frontier anew takes 13 MB
    for a moment, and one such moment near the end bends a line of least squares.
    """
    samples = _warm(run)
    requests = np.array([sample.requests for sample in samples], dtype=float)
    rss = np.array([sample.rss for sample in samples], dtype=float)
    earlier, later = np.triu_indices(len(samples), 1)
    apart = requests[later] - requests[earlier]
    rises = (rss[later] - rss[earlier])[apart > 0] / apart[apart > 0]
    return float(1000 * np.median(rises)) if len(rises) else 0.0


def _warm(run: Run) -> Sequence[Sample]:
    """Return the samples after the first third of a run's requests."""
    if not run.samples:
        return []
    first, last = run.samples[0].requests, run.samples[-1].requests
    start = first + _WARM_UP * (last - first)
    return [sample for sample in run.samples if sample.requests >= start]


def _run_figures(runs: Sequence[Run]) -> list[Figure]:
    kills = sum(run.killed for run in runs)
    seconds = sum(run.seconds for run in runs)
    return [
        Figure("kill -9", f"{kills}"),
        Figure("runs after the last kill", f"{len(runs) - kills}"),
        Figure("hosts given up on the way", f"{sum(_given_up(run) for run in runs)}"),
        Figure("at the end", runs[-1].stop, Stop.DONE, runs[-1].stop == Stop.DONE),
        Figure("seconds", f"{seconds:.0f}"),
    ]


def _given_up(run: Run) -> int:
    return run.said.count("host given up for now")


def _none(name: str, number: int, remark: str = "") -> Figure:
    told = f"{number} ({remark})" if number and remark else f"{number}"
    return Figure(name, told, "0", number == 0)


def _at_most(name: str, number: int, bar: int) -> Figure:
    return Figure(name, f"{number}", f"<= {bar}", number <= bar)


def _told(counts: Counter[str]) -> str:
    return "; ".join(f"{number} {what}" for what, number in counts.most_common(4))
