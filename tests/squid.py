"""A Squid of the tests' own: port, cache, logs and pid are none of the system's."""

import os
import pwd
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.services import missing, spare_port

#: Debian puts it where only root's path leads.
_PLACES = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin"

_CONFIG = """\
http_port 127.0.0.1:{port}
http_access allow localhost
http_access deny all
visible_hostname squid.test
pid_filename {folder}/squid.pid
cache_dir ufs {folder}/cache 50 4 4
cache_mem 16 MB
access_log stdio:{folder}/access.log
cache_log {folder}/cache.log
cache_store_log none
coredump_dir {folder}
netdb_filename none
pinger_enable off
shutdown_lifetime 0 seconds
"""


@dataclass(frozen=True)
class Squid:
    """A running Squid."""

    url: str
    folder: Path

    def results(self) -> list[str]:
        """Return what it did for each request so far: "TCP_MISS", "TCP_MEM_HIT" and the like."""
        lines = (self.folder / "access.log").read_text().splitlines()
        return [line.split()[3].partition("/")[0] for line in lines]


@contextmanager
def squid_proxy(folder: Path) -> Iterator[Squid]:
    """Start a caching proxy that keeps everything in this folder; stop it by its own process."""
    program = shutil.which("squid", path=_PLACES)
    if program is None:
        missing("Squid")
    port = spare_port()
    config = folder / "squid.conf"
    text = _CONFIG.format(port=port, folder=folder)
    config.write_text(text + _give_away(folder))
    command = [program, "-N", "-f", config, "-n", f"winze{port}"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    subprocess.run([*command, "-z"], check=True, timeout=60, **quiet)
    server = subprocess.Popen(command, **quiet)
    try:
        _wait(folder, server)
        yield Squid(f"http://127.0.0.1:{port}", folder)
    finally:
        server.terminate()
        try:
            server.wait(30)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _give_away(folder: Path) -> str:
    """Squid started by root works as another user; that one gets the folder, and may go there."""
    if os.geteuid() != 0:
        return ""
    user = pwd.getpwnam("proxy")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return "cache_effective_user proxy\n"


def _wait(folder: Path, server: subprocess.Popen) -> None:
    log = folder / "cache.log"
    for _ in range(300):
        assert server.poll() is None, log.read_text() if log.exists() else "Squid ended at once"
        if log.exists() and "Accepting HTTP Socket connections" in log.read_text():
            return
        time.sleep(0.1)
    pytest.fail("Squid did not come up in 30 s")
