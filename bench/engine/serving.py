"""The benchmark's site on a server of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_NGINX = """
{user}
worker_processes 1;
daemon off;
pid {run}/nginx.pid;
error_log {run}/error.log;
events {{ worker_connections 4096; }}
http {{
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 10000000;
  keepalive_timeout 300;
  open_file_cache max=20000 inactive=10m;
  client_body_temp_path {run}/b;
  proxy_temp_path {run}/p;
  fastcgi_temp_path {run}/f;
  uwsgi_temp_path {run}/u;
  scgi_temp_path {run}/s;
  server {{
    listen 127.0.0.1:{port} backlog=4096;
    charset utf-8;
    root {site};
  }}
}}
"""

#: Seconds that the server may take to start.
_PATIENCE = 10


def build_site(scripts: Path, home: Path) -> Path:
    """Return the site's folder, built from Debian's manuals unless it stands."""
    site = home / "site"
    if not (site / "robots.txt").exists():
        print("Building the site ...", file=sys.stderr)
        subprocess.run([sys.executable, scripts / "build_site.py", site], check=True)
    return site


@contextmanager
def serving(site: Path, run: Path) -> Iterator[str]:
    """Serve the folder by nginx, `run` for its files; the site's base URL."""
    port = _spare_port()
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = run / "nginx.conf"
    configuration.write_text(_NGINX.format(user=user, run=run, port=port, site=site.resolve()))
    command = ["nginx", "-p", str(run), "-e", str(run / "error.log"), "-c", str(configuration)]
    with subprocess.Popen(command) as process:
        try:
            _wait(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


def _spare_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def _wait(port: int, process: subprocess.Popen[bytes]) -> None:
    """Return when the server answers; ChildProcessError when it ended or never did."""
    until = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            time.sleep(0.05)
        else:
            return
    raise ChildProcessError("nginx did not start")
