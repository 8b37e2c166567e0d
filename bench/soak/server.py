"""Serves the soak's hosts, each at its own loopback address: `python -m bench.soak.server`.

A process of its own, written on bare sockets, so that it takes little from the crawl and can note
when the kernel received each request: what it notes is free of its own delays.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

import uvloop

from bench.soak.site import ROBOTS, Fault, SoakSite, address

#: Seconds that a slow page takes.
SLOW_SECONDS = 2.0

#: What a 429 asks for (seconds).
RETRY_AFTER = 1

#: Linux: note the time at which the kernel received the data.
_SO_TIMESTAMPNS = 35

#: Close with a reset instead of a farewell.
_ABORT = struct.pack("ii", 1, 0)

#: Ports that are tried until one is free at all addresses.
_PORT_TRIALS = 20

_STATUS = {
    Fault.MISSING: 404,
    Fault.GONE: 410,
    Fault.FORBIDDEN: 403,
    Fault.BROKEN: 500,
    Fault.BUSY_FIRST: 503,
    Fault.RATE_FIRST: 429,
}

_FIRST_ONLY = (Fault.BUSY_FIRST, Fault.RATE_FIRST, Fault.RESET_FIRST)


class SoakServer:
    """Answers for all hosts. `log` gets a line a request: time, host, status, requests that run at
    the host with this one, path; status 0 is a reset.
    """

    def __init__(self, site: SoakSite, log: BinaryIO) -> None:
        self.port = 0
        self._site = site
        self._log = log
        self._running: Counter[int] = Counter()
        self._asked: set[tuple[int, str]] = set()

    def listen(self) -> None:
        """Begin to accept, at one free port of all addresses."""
        loop = asyncio.get_running_loop()
        for host, listener in enumerate(_listeners(self._site.hosts)):
            self.port = listener.getsockname()[1]
            loop.add_reader(listener, self._accept, host, listener)

    def answer(self, host: int, path: str, received: float) -> tuple[bytes, float]:
        """Return what to send and after how many seconds; nothing to send stands for a reset."""
        fault = self._fault(host, path)
        status = 0 if fault in (Fault.RESET, Fault.RESET_FIRST) else _STATUS.get(fault, 200)
        if path != "/robots.txt" and not self._site.has(path):
            status = 404
        self._running[host] += 1
        line = f"{received:.6f} {host} {status} {self._running[host]} {path}\n"
        self._log.write(line.encode())
        delay = SLOW_SECONDS if fault is Fault.SLOW else 0.0
        return self._bytes(host, path, status) if status else b"", delay

    def done(self, host: int) -> None:
        """Note that a request ended."""
        self._running[host] -= 1

    def _fault(self, host: int, path: str) -> Fault:
        fault = self._site.fault(host, path) if self._site.has(path) else Fault.NONE
        first = (host, path) not in self._asked
        self._asked.add((host, path))
        return Fault.NONE if fault in _FIRST_ONLY and not first else fault

    def _bytes(self, host: int, path: str, status: int) -> bytes:
        body, kind = f"<h1>{status}</h1>".encode(), "text/html; charset=utf-8"
        if status == 200 and path == "/robots.txt":
            body, kind = ROBOTS, "text/plain"
        elif status == 200:
            body = self._site.html(host, path, self.port).encode()
        wait = f"Retry-After: {RETRY_AFTER}\r\n" if status == 429 else ""
        head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
        return f"{head}{wait}\r\n".encode() + body

    def _accept(self, host: int, listener: socket.socket) -> None:
        with suppress(BlockingIOError):
            _Connection(self, host, listener.accept()[0])


class _Connection:
    """One connection of a host; it is read until the other side closes it."""

    def __init__(self, server: SoakServer, host: int, connection: socket.socket) -> None:
        self._server = server
        self._host = host
        self._socket = connection
        self._loop = asyncio.get_running_loop()
        self._received = b""
        self._running = 0
        connection.setblocking(False)
        connection.setsockopt(socket.SOL_SOCKET, _SO_TIMESTAMPNS, 1)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._loop.add_reader(connection, self._read)

    def _read(self) -> None:
        try:
            data, notes, _, _ = self._socket.recvmsg(1 << 16, 64)
        except BlockingIOError:
            return
        except OSError:
            data, notes = b"", []
        if not data:
            self._close()
            return
        self._received += data
        if self._received.endswith(b"\r\n\r\n"):
            path = self._received.split(b" ", 2)[1].decode("ascii", "replace")
            self._received = b""
            self._answer(path, _moment(notes))

    def _answer(self, path: str, received: float) -> None:
        answer, delay = self._server.answer(self._host, path, received)
        self._running += 1
        if delay:
            self._loop.call_later(delay, self._send, answer)
        else:
            self._send(answer)

    def _send(self, answer: bytes) -> None:
        if self._socket.fileno() < 0:
            return  # whoever asked is no more
        self._running -= 1
        self._server.done(self._host)
        try:
            # A page fits into an empty send buffer; what does not is a client that reads nothing.
            whole = self._socket.send(answer) == len(answer)
        except OSError:
            whole = False
        if not answer or not whole:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _ABORT)
            self._close()

    def _close(self) -> None:
        for _ in range(self._running):
            self._server.done(self._host)
        self._loop.remove_reader(self._socket)
        self._socket.close()


def _moment(notes: Sequence[tuple[int, int, bytes]]) -> float:
    """Return when the kernel received the data (seconds since the epoch)."""
    for _, kind, data in notes:
        if kind == _SO_TIMESTAMPNS:
            seconds, nanoseconds = struct.unpack("@qq", data[:16])
            return float(seconds + nanoseconds / 1e9)
    return time.time()


def _listeners(hosts: int) -> list[socket.socket]:
    """Return a listening socket for each host, all at one port."""
    for _ in range(_PORT_TRIALS):
        port = 0
        sockets: list[socket.socket] = []
        with suppress(OSError):
            for host in range(hosts):
                listener = socket.create_server((address(host), port), backlog=256)
                listener.setblocking(False)
                sockets.append(listener)
                port = listener.getsockname()[1]
            return sockets
        for listener in sockets:
            listener.close()
    raise OSError(f"no port is free at all of {hosts} addresses")


async def _forever(site: SoakSite, log: BinaryIO) -> None:
    server = SoakServer(site, log)
    server.listen()
    sys.stdout.write(f"{server.port}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve until ended; the first line printed is the port."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak.server")
    parser.add_argument("--hosts", type=int, required=True)
    parser.add_argument("--pages", type=int, required=True, help="of each host")
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--log", required=True)
    options = parser.parse_args(arguments)
    site = SoakSite(options.hosts, options.pages, options.seed)
    with Path(options.log).open("ab", buffering=0) as log:
        uvloop.run(_forever(site, log))


if __name__ == "__main__":
    main()
