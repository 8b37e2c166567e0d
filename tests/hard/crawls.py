"""A crawl of a hostile server: its folder, its process, and what came of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.cli.command import Result, running, winze, write_plan
from winze.engine.workspace import open_site
from winze.plan import load_plan

#: `winze`, telling its peak memory in the end. Not by getrusage, whose ru_maxrss on Linux starts
#: from the size of the process that forked: the tests', not the crawl's.
_MEASURED = """
import atexit, sys
from pathlib import Path

def tell():
    lines = Path("/proc/self/status").read_text().splitlines()
    print(next(line for line in lines if line.startswith("VmHWM")), file=sys.stderr)

atexit.register(tell)
from winze.cli.app import main
main()
"""


@dataclass(frozen=True)
class Site:
    """A plan in a folder of its own."""

    folder: Path

    @property
    def plan(self) -> Path:
        return self.folder / "plan.toml"

    @property
    def output(self) -> Path:
        return self.folder / "out.jsonl"

    def crawl(self, capfd, *options: object) -> Result:
        """Run `winze crawl` in this process."""
        return winze(capfd, "crawl", self.plan, "-o", self.output, *options)

    @contextmanager
    def crawling(self, *options: object):
        """Run it as a process that can be killed."""
        with running("crawl", self.plan, "-o", self.output, *options) as process:
            yield process

    def rows(self) -> dict[str, tuple[str, str]]:
        """Return status and error of each row of the URL table, by URL."""
        with open_site(load_plan(self.plan)) as store, store.read() as connection:
            found = list(store.urls.all(connection))
        assert len({row.key for row in found}) == len(found)
        return {row.url: (row.status.value, row.error.name) for row in found}

    def by_path(self, root: str) -> dict[str, tuple[str, str]]:
        """Return the rows of one server, by path with query."""
        rows = self.rows().items()
        return {url.removeprefix(root): row for url, row in rows if url.startswith(f"{root}/")}

    def records(self) -> list[dict]:
        """Return the output, every line of which must be whole."""
        text = self.output.read_text("utf-8")
        assert text == "" or text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]


def write_site(folder: Path, root: str, *, start: str = "/", more: str = "", **learned) -> Site:
    """Write a plan for a server, with what was learned of it: titles of pages, by hand."""
    host = root.partition("://")[2]
    targets = learned.get("targets", [f"{root}/item/.*"])
    rules = {
        "targets": [{"regex": regex, "by": "hand"} for regex in targets],
        "decided_by": "url",
    }
    fields = learned.get("fields", {"title": "h1"})
    write_plan(folder, f"start = ['{root}{start}']\nsitemap = false\n{more}\n")
    (folder / "learned.json").write_text(
        json.dumps(
            {
                "version": 1,
                "hosts": {host: rules},
                "templates": [{"id": "item", "fields": fields}],
            }
        )
    )
    return Site(folder)


def measured_crawl(site: Site, *options: object, timeout: float = 120.0) -> tuple[Result, int]:
    """Run a crawl as a process of its own; return its result and its peak memory in bytes."""
    arguments = ["crawl", site.plan, "-o", site.output, *options]
    command = [sys.executable, "-c", _MEASURED, *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name != "WINZE_STORE"}
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env=environment, check=False
    )
    peak = [line.split()[1] for line in done.stderr.splitlines() if line.startswith("VmHWM")]
    assert peak, done.stderr
    return Result(done.returncode, done.stdout, done.stderr), int(peak[0]) * 1024
