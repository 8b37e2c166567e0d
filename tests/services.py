"""Real servers for the tests, each on a spare port and stopped by its fixture."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def missing(service: str) -> None:
    """Fail in CI, where every service must be there; elsewhere skip and say so."""
    if os.environ.get("CI"):
        pytest.fail(f"{service} is missing in CI: scripts/test must install it")
    pytest.skip(f"{service} is not installed here")


def spare_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def postgres_server() -> Iterator[str]:
    """Start PostgreSQL in a folder of its own; yield the address of an empty database."""
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not binaries:
        missing("PostgreSQL")
    bin_folder = binaries[-1].parent
    folder = Path(tempfile.mkdtemp(prefix="winze-pg-"))
    user = _give_away(folder)
    port = spare_port()
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "user": user}
    options = ["-A", "trust", "-U", "winze", "-E", "UTF8", "--no-sync", "-D", folder / "data"]
    subprocess.run([bin_folder / "initdb", *options], check=True, **quiet)
    command = [bin_folder / "postgres", "-D", folder / "data", "-p", str(port)]
    command += ["-h", "127.0.0.1", "-k", folder, "-c", "fsync=off"]
    server = subprocess.Popen(command, **quiet)
    try:
        _wait_for(port, server)
        yield f"postgresql://winze@127.0.0.1:{port}/postgres"
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(folder, ignore_errors=True)


def _give_away(folder: Path) -> str | None:
    """PostgreSQL refuses to run as root; hand its folder to its own user then."""
    if os.geteuid() != 0:
        return None
    entry = pwd.getpwnam("postgres")
    os.chown(folder, entry.pw_uid, entry.pw_gid)
    return "postgres"


def _wait_for(port: int, server: subprocess.Popen) -> None:
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        assert server.poll() is None, "the server ended at once"
        time.sleep(0.1)
    pytest.fail("the server did not come up in 30 s")
