"""`winze init`: a plan to begin with."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from winze.engine.draft import SHOWN_GROUPS, Draft, as_toml, draft_plan, empty_plan
from winze.engine.network import client_for
from winze.errors import UsageError, WinzeError
from winze.plan import Plan


def init(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the crawl will begin.")],
    examples: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="EXAMPLE",
            help="Pages of the kind that you want, best two.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where plan.toml goes; else a folder named by the host."),
    ] = None,
) -> None:
    """Look at a site and write a commented plan.toml for it; an existing one is left alone.

    With two example pages the plan has fields already, with the values seen on them, and
    `winze learn` can follow at once. Without, it shows the groups of links on the start page and
    proposes two pages of the likeliest one.
    """
    plan = empty_plan(url, examples or [], folder)
    if plan.path.exists():
        raise UsageError(f"{plan.path}: is there already: edit it, or choose another --folder")
    draft = asyncio.run(_look(plan))
    _write(plan.path, as_toml(draft))
    _tell(draft, plan)


async def _look(plan: Plan) -> Draft:
    async with client_for(plan) as client:
        return await draft_plan(plan, client)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise WinzeError(
            f"{path}: cannot be written ({error.strerror}): choose another --folder"
        ) from error


def _tell(draft: Draft, plan: Plan) -> None:
    typer.echo("Links on the start page, by the form of their URLs, likeliest target first:")
    for group in draft.groups[:SHOWN_GROUPS]:
        typer.echo(f"  {group.shape}  ({len(group.links)} links)")
        for text in group.texts():
            typer.echo(f"      {text}")
    if not draft.groups:
        typer.echo("  none: the page has no two links of one form on this host")
    for name, values in draft.fields.items():
        shown = "  |  ".join(_shown(value) for value in values)
        typer.echo(f"{name}: {shown}")
    typer.echo(f"Written: {plan.path}")
    typer.echo(_next_step(draft, plan))


def _next_step(draft: Draft, plan: Plan) -> str:
    if draft.fields:
        return f"Add what else you want under [fields], or go on: winze learn {plan.path}"
    if draft.examples:
        return f"The examples declare no fields: name some, then: winze learn {plan.path}"
    return f"Name two examples and their fields in it, then: winze learn {plan.path}"


def _shown(value: str | list[str]) -> str:
    text = ", ".join(value) if isinstance(value, list) else value
    return (text if len(text) <= 60 else f"{text[:59]}…") or "absent"
