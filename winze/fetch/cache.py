"""Answers kept in a folder, so that a plan can be tried again without asking its site."""

from __future__ import annotations

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from winze.model import ErrorCode, Fetcher, Request, Response

#: Seconds for which an answer is good unless the plan says otherwise: a day.
SECONDS = 86_400.0


class Cache:
    """A fetcher that asks another one only for what its folder does not hold.

    Kept are answers without an error, each in a file: a line of JSON, then the body. `clock` gives
    seconds since the epoch.
    """

    def __init__(
        self,
        fetch: Fetcher,
        folder: Path,
        seconds: float = SECONDS,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._fetch = fetch
        self._folder = folder
        self._seconds = seconds
        self._clock = clock

    async def __call__(self, request: Request) -> Response:
        """Return the kept answer if it is young enough, else fetch and keep it."""
        path = self._folder / hashlib.blake2b(request.url.encode(), digest_size=16).hexdigest()
        kept = await asyncio.to_thread(_read, path)
        if kept is not None and self._clock() - kept.fetched_at < self._seconds:
            return kept
        response = await self._fetch(request)
        if response.error is ErrorCode.OK and response.http_status != 304:
            await asyncio.to_thread(_write, path, response)
        return response


def cached(fetch: Fetcher, options: Mapping[str, object]) -> Cache:
    """Make `fetch.cache`; its options: `folder`, from the working directory, and `seconds`.

    Raises ValueError for others.
    """
    folder, seconds = options.get("folder"), options.get("seconds", SECONDS)
    known = not options.keys() - {"folder", "seconds"}
    if not known or not isinstance(folder, str) or not isinstance(seconds, int | float):
        raise ValueError('write a folder and seconds, such as { folder = "cache", seconds = 3600 }')
    return Cache(fetch, Path(folder), seconds)


def _read(path: Path) -> Response | None:
    try:
        head, _, body = path.read_bytes().partition(b"\n")
        told = json.loads(head)
        headers = tuple((name, value) for name, value in told["headers"])
        return Response(told["url"], told["status"], headers, body, fetched_at=told["at"])
    except (OSError, ValueError, KeyError, TypeError):
        return None  # none there, or torn by a kill: it is fetched anew


def _write(path: Path, response: Response) -> None:
    told = {
        "url": response.url,
        "status": response.http_status,
        "headers": response.headers,
        "at": response.fetched_at,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_bytes(json.dumps(told).encode() + b"\n" + response.body)
    new.replace(path)
