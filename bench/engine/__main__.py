"""The crawl engine beside its peers: the same 4,058 pages for each, judged by CPU seconds.

    python -m bench.engine [--rounds 3] [--all] [--only NAME ...] [--home FOLDER] [--json FILE]

Needs nginx and Debian's manuals of Python, Django, PostgreSQL and Java, which are the site. The
peers' programs are those of `../shared/bench/engine`, or of the folder named in WINZE_BENCH; the
peers are installed once, into virtual environments of their own. The engines take turns, so that
noise hits all alike; figures of a busy machine are good for ratios only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from bench.engine.engines import ENGINES, Engine, EngineName, install
from bench.engine.judge import bars, row_of, table
from bench.engine.measure import Bench, Cost, run_once, run_process, truth
from bench.engine.serving import build_site, serving

#: Rows without which there is neither a bar nor the truth.
_NEEDED = {EngineName.BARE, EngineName.SHIPPED, EngineName.PLAIN}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if a bar is missed or an engine found other pages."""
    parser = argparse.ArgumentParser(prog="bench.engine", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--all", action="store_true", help="also the peers that take minutes")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="beside ours and the plain one")
    parser.add_argument("--home", type=Path, default=Path("~/.cache/winze-bench-engine"))
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args(arguments)
    engines = chosen(options.only, extra=options.all)
    home = options.home.expanduser().resolve()
    scripts = bench_folder() / "engine"
    for venv in {engine.venv for engine in engines} - {""}:
        install(venv, home)
    site = build_site(scripts, home)
    with (
        tempfile.TemporaryDirectory(prefix="winze-nginx-") as run,
        serving(site, Path(run)) as base,
    ):
        bench = Bench(scripts, home, base)
        costs = take_turns(engines, bench, options.rounds)
        shares = {name: frontier_share(kind, bench) for name, kind in _KINDS.items()}
    true = truth(costs[EngineName.PLAIN][0].pages, bench)
    rows = {name: row_of(name, runs, true) for name, runs in costs.items()}
    found = bars(rows, shares)
    print(f"{len(true):,} pages, {options.rounds} rounds")
    print(table(list(rows.values()), found))
    if options.json:
        options.json.write_text(json.dumps([row.as_json() for row in rows.values()], indent=1))
    wrong = any(row.fault for row in rows.values())
    return 1 if wrong or not all(bar.met for bar in found) else 0


#: Our rows as `bench.engine.ours` calls them.
_KINDS = {EngineName.BARE: "bare", EngineName.SHIPPED: "shipped"}


def chosen(only: Iterable[str] | None, *, extra: bool) -> list[Engine]:
    """Return the engines to run: those named, else all but the slow ones.

    >>> [engine.name.value for engine in chosen(["scrapling"], extra=False)]
    ['Winze, bare', 'Winze, as shipped', 'aiohttp + lexbor', 'Scrapling']
    """
    if only is None:
        return [engine for engine in ENGINES if extra or not engine.extra]
    words = [word.casefold() for word in only]
    return [
        engine
        for engine in ENGINES
        if engine.name in _NEEDED or any(word in engine.name.casefold() for word in words)
    ]


def bench_folder() -> Path:
    """Return the folder of the peers' programs: WINZE_BENCH, else beside the repository."""
    default = Path(__file__).parents[2] / "../shared/bench"
    return Path(os.environ.get("WINZE_BENCH") or default).resolve()


def take_turns(
    engines: Sequence[Engine], bench: Bench, rounds: int
) -> dict[EngineName, list[Cost]]:
    """Run every engine once in each round; what each run cost."""
    costs: defaultdict[EngineName, list[Cost]] = defaultdict(list)
    for number in range(rounds):
        for engine in engines:
            cost = run_once(engine, bench)
            costs[engine.name].append(cost)
            said = "failed" if cost.status else f"{cost.cpu_per_1k:.2f}"
            print(f"round {number + 1}: {engine.name} {said}", file=sys.stderr)
    return costs


def frontier_share(kind: str, bench: Bench) -> float:
    """Return what part of our CPU time the frontier takes, by a run of its own."""
    with tempfile.TemporaryDirectory(prefix="winze-engine-") as folder:
        words = [kind, f"{folder}/out.jsonl", f"{folder}/plan", f"{folder}/shares.json"]
        command = [sys.executable, "-m", "bench.engine.ours", *words]
        _, _, status = run_process(command, Path(__file__).parents[2], bench)
        if status:
            raise subprocess.CalledProcessError(status, command)
        return float(json.loads(Path(words[-1]).read_text())["frontier"])


if __name__ == "__main__":
    raise SystemExit(main())
