"""What a crawl by one engine cost, and which pages it found."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from bench.engine.engines import Engine, command_of, folder_of


@dataclass(frozen=True, slots=True)
class Cost:
    """One run."""

    #: URLs in the order of the lines: a page written twice stands here twice.
    pages: tuple[str, ...]
    #: User and system time of the process and its children, seconds.
    cpu: float
    #: Largest resident set, MB.
    peak: float
    #: The process' exit status.
    status: int

    @property
    def cpu_per_1k(self) -> float:
        """CPU seconds for 1,000 pages."""
        return 1000 * self.cpu / max(1, len(self.pages))


@dataclass(frozen=True, slots=True)
class Bench:
    """Where the benchmark lies."""

    #: The peers' programs.
    scripts: Path
    #: Site, virtual environments and the engines' log.
    home: Path
    #: The served site's base URL.
    base: str

    @property
    def site(self) -> Path:
        """The site's folder."""
        return self.home / "site"


def run_once(engine: Engine, bench: Bench) -> Cost:
    """Crawl the site once."""
    with tempfile.TemporaryDirectory(prefix="winze-engine-") as folder:
        out = Path(folder) / "out.jsonl"
        command = command_of(engine, bench.home, out, Path(folder) / "plan")
        cpu, peak, status = run_process(command, folder_of(engine, bench.scripts), bench)
        pages = pages_of(out.read_text("utf-8").splitlines()) if out.exists() else ()
    return Cost(pages, cpu, peak, status)


def run_process(command: Sequence[str], folder: Path, bench: Bench) -> tuple[float, float, int]:
    """Run a command there; its CPU seconds, its largest resident set in MB and its status.

    What it says goes to `engine.log` in the benchmark's home.
    """
    with (bench.home / "engine.log").open("ab") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=_environment(bench.base), stdout=log, stderr=log
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, process.returncode


def pages_of(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the URL of each line.

    >>> pages_of(['{"url": "http://h/a", "title": null}'])
    ('http://h/a',)
    """
    return tuple(json.loads(line)["url"] for line in lines)


def truth(pages: Sequence[str], bench: Bench) -> frozenset[str]:
    """Return the pages that have a file: what the plain engine found less its answers of 404."""
    return frozenset(url for url in pages if _file(url, bench).is_file())


def _file(url: str, bench: Bench) -> Path:
    path = unquote(url.removeprefix(bench.base)).lstrip("/")
    return bench.site / (f"{path}index.html" if not path or path.endswith("/") else path)


def _environment(base: str) -> Mapping[str, str]:
    """Return the environment; the engines' bytecode is not written beside their programs."""
    return {**os.environ, "BENCH_BASE": base, "PYTHONDONTWRITEBYTECODE": "1"}
