"""Pages visited with a browser where that is needed; the rest of the engine sees no difference."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from winze.engine.examples import needs_browser
from winze.engine.render_choice import RenderChoice, is_better, is_whole, lacks_something
from winze.engine.site import Site
from winze.engine.visit import examine
from winze.engine.visit import visit as visit_sent
from winze.errors import PlanError, WinzeError
from winze.fetch.browser import Renderer
from winze.fetch.chromium import Identity, what_is_missing
from winze.fetch.turn import Turns
from winze.learn.values import find_value
from winze.model import ErrorCode, Fetcher, Request, Response, Visit
from winze.parse.page import read_page
from winze.plan import Plan
from winze.urls.canonical import clean, host_of

#: Says of a page, as sent or drawn, whether it lacks what it should show.
Lacks = Callable[[Request, Response], bool]

#: Faults that may be the browser's or the scripts', where the server may have answered well.
_BROWSERS_OWN = frozenset({ErrorCode.URL_TIME_OUT, ErrorCode.OTHER_ERROR, ErrorCode.TOO_LARGE})


class Rendering:
    """A browser at work for one plan: `visit` for the crawl, `samples` for the learn phase.

    `render` draws a page, `always` draws all of them. `choice` remembers where it helped. Where
    the browser does not start, pages count as they are sent; with `always` that is a WinzeError.
    """

    def __init__(
        self, render: Fetcher, choice: RenderChoice | None = None, *, always: bool = False
    ) -> None:
        self.choice = choice or RenderChoice()
        self._render = render
        self._always = always
        self._starts = True

    async def visit(self, request: Request, site: Site, fetch: Fetcher) -> Visit:
        """Visit a page as engine.visit does, drawn if the page as it is sent lacks something."""
        if self._is_drawn_at_once(request.url):
            return await self._visit_drawn(request, site, fetch)
        sent = await visit_sent(request, site, fetch)
        if not lacks_something(sent, site):
            if is_whole(sent):
                self.choice.note_whole(request.url)
            return sent
        if not self._may_help(request.url):
            return sent
        drawn = examine(request, await self._draw(request), site)
        helped = is_better(drawn, sent)
        self.choice.learn(request.url, helped=helped)
        return drawn if helped else sent

    def samples(self, fetch: Fetcher, lacks: Lacks) -> Fetcher:
        """Return a fetcher for single pages, which draws those that lack something as sent.

        If the drawn page lacks nothing, all pages of its form are drawn from then on.
        """

        async def fetch_or_draw(request: Request) -> Response:
            if self._is_drawn_at_once(request.url):
                return await self._draw(request)
            sent = await fetch(request)
            may = self._may_help(request.url) and _has_scripts(sent)
            if not lacks(request, sent) or not may:
                return sent
            drawn = await self._draw(request)
            if drawn.error is not ErrorCode.OK or not drawn.body:
                self.choice.learn(request.url, helped=False)
                return sent
            if not lacks(request, drawn):
                self.choice.prove(request.url)
            return drawn

        return fetch_or_draw

    def _is_drawn_at_once(self, url: str) -> bool:
        return self._always or (self._starts and self.choice.is_proven(url))

    def _may_help(self, url: str) -> bool:
        return self._starts and self.choice.may_help(url)

    async def _visit_drawn(self, request: Request, site: Site, fetch: Fetcher) -> Visit:
        """Draw a page at once; where that fails, it counts as it is sent."""
        drawn = examine(request, await self._draw(request), site)
        if drawn.page.error not in _BROWSERS_OWN:
            return drawn
        self.choice.learn(request.url, helped=False)
        sent = await visit_sent(request, site, fetch)
        return sent if sent.page.error is ErrorCode.OK else drawn

    async def _draw(self, request: Request) -> Response:
        try:
            return await self._render(request)
        except OSError as error:
            if self._always:
                raise WinzeError(f"browser: {error}") from error
            self._starts = False
            return Response(request.url, error=ErrorCode.OTHER_ERROR)


class SiteLacks:
    """Does a page that was fetched lack what is known of its site?"""

    def __init__(self, site: Site) -> None:
        self._site = site

    def __call__(self, request: Request, response: Response) -> bool:
        """Return whether something is missing."""
        return lacks_something(examine(request, response, self._site), self._site)


class ExampleLacks:
    """Does a page that was fetched to learn from lack a value of the plan, or all text?

    Redirects are followed in mind: the values belong to the page that is there at the end.
    """

    def __init__(self, plan: Plan) -> None:
        self._values = {
            clean(url): plan.values_of(number) for number, url in enumerate(plan.examples)
        }

    def __call__(self, request: Request, response: Response) -> bool:
        """Return whether something is missing."""
        page, tree = read_page(response)
        values = self._values.get(clean(request.url), {})
        if page.location:
            self._values.setdefault(clean(page.location), values)
        if tree is None:
            return False
        return needs_browser(tree) or not all(
            find_value(tree, text)
            for value in values.values()
            for text in ([value] if isinstance(value, str) else value or [])
            if text
        )


def _has_scripts(response: Response) -> bool:
    return b"<script" in response.body.lower()


@asynccontextmanager
async def rendering_for(
    plan: Plan, user_agent: str, turns: Turns
) -> AsyncIterator[Rendering | None]:
    """Open the browser as the plan wants it; None where pages count as they are sent.

    It starts with the first page that is drawn. Raises PlanError for `browser = "always"` where
    there is no browser.
    """
    missing = what_is_missing() if plan.browser != "never" else ""
    if missing and plan.browser == "always":
        raise PlanError(f"{plan.path}: browser: {missing}")
    if missing or plan.browser == "never":
        yield None
        return
    identity = Identity(
        user_agent,
        plan.headers,
        plan.cookies,
        {host_of(url) for url in [*plan.starts(), *plan.examples]},
    )
    async with Renderer(
        identity=identity,
        turns=turns,
        proxy=plan.proxy,
        connect_to=plan.connect_to,
        timeout=plan.timeout,
        max_characters=plan.page_bytes,
    ) as render:
        yield Rendering(render, always=plan.browser == "always")
