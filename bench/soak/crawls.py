"""The soak's crawl: started as a user starts it, killed, started again, and weighed all along."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bench.soak.site import SoakSite, url_of
from winze.engine.report import Stop
from winze.engine.workspace import open_site
from winze.fetch.robots import ASK_AGAIN
from winze.plan import load_plan
from winze.store.runs import last_runs

#: Requests at a host, and in all, at a time.
CONCURRENCY, CONCURRENCY_TOTAL = 2, 64

#: Runs after the last kill at the most. A host with three unreachable pages in a row is given up
#: for now (fetch.client.FAILURES), resets are many here, and its pages wait for another run.
MOST_RUNS_TO_END = 6

#: Without a request for so long (seconds) a crawl hangs; a host that was given up is left alone
#: almost as long.
SILENCE = ASK_AGAIN + 60.0

#: Seconds between two looks at the memory, and at the log.
_SAMPLE_SECONDS, _LOOK_SECONDS = 1.0, 0.02

_MAIN = "from winze.cli.app import main; main()"


@dataclass(frozen=True, slots=True)
class Sample:
    """The memory of a crawl at one moment."""

    #: Requests that the server has seen in all.
    requests: int
    #: Resident set, in KB.
    rss: int


@dataclass(slots=True)
class Run:
    """One process of `winze crawl`."""

    samples: list[Sample] = field(default_factory=list)
    killed: bool = False
    #: Exit code; negative is the signal.
    code: int = 0
    seconds: float = 0.0
    #: Why it stopped, as the store tells it; empty after a kill.
    stop: str = ""
    #: What it wrote to stderr, its end.
    said: str = ""


class LogCounter:
    """Counts the lines of a log that grows."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self._lines = 0

    def lines(self) -> int:
        """Return how many lines there are now."""
        with self._path.open("rb") as file:
            file.seek(self._offset)
            new = file.read()
        self._offset += len(new)
        self._lines += new.count(b"\n")
        return self._lines


@contextmanager
def serving(site: SoakSite, log: Path) -> Iterator[int]:
    """Serve the hosts by a process of their own; its port."""
    options = {"hosts": site.hosts, "pages": site.pages, "seed": site.seed, "log": log}
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    log.touch()
    command = [sys.executable, "-m", "bench.soak.server", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


def write_plan(folder: Path, site: SoakSite, port: int, delay: float) -> Path:
    """Write plan and learned.json, so that there is nothing to learn; return the plan's path."""
    plan = {
        "start": [url_of(host, "/", port) for host in range(site.hosts)],
        "delay": delay,
        "concurrency": CONCURRENCY,
        "concurrency_total": CONCURRENCY_TOTAL,
        "sitemap": False,
    }
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "plan.toml"
    path.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in plan.items()))
    target = {"regex": rf"http://127\.0\.0\.[0-9]+:{port}/item/[0-9]+", "by": "hand"}
    rules = {f"127.0.0.1:{port}": {"targets": [target], "decided_by": "url"}}
    fields = {"title": "h1", "price": ".price"}
    learned = {"version": 1, "hosts": rules, "templates": [{"id": "item", "fields": fields}]}
    (folder / "learned.json").write_text(json.dumps(learned))
    return path


def crawl_with_kills(plan: Path, output: Path, log: Path, kills: Sequence[int]) -> list[Run]:
    """Crawl to the end; `kills` are the numbers of requests at which a crawl is killed.

    Raises RuntimeError when a crawl ends or hangs before it could be killed.
    """
    counter = LogCounter(log)
    runs = [_run(plan, output, counter, kill) for kill in kills]
    if not all(run.killed for run in runs):
        raise RuntimeError(f"a crawl came to no kill; the last one said: {runs[-1].said}")
    for _ in range(MOST_RUNS_TO_END):
        runs.append(_run(plan, output, counter, None))
        if runs[-1].stop != Stop.HOSTS:
            break
    return runs


def _run(plan: Path, output: Path, counter: LogCounter, kill_at: int | None) -> Run:
    run = Run()
    began = time.monotonic()
    said = plan.parent / "said.txt"
    with said.open("w") as file:
        command = [sys.executable, "-c", _MAIN, "crawl", str(plan), "-o", str(output)]
        process = subprocess.Popen(command, stdout=file, stderr=subprocess.STDOUT)
        try:
            _watch(process, run, counter, kill_at)
        finally:
            if process.poll() is None:
                process.kill()
            run.code = process.wait()
    run.seconds = time.monotonic() - began
    run.said = said.read_text()[-8000:]
    run.stop = _stop_reason(plan)
    return run


def _stop_reason(plan_path: Path) -> str:
    with open_site(load_plan(plan_path)) as store, store.read() as connection:
        runs = last_runs(connection, store.site_id, 1)
    return (runs[0]["stop_reason"] or "") if runs else ""


def _watch(
    process: subprocess.Popen[bytes], run: Run, counter: LogCounter, kill_at: int | None
) -> None:
    """Weigh the crawl each second until it ends, is killed, or hangs."""
    now = time.monotonic()
    sampled, last, heard = now, counter.lines(), now
    while process.poll() is None:
        time.sleep(_LOOK_SECONDS)
        now, requests = time.monotonic(), counter.lines()
        last, heard = requests, heard if requests == last else now
        if now - sampled >= _SAMPLE_SECONDS:
            sampled = now
            run.samples.append(Sample(requests, _rss(process.pid)))
        if kill_at is not None and requests >= kill_at:
            process.send_signal(signal.SIGKILL)
            run.killed = True
            return
        if now - heard > SILENCE:
            return


def _rss(pid: int) -> int:
    """Return the resident set of a process in KB; 0 if it is no more."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("VmRSS:")), "VmRSS: 0")
    return int(line.split()[1])
