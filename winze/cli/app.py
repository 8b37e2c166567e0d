"""The `winze` command."""

from __future__ import annotations

import logging

import typer
import uvloop

from winze import __version__
from winze.cli import (
    check,
    crawl,
    demo,
    doctor,
    explain,
    export,
    extract,
    init,
    learn,
    status,
    try_page,
)
from winze.cli.exits import one_line_errors

app = typer.Typer(
    help="Turn a web site into a table: two example pages in, every target page out.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

app.command("init")(init.init)
app.command("try")(try_page.try_)
app.command("learn")(learn.learn)
app.command("crawl")(crawl.crawl)
app.command("extract")(extract.extract)
app.command("check")(check.check)
app.command("status")(status.status)
app.command("explain")(explain.explain)
app.command("export")(export.export)
app.command("doctor")(doctor.doctor)
app.command("demo")(demo.demo)


@app.command("version")
def version() -> None:
    """Print the version."""
    typer.echo(__version__)


def main() -> None:
    """Run the command line."""
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    uvloop.install()
    with one_line_errors():
        app()
