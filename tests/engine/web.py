"""A web of plain strings: what a URL answers, and who asked for it."""

from collections.abc import Mapping
from pathlib import Path

from winze.engine.job import Done, Job, Wish
from winze.engine.network import Network
from winze.engine.workspace import open_site
from winze.model import ErrorCode, Request, Response
from winze.plan import load_plan

HTML = (("content-type", "text/html; charset=utf-8"),)

PLAN = 'start = ["http://shop.example/"]\nsitemap = false\n'


def page(url: str, body: str) -> Response:
    return Response(url, 200, HTML, body.encode(), fetched_at=1.0)


def moved(url: str, location: str, status: int = 301) -> Response:
    return Response(url, status, (("location", location),), b"", fetched_at=1.0)


def failed(url: str, error: ErrorCode, status: int = 0) -> Response:
    return Response(url, status, (), b"", error, fetched_at=1.0)


class Web:
    """A fetcher over a dictionary: a text is a page, the rest 404."""

    def __init__(self, pages: Mapping[str, str | Response]) -> None:
        self.pages = dict(pages)
        self.asked: list[str] = []

    async def __call__(self, request: Request) -> Response:
        self.asked.append(request.url)
        answer = self.pages.get(request.url)
        if answer is None:
            return failed(request.url, ErrorCode.URL_404, 404)
        return answer if isinstance(answer, Response) else page(request.url, answer)


def links(*hrefs: str) -> str:
    """Return a page that links to these."""
    return "<title>Links</title>" + "".join(f"<a href='{href}'>{href}</a>" for href in hrefs)


def write_site(folder: Path, plan: str = PLAN, learned: str = '{"title": "h1"}') -> Path:
    """Write a plan and its learned.json; return the plan's path."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "plan.toml").write_text(plan, "utf-8")
    (folder / "learned.json").write_text(learned, "utf-8")
    return folder / "plan.toml"


async def crawl(path: Path, web: Web, wish: Wish | None = None, **network: object) -> Done:
    """Crawl a site of the web to the end."""
    plan = load_plan(path)
    with open_site(plan) as store:
        return await Job(plan, store, wish or Wish(), network=Network(web, **network)).crawl()


def rows(path: Path) -> dict[str, tuple[str, str]]:
    """Return status and error code's name of each row of the URL table."""
    with open_site(load_plan(path)) as store, store.read() as connection:
        return {row.url: (row.status, row.error.name) for row in store.urls.all(connection)}
