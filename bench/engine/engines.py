"""The engines that crawl the benchmark's site: what is run, and how it is set up."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

#: The repository: where `python -m bench.engine.ours` is run.
_REPOSITORY = Path(__file__).parents[2]

#: What is installed for each virtual environment of the peers.
_PACKAGES = {
    "venv": (
        *("scrapy", "crawlee[parsel,httpx,curl-impersonate]", "aiohttp", "selectolax"),
        *("turbohtml", "ada-url", "protego", "uvloop", "httptools", "psutil"),
    ),
    "venv-scrapling": ("scrapling[fetchers]",),
}


class EngineName(StrEnum):
    """The rows of the table."""

    BARE = "Winze, bare"
    SHIPPED = "Winze, as shipped"
    FLOOR = "bare client + turbohtml"
    PLAIN = "aiohttp + lexbor"
    CRAWLEE_HTTP = "Crawlee HttpCrawler"
    SCRAPY_TUNED = "Scrapy, tuned"
    SCRAPY = "Scrapy, as documented"
    SCRAPY_LEAN = "Scrapy, documented, lean"
    CRAWLEE = "Crawlee ParselCrawler"
    SCRAPLING = "Scrapling"


@dataclass(frozen=True, slots=True)
class Engine:
    """A program that crawls the site and writes one JSON line for a page."""

    name: EngineName
    #: Words after the interpreter; `{out}` and `{folder}` stand for what a run writes.
    words: tuple[str, ...]
    #: The environment that it runs in; "" is ours.
    venv: str = "venv"
    #: Not needed for a bar, and slow.
    extra: bool = False


#: In the order of the table.
ENGINES = (
    Engine(EngineName.BARE, ("-m", "bench.engine.ours", "bare", "{out}", "{folder}"), ""),
    Engine(EngineName.SHIPPED, ("-m", "bench.engine.ours", "shipped", "{out}", "{folder}"), ""),
    Engine(
        EngineName.FLOOR,
        ("proto.py", "{out}", "--client", "raw", "--parser", "turbohtml", "--url", "fast"),
    ),
    Engine(EngineName.PLAIN, ("proto.py", "{out}")),
    Engine(EngineName.CRAWLEE_HTTP, ("crawlee_bench.py", "{out}", "http")),
    Engine(EngineName.SCRAPY_TUNED, ("scrapy_tuned.py", "{out}", "http11", "selectolax")),
    Engine(EngineName.SCRAPY, ("scrapy_default.py", "{out}")),
    Engine(EngineName.SCRAPY_LEAN, ("scrapy_lean.py", "{out}"), extra=True),
    Engine(EngineName.CRAWLEE, ("crawlee_bench.py", "{out}", "parsel"), extra=True),
    Engine(EngineName.SCRAPLING, ("scrapling_bench.py", "{out}"), "venv-scrapling", extra=True),
)


def command_of(engine: Engine, home: Path, out: Path, folder: Path) -> list[str]:
    """Return the command that crawls the site into `out`, with `folder` for its own files.

    >>> command_of(ENGINES[3], Path("/home"), Path("/tmp/o"), Path("/tmp/f"))
    ['/home/venv/bin/python', 'proto.py', '/tmp/o']
    """
    python = home / engine.venv / "bin" / "python" if engine.venv else Path(sys.executable)
    return [str(python), *(word.format(out=out, folder=folder) for word in engine.words)]


def folder_of(engine: Engine, scripts: Path) -> Path:
    """Return the folder that the command is run in; `scripts` holds the peers' programs."""
    return scripts if engine.venv else _REPOSITORY


def install(venv: str, home: Path) -> None:
    """Make a virtual environment of the peers unless it stands; CalledProcessError if pip fails."""
    done = home / venv / "installed"
    if not done.exists():
        print(f"Installing the peers: {', '.join(_PACKAGES[venv])} ...", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", home / venv], check=True)
        pip = str(home / venv / "bin" / "pip")
        subprocess.run([pip, "install", "--quiet", *_PACKAGES[venv]], check=True)
        done.touch()
