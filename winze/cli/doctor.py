"""`winze doctor`: what is there, what is missing, and how to get it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from winze.cli.exits import Exit
from winze.cli.options import StoreAddress
from winze.engine.doctor import (
    Finding,
    of_browser,
    of_network,
    of_plan,
    of_plug_ins,
    of_program,
    of_store,
)
from winze.plan import Plan, load_plan


def doctor(
    plan_path: Annotated[
        Path | None, typer.Argument(metavar="[PLAN]", help="A plan to look at, too.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="A JSON object a line.")] = False,
    store: StoreAddress = None,
) -> None:
    """Look at this machine, the store, the plug-ins and a plan; nothing is changed.

    Of a plan's hosts robots.txt is asked for, nothing else. Exit code 3: something that is needed
    is missing or broken.
    """
    plan = load_plan(plan_path) if plan_path is not None else None
    findings = []
    console = Console(markup=False, highlight=False)
    for finding in _findings(plan, store):
        findings.append(finding)
        if as_json:
            typer.echo(json.dumps(asdict(finding), ensure_ascii=False))
        else:
            console.print(_line(finding), soft_wrap=True)
    raise typer.Exit(Exit.LOOK if any(one.is_fault for one in findings) else Exit.OK)


def _findings(plan: Plan | None, store: str | None) -> Iterator[Finding]:
    yield from of_program()
    yield of_browser(plan)
    yield from of_store(plan, store)
    yield from of_plug_ins(plan)
    if plan is not None:
        yield from of_plan(plan)
        yield from asyncio.run(of_network(plan))


def _line(finding: Finding) -> str:
    told = f"{finding.state:<8}{finding.area:<9}{finding.name}: {finding.detail}"
    return f"{told}: {finding.remedy}" if finding.remedy else told
