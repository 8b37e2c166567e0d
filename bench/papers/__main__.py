"""Rerun a paper's evaluation beside ours.

python -m bench.papers p1 [--data DIR] [--quick] [--json]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from bench.papers import p1
from bench.site_graphs import data_folder


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a paper's tables; return 1 if ours misses a bar."""
    parser = argparse.ArgumentParser(prog="bench.papers")
    parser.add_argument("paper", choices=["p1"])
    parser.add_argument("--data", help="folder laid out like the test data")
    parser.add_argument("--quick", action="store_true", help="one small shop")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    evaluation = p1.evaluate(data_folder(options.data), quick=options.quick)
    print(p1.as_json(evaluation) if options.json else p1.as_text(evaluation))
    return 1 if evaluation.faults() else 0


if __name__ == "__main__":
    raise SystemExit(main())
