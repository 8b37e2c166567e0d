"""The system's Chromium for tests: a renderer with a site's turn that the test sees."""

from contextlib import asynccontextmanager

from aiohttp import web

from tests.services import missing
from winze.fetch.browser import Renderer
from winze.fetch.chromium import Identity, what_is_missing
from winze.fetch.turn import Turn
from winze.model import ErrorCode, Request, Response

USER_AGENT = "winze/0 (+test@a.example)"

#: A page that is empty until its script has run.
DRAWN = "<body><script>document.body.innerHTML = '<h1>drawn</h1>'</script>"


def need_chromium() -> None:
    """Skip a test where there is no Chromium; in CI that is a failure."""
    if what_is_missing():
        missing("Chromium with Playwright")


class Turns:
    """Gives every URL its turn at once, and remembers how it went."""

    def __init__(self, refusal: ErrorCode = ErrorCode.OK) -> None:
        self.refusal = refusal
        self.given: list[tuple[str, Turn]] = []
        self.sent: list[str] = []
        self.active = self.most_active = 0

    @asynccontextmanager
    async def __call__(self, url: str):
        turn = Turn(self.refusal, sent=lambda: self.sent.append(url))
        self.given.append((url, turn))
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            yield turn
        finally:
            self.active -= 1


def make_renderer(turns: Turns | None = None, *, identity: Identity | None = None, **options):
    """Return a renderer that starts Chromium with its first page."""
    need_chromium()
    options.setdefault("settle", 4.0)
    return Renderer(identity=identity or Identity(USER_AGENT), turns=turns or Turns(), **options)


async def draw(url: str, turns: Turns | None = None, **options) -> Response:
    """Draw one page in a browser of its own."""
    async with make_renderer(turns, **options) as render:
        return await render(Request(url))


def json_answer(value: object):
    """Answer with JSON, as a page's scripts ask for it."""

    async def handler(_):
        return web.json_response(value)

    return handler
