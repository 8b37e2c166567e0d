"""Arguments and options that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

PlanPath = Annotated[
    Path, typer.Argument(metavar="PLAN", help="The plan's file, or its folder.", show_default=False)
]

PlanPaths = Annotated[
    list[Path],
    typer.Argument(metavar="PLAN...", help="Plans: files or folders.", show_default=False),
]

StoreAddress = Annotated[
    str | None,
    typer.Option(
        "--store",
        metavar="URL",
        help="Database URL or file; else WINZE_STORE, winze.toml, or .winze/store.db.",
        show_default=False,
    ),
]

IgnoreRobots = Annotated[
    bool, typer.Option("--ignore-robots", help="Fetch what robots.txt forbids; noted in the run.")
]

Force = Annotated[bool, typer.Option("--force", help="Go on though kept pages fail their check.")]

MaxPages = Annotated[
    int | None,
    typer.Option("--max-pages", min=1, help="Page requests at the most, learning included."),
]
