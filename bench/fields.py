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
    folders = site_folders(data_folder(options.data))
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


@dataclass(frozen=True, slots=True)
class FieldSite:
    """A site's pages with the values on them."""

    name: str
    group: str
    kinds: Mapping[str, str]
    examples: tuple[Example, ...]
    trees: tuple[Tree, ...]
    #: For each test page the true values of each field.
    truth: tuple[Mapping[str, list[str]], ...]

    def score(self, found: Sequence[Mapping[str, Value]]) -> float:
        """Return the site's F1 of the values found on the test pages."""
        pages = list(zip(found, self.truth, strict=True))
        return site_f1(
            [
                count((_values(got.get(name), kind), true.get(name) or []) for got, true in pages)
                for name, kind in self.kinds.items()
            ]
        )


def site_folders(data: Path) -> list[Path]:
    """Return the folders of all sites, in order."""
    return sorted(path for path in (data / "fields").iterdir() if path.is_dir())


def load_field_site(folder: Path) -> FieldSite:
    """Read a site's pages and truth."""
    told = json.loads((folder / "site.json").read_text("utf-8"))
    kinds = {name: field["kind"] for name, field in told["fields"].items()}
    rows = [json.loads(line) for line in (folder / "truth.jsonl").read_text("utf-8").splitlines()]
    test = [row for row in rows if row["role"] == "test"]
    examples = tuple(
        Example(
            _tree(folder, row), {n: _told(row["fields"].get(n), kind) for n, kind in kinds.items()}
        )
        for row in rows
        if row["role"] == "train"
    )
    trees = tuple(_tree(folder, row) for row in test)
    truth = tuple(row["fields"] for row in test)
    return FieldSite(told["site"], _group(told), kinds, examples, trees, truth)


def run_site(folder: Path) -> Result:
    """Learn one site and score its test pages."""
    site = load_field_site(folder)
    began = time.process_time()
    wrapper = learn_wrapper(site.examples)
    learned = time.process_time()
    found = [apply(wrapper, tree) for tree in site.trees]
    applied = time.process_time()
    helped = learn_wrapper(site.examples, site.trees)
    return Result(
        site.name,
        site.group,
        site.score(found),
        site.score([apply(helped, tree) for tree in site.trees]),
        1000 * (learned - began),
        1000 * (applied - learned) / len(site.trees),
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


def _told(values: list[str] | None, kind: str) -> Value:
    """Return a field's values as a plan would tell them."""
    if kind == "multi":
        return values or []
    return values[0] if values else ""


def _tree(folder: Path, row: Mapping[str, object]) -> Tree:
    return Tree(gzip.decompress((folder / f"{row['page']}.html.gz").read_bytes()).decode("utf-8"))


def _values(value: Value, kind: str) -> list[str]:
    """Return the values found; a field with one value has its first."""
    found = [value] if isinstance(value, str) else value or []
    return found if kind == "multi" else found[:1]


if __name__ == "__main__":
    raise SystemExit(main())
