"""Learn field paths from one or two pages, apply them to others: strict value F1.

    python -m bench.fields [--data DIR] [--quick] [--json]

Each site's train pages are the examples; only they are learned from. A second figure lets the
test pages, without their values, give the second opinion that a pre-crawl's pages give.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import mean

from bench.scoring import count, site_f1
from bench.site_graphs import data_folder
from winze.extract.wrapper import Value, apply
from winze.learn.wrappers import Example, learn_wrapper
from winze.parse.html import Tree

#: Least F1 of each group, learned from the train pages alone.
BARS = {"SWDE": 0.88, "recipes two-page": 0.65, "recipes one-page": 0.72}

#: What others reach on these groups (the test data's README).
PEERS = (
    "autoscraper 0.824 / 0.567 / 0.681 with an old parser, 0.000 with today's;"
    " P1's algorithms 0.59 / 0.47 / 0.40; an untuned sketch of ours 0.93 / 0.75 / 0.81"
)

#: Bars of one site's learning and one page's extraction (CPU milliseconds).
MOST_LEARN_MS, MOST_APPLY_MS = 150.0, 5.0

#: Every so many sites in the quick form.
QUICK_STEP = 8


@dataclass(frozen=True, slots=True)
class Result:
    """One site's figures."""

    site: str
    group: str
    f1: float
    #: With the test pages as unlabelled ones.
    f1_unlabelled: float
    learn_ms: float
    apply_ms: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if a bar is missed."""
    parser = argparse.ArgumentParser(prog="bench.fields")
    parser.add_argument("--data", help="folder laid out like the test data")
    parser.add_argument("--quick", action="store_true", help="every eighth site")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--sites", action="store_true", help="print each site's figures, too")
    options = parser.parse_args(arguments)
    folders = sorted(path for path in (data_folder(options.data) / "fields").iterdir())
    results = [run_site(path) for path in folders[:: QUICK_STEP if options.quick else 1]]
    groups = {
        name: [r for r in results if r.group == name] for name in sorted({r.group for r in results})
    }
    table = {name: summary(rows) for name, rows in groups.items()}
    faults = [] if options.quick else _faults(table)
    if options.json:
        print(
            json.dumps({"groups": table, "sites": [asdict(r) for r in results], "faults": faults})
        )
        return 1 if faults else 0
    if options.sites:
        for r in sorted(results, key=lambda r: r.f1):
            print(f"  {r.site:44} {r.f1:.3f} {r.f1_unlabelled:.3f}")
    for name, row in table.items():
        bar = f"bar {BARS[name]}" if name in BARS else "no bar"
        print(
            f"{name:18} sites {row['sites']:3.0f}  F1 {row['f1']:.3f} ({bar}),"
            f" with unlabelled pages {row['f1_unlabelled']:.3f};"
            f" CPU ms: learn {row['learn_ms']:.0f} a site, apply {row['apply_ms']:.1f} a page"
        )
    print(PEERS)
    for fault in faults:
        print(f"MISSED {fault}")
    return 1 if faults else 0


def run_site(folder: Path) -> Result:
    """Learn one site and score its test pages."""
    told = json.loads((folder / "site.json").read_text("utf-8"))
    kinds = {name: field["kind"] for name, field in told["fields"].items()}
    lines = (folder / "truth.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    train = [row for row in rows if row["role"] == "train"]
    test = [row for row in rows if row["role"] == "test"]
    began = time.process_time()
    wrapper = learn_wrapper([_example(folder, row, kinds) for row in train])
    learned = time.process_time()
    found = [apply(wrapper, _tree(folder, row)) for row in test]
    applied = time.process_time()
    unlabelled = [_tree(folder, row) for row in test]
    helped = learn_wrapper([_example(folder, row, kinds) for row in train], unlabelled)
    return Result(
        told["site"],
        _group(told),
        _score(found, test, kinds),
        _score([apply(helped, tree) for tree in unlabelled], test, kinds),
        1000 * (learned - began),
        1000 * (applied - learned) / len(test),
    )


def summary(rows: Sequence[Result]) -> dict[str, float]:
    """Return the means of a group."""
    names = ("f1", "f1_unlabelled", "learn_ms", "apply_ms")
    return {"sites": float(len(rows))} | {n: mean(getattr(row, n) for row in rows) for n in names}


def _faults(table: Mapping[str, Mapping[str, float]]) -> list[str]:
    faults = []
    for name, row in table.items():
        if row["f1"] < BARS.get(name, 0.0):
            faults.append(f"{name}: F1 {row['f1']:.3f} < {BARS[name]}")
    return faults


def _group(told: Mapping[str, str]) -> str:
    if told["site"].startswith("recipe"):
        return f"recipes {told['task']}"
    return "SWDE" if told["site"].startswith("swde") else "Chinese news"


def _example(folder: Path, row: Mapping[str, object], kinds: Mapping[str, str]) -> Example:
    values = row["fields"]
    assert isinstance(values, dict)
    return Example(_tree(folder, row), {n: _told(values.get(n), kind) for n, kind in kinds.items()})


def _told(values: list[str] | None, kind: str) -> Value:
    """Return a field's values as a plan would tell them."""
    if kind == "multi":
        return values or []
    return values[0] if values else ""


def _tree(folder: Path, row: Mapping[str, object]) -> Tree:
    return Tree(gzip.decompress((folder / f"{row['page']}.html.gz").read_bytes()).decode("utf-8"))


def _score(
    found: Sequence[Mapping[str, Value]],
    test: Sequence[Mapping[str, dict[str, list[str]]]],
    kinds: Mapping[str, str],
) -> float:
    return site_f1(
        [
            count(
                (_values(got.get(n)), row["fields"].get(n) or [])
                for got, row in zip(found, test, strict=True)
            )
            for n in kinds
        ]
    )


def _values(value: Value) -> list[str]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else value


if __name__ == "__main__":
    raise SystemExit(main())
