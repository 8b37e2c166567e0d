"""Quick forms of the quality benches against their floors, which only rise.

python -m bench.floors [--data DIR]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean

from bench import fields, order, sites
from bench.papers import p1
from bench.site_graphs import data_folder

#: What each bench must reach in its quick form.
FLOORS = Path(__file__).with_name("floors.json")

#: Figures of one bench, by name.
Figures = dict[str, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each figure beside its floor; return 1 if one lies below."""
    parser = argparse.ArgumentParser(prog="bench.floors")
    parser.add_argument("--data", help="folder laid out like the test data")
    options = parser.parse_args(arguments)
    data = data_folder(options.data)
    measured = {"papers p1": shop_figures()}
    if data.is_dir():
        measured |= real_figures(data)
    fallen = below(measured, json.loads(FLOORS.read_text("utf-8")))
    for bench, figures in measured.items():
        print(bench, ", ".join(f"{name} {value:.3f}" for name, value in figures.items()))
    for line in fallen:
        print(f"BELOW {line}")
    return 1 if fallen else 0


def real_figures(data: Path) -> dict[str, Figures]:
    """Measure what needs the real pages."""
    crawls = [t for t in order.trials(data / "sites", quick=True) if t.order == "learned"]
    return {
        "order": {
            "mean": mean(trial.nauc for trial in crawls),
            "coverage": min(trial.coverage for trial in crawls),
        },
        "sites": _site_figures(data / "sites"),
        "fields": _field_figures(data),
    }


def shop_figures() -> Figures:
    """Measure ours on a small demo shop."""
    evaluation = p1.evaluate(Path("no real pages"), quick=True)
    return {"found": min(row.complete for row in evaluation.rows if row.crawler == "winze")}


def below(measured: Mapping[str, Figures], floors: Mapping[str, Figures]) -> list[str]:
    """Return a line for each figure that lies below its floor.

    >>> below({"order": {"mean": 0.9}}, {"order": {"mean": 0.95}, "sites": {"nauc": 1.0}})
    ['order: mean 0.900 < 0.95']
    """
    return [
        f"{bench}: {name} {figures[name]:.3f} < {floor}"
        for bench, figures in measured.items()
        for name, floor in floors.get(bench, {}).items()
        if figures[name] < floor
    ]


def _site_figures(folder: Path) -> Figures:
    results = [sites.run_trial(str(folder), one) for one in sites.trials(folder, quick=True)]
    told = [result.record_recall for result in results if result.decided_by == "url"]
    return {
        "nauc": mean(result.nauc for result in results),
        "worst record recall where URLs decide": min(told, default=0.0),
    }


def _field_figures(data: Path) -> Figures:
    results = [fields.run_site(path) for path in fields.site_folders(data)[:: fields.QUICK_STEP]]
    groups = {result.group for result in results}
    return {name: mean(r.f1 for r in results if r.group == name) for name in groups}


if __name__ == "__main__":
    raise SystemExit(main())
