"""Real sites from the test data behind the Fetcher seam: no network, every request noted."""

from __future__ import annotations

import json
import lzma
import time
from pathlib import Path

from bench.site_graphs import page_key
from winze.model import ErrorCode, Request, Response

_HEADERS = (("content-type", "text/html; charset=utf-8"),)


class SnapshotFetcher:
    """Answers from one site's pages; unknown URLs are 404. `order` lists what was asked,
    `urls` the pages there are."""

    def __init__(self, path: Path) -> None:
        self.order: list[str] = []
        self.urls: list[str] = []
        self._pages: dict[str, bytes] = {}
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for line in lines:
                row = json.loads(line)
                self.urls.append(row["url"])
                self._pages[page_key(row["url"])] = row["html"].encode("utf-8", "replace")

    async def __call__(self, request: Request) -> Response:
        """Return a page, /x and /x/ and /x/index.html alike, as the data's server does."""
        self.order.append(request.url)
        body = self._find(page_key(request.url))
        if body is None:
            return Response(request.url, 404, error=ErrorCode.URL_404, fetched_at=time.time())
        return Response(request.url, 200, _HEADERS, body, fetched_at=time.time())

    def _find(self, key: str) -> bytes | None:
        return self._pages.get(key) or self._pages.get(f"{key.rstrip('/')}/index.html")
