"""The example package tests/plugin_example, really installed into a folder of its own."""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

from tests.cli.command import Result

EXAMPLE = Path(__file__).parent / "plugin_example"

ROOT = Path(__file__).parents[1]


def install_example(folder: Path) -> Path:
    """Install the package with pip; return the folder to be put on the path."""
    source, target = folder / "source", folder / "site"
    shutil.copytree(EXAMPLE, source, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(target)]
    if find_spec("hatchling") is not None:
        command.append("--no-build-isolation")
    subprocess.run([*command, str(source)], check=True, capture_output=True, timeout=300)
    return target


def winze_with(packages: Path, *arguments: object, cwd: Path | None = None) -> Result:
    """Run the command in a process that has these packages, too."""
    script = "from winze.cli.app import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)],
        check=False,
        capture_output=True,
        text=True,
        cwd=cwd,
        timeout=120,
        env=environment(packages),
    )
    return Result(done.returncode, done.stdout, done.stderr)


def environment(packages: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "WINZE_STORE"}
    return kept | {"PYTHONPATH": f"{ROOT}{os.pathsep}{packages}", "COLUMNS": "200"}
