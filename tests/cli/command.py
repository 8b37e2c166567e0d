"""The `winze` command for tests: in this process, or as a process that can be killed."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from winze.cli.app import app
from winze.cli.exits import one_line_errors

_MAIN = "from winze.cli.app import main; main()"


class Result(NamedTuple):
    code: int
    out: str
    err: str


def winze(capfd, *arguments: object) -> Result:
    """Run a command in this process, errors becoming lines and codes as in `main`."""
    capfd.readouterr()
    try:
        with one_line_errors():
            app([str(argument) for argument in arguments])
        code = 0
    except SystemExit as end:
        code = end.code
    out, err = capfd.readouterr()
    return Result(int(code or 0), out, err)


def winze_process(*arguments: object, **options: object) -> subprocess.Popen:
    """Start the command as a process of its own."""
    command = [sys.executable, "-c", _MAIN, *map(str, arguments)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=_quiet(), **options
    )


def finish(process: subprocess.Popen, timeout: float = 60.0) -> Result:
    out, err = process.communicate(timeout=timeout)
    return Result(process.returncode, out, err)


@contextmanager
def running(*arguments: object):
    """A command as a process; whatever becomes of the test, it is ended."""
    process = winze_process(*arguments)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGKILL)
        process.communicate()


def write_plan(folder: Path, text: str) -> Path:
    """Write a plan into a folder of its own; return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "plan.toml"
    path.write_text(text, "utf-8")
    return path


def _quiet() -> dict[str, str]:
    environment = {name: value for name, value in os.environ.items() if name != "WINZE_STORE"}
    return environment | {"PYTHONWARNINGS": "error::ResourceWarning", "COLUMNS": "200"}
