"""Visits with a browser: a pretended one for the rules, Chromium for a shop that scripts draw."""

import json

import pytest

from tests.chromium import Turns, json_answer, make_renderer, need_chromium
from tests.engine.web import Web, failed, moved
from tests.fetch.server import page as served
from tests.fetch.server import running_site
from winze.engine import rendering
from winze.engine.job import Job
from winze.engine.network import Network, client_for
from winze.engine.rendering import ExampleLacks, Rendering, SiteLacks, rendering_for
from winze.engine.site import site_of
from winze.engine.workspace import open_site
from winze.errors import PlanError, WinzeError
from winze.extract.wrapper import Wrapper
from winze.learned import Learned
from winze.model import ErrorCode, Kind, Request
from winze.plan import Plan, load_plan
from winze.store.records import all_records

PAGES = 8

SHELL = "<title>Shop</title><div id=app></div><script src=/app.js></script>"


def url(n):
    return f"http://shop.example/p/{n}"


def book(n):
    return f"<h1>Book {n}</h1><b>£{n}.50</b>"


def make_plan(tmp_path, **keys):
    return Plan(path=tmp_path / "plan.toml", start=["http://shop.example/"], **keys)


@pytest.fixture
def site(tmp_path):
    wrapper = Wrapper.from_json({"title": "h1", "price": "b"})
    return site_of(make_plan(tmp_path), Learned(wrapper=wrapper, required=("title",)))


@pytest.fixture
def sent():
    """A server that sends nothing but shells."""
    return Web({url(n): SHELL for n in range(PAGES)})


@pytest.fixture
def drawn():
    """A browser that draws a book on each of them."""
    return Web({url(n): book(n) for n in range(PAGES)})


async def visits(browser, site, sent, numbers=range(PAGES)):
    return [await browser.visit(Request(url(n)), site, sent) for n in numbers]


async def test_a_page_that_is_whole_as_it_is_sent_is_not_drawn(site, drawn):
    sent = Web({url(n): SHELL + book(n) for n in range(PAGES)})
    stories = await visits(Rendering(drawn), site, sent)
    assert [story.kind for story in stories] == [Kind.TARGET] * PAGES
    assert drawn.asked == []


async def test_where_drawing_always_helps_it_is_done_at_once(site, sent, drawn):
    stories = await visits(Rendering(drawn), site, sent)
    assert [story.record.fields["price"] for story in stories] == [f"£{n}.50" for n in range(PAGES)]
    assert drawn.asked == [url(n) for n in range(PAGES)]
    assert sent.asked == [url(n) for n in range(5)]


async def test_where_drawing_never_helps_it_is_left(site, sent):
    drawn = Web({url(n): SHELL for n in range(PAGES)})
    stories = await visits(Rendering(drawn), site, sent)
    assert [story.page.status for story in stories] == ["fetched"] * PAGES
    assert drawn.asked == [url(n) for n in range(3)]
    assert len(sent.asked) == PAGES


async def test_a_failure_of_the_browser_leaves_the_page_as_it_was_sent(site, sent, drawn):
    browser = Rendering(drawn)
    await visits(browser, site, sent, range(5))
    drawn.pages[url(5)] = failed(url(5), ErrorCode.URL_TIME_OUT)
    (story,) = await visits(browser, site, sent, [5])
    assert (story.page.error, story.record) == (ErrorCode.OK, None)
    # From then on pages are looked at as they are sent first.
    (story,) = await visits(browser, site, sent, [6])
    assert story.record.fields["title"] == "Book 6"
    assert sent.asked[-2:] == [url(5), url(6)]


async def test_a_server_error_is_the_pages_own(site, sent, drawn):
    browser = Rendering(drawn)
    await visits(browser, site, sent, range(5))
    drawn.pages[url(5)] = failed(url(5), ErrorCode.URL_404, 404)
    (story,) = await visits(browser, site, sent, [5])
    assert story.page.error is ErrorCode.URL_404
    assert url(5) not in sent.asked


async def test_a_browser_that_does_not_start_is_told_only_where_it_must(site, sent):
    async def broken(request):
        broken.asked += 1
        raise OSError("Chromium does not start: no such file")

    broken.asked = 0
    stories = await visits(Rendering(broken), site, sent)
    assert [story.page.error for story in stories] == [ErrorCode.OK] * PAGES
    assert broken.asked == 1
    with pytest.raises(WinzeError, match="browser: Chromium does not start: no such file"):
        await visits(Rendering(broken, always=True), site, sent)


async def test_always_draws_every_page(site, drawn):
    sent = Web({url(n): SHELL + book(n) for n in range(PAGES)})
    await visits(Rendering(drawn, always=True), site, sent)
    assert (len(drawn.asked), sent.asked) == (PAGES, [])


async def test_an_example_that_lacks_the_plans_values_is_drawn(tmp_path):
    plan = make_plan(
        tmp_path, examples=[url(1), url(2), url(3)], fields={"price": ["£1.50", "£2.50", "£3.50"]}
    )
    text = "<p>" + "Words as they were sent. " * 20 + "<script></script>"
    sent = Web(
        {
            url(1): moved(url(1), "/q/1"),
            "http://shop.example/q/1": text,
            url(2): book(2) + text,
            url(3): text.replace("<script></script>", ""),
        }
    )
    drawn = Web({"http://shop.example/q/1": book(1) + text, url(3): book(3)})
    browser = Rendering(drawn)
    fetch = browser.samples(sent, ExampleLacks(plan))
    hop = await fetch(Request(url(1)))
    assert (hop.http_status, drawn.asked) == (301, [])
    assert b"Book 1" in (await fetch(Request("http://shop.example/q/1"))).body
    assert b"Book 2" in (await fetch(Request(url(2)))).body
    # Without scripts there is nothing that could draw it.
    assert b"Book 3" not in (await fetch(Request(url(3)))).body
    assert drawn.asked == ["http://shop.example/q/1"]
    # The whole form is known to need it now.
    assert browser.choice.is_proven("http://shop.example/q/77")
    assert not browser.choice.is_proven(url(77))


async def test_a_value_that_is_nowhere_proves_nothing(tmp_path, drawn):
    plan = make_plan(tmp_path, examples=[url(1)], fields={"price": ["£9.99"]})
    browser = Rendering(drawn)
    fetch = browser.samples(Web({url(1): SHELL}), ExampleLacks(plan))
    assert b"Book 1" in (await fetch(Request(url(1)))).body
    assert not browser.choice.is_proven(url(1))


async def test_a_known_site_tells_what_a_page_lacks(site, drawn):
    sent = Web({url(1): SHELL, url(2): SHELL + book(2)})
    fetch = Rendering(drawn).samples(sent, SiteLacks(site))
    assert b"Book 2" in (await fetch(Request(url(2)))).body
    assert drawn.asked == []
    assert b"Book 1" in (await fetch(Request(url(1)))).body
    assert drawn.asked == [url(1)]


@pytest.mark.parametrize("wish", ["auto", "always", "never"])
async def test_what_the_plan_wants_without_a_browser(tmp_path, monkeypatch, wish):
    missing = "Playwright is not installed: pip install 'winze[browser]'"
    monkeypatch.setattr(rendering, "what_is_missing", lambda: missing)
    plan = make_plan(tmp_path, browser=wish)
    if wish == "always":
        with pytest.raises(PlanError, match=r"browser: Playwright .*pip install 'winze\[browser"):
            async with rendering_for(plan, "agent", Turns()):
                pass
        return
    async with rendering_for(plan, "agent", Turns()) as browser:
        assert browser is None


def test_another_wish_is_a_plan_error(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text('start = ["http://shop.example/"]\nbrowser = "perhaps"\n', "utf-8")
    with pytest.raises(PlanError, match="browser"):
        load_plan(path)


# A shop whose products are put in by a script, in a real Chromium.

BOOKS = 12

PRODUCT = """<!DOCTYPE html><title>Shop</title><div id=app></div><script>
const number = location.pathname.split("/").pop();
fetch("/api/" + number).then(answer => answer.json()).then(item => {
  document.querySelector("#app").innerHTML = `<main class=book><h1>${item.title}</h1>` +
    `<p class=price>${item.price}</p><p>${"A book that somebody may read. ".repeat(9)}</p></main>`;
});
</script>"""


def scripted_shop(site):
    links = "".join(f"<li><a href=/book/{n}>Book {n}</a></li>" for n in range(1, BOOKS + 1))
    site.routes["/"] = served(f"<title>Shop</title><p>{'Welcome. ' * 40}<ul>{links}</ul>")
    for n in range(1, BOOKS + 1):
        site.routes[f"/book/{n}"] = served(PRODUCT)
        site.routes[f"/api/{n}"] = json_answer({"title": f"Book no. {n}", "price": f"£{n}.50"})


async def test_a_scripted_shop_is_learned_and_crawled_from_drawn_pages(tmp_path):
    need_chromium()
    async with running_site() as server:
        scripted_shop(server)
        path = tmp_path / "plan.toml"
        path.write_text(
            f"start = ['{server.url}/']\nsitemap = false\n"
            f"examples = ['{server.url}/book/1', '{server.url}/book/2']\n"
            "[fields]\ntitle = ['Book no. 1', 'Book no. 2']\nprice = ['£1.50', '£2.50']\n",
            "utf-8",
        )
        plan = load_plan(path)
        turns = Turns()
        async with client_for(plan) as client, rendering_for(plan, "winze/0", turns) as browser:
            network = Network(browser.samples(client, ExampleLacks(plan)))
            with open_site(plan) as store:
                done = await Job(plan, store, network=network).crawl()
                with store.read() as connection:
                    records = {
                        record.url: dict(record.fields)
                        for record in all_records(connection, store.site_id)
                    }
        asked = [path for path in server.paths() if path.startswith("/book/")]
    assert records == {
        f"{server.url}/book/{n}": {"title": f"Book no. {n}", "price": f"£{n}.50"}
        for n in range(1, BOOKS + 1)
    }
    assert (done.records, done.quarantined) == (BOOKS, 0)
    assert {url for url, _ in turns.given} == records.keys()
    # The first example was asked for twice: as it is sent, and by the browser.
    assert sorted(asked) == sorted([*(f"/book/{n}" for n in range(1, BOOKS + 1)), "/book/1"])
    learned = json.loads((tmp_path / "learned.json").read_text("utf-8"))
    assert learned["templates"][0]["fields"].keys() == {"title", "price"}


async def test_visits_of_a_scripted_shop(tmp_path, site):
    async with running_site() as server:
        scripted_shop(server)
        plan = Plan(path=tmp_path / "plan.toml", start=[f"{server.url}/"])
        wrapper = Wrapper.from_json({"title": "h1", "price": "p.price"})
        shop = site_of(plan, Learned(wrapper=wrapper, required=("title",)))
        async with client_for(plan) as client, make_renderer() as render:
            browser = Rendering(render)
            for n in range(1, 8):
                story = await browser.visit(Request(f"{server.url}/book/{n}"), shop, client)
                assert story.record.fields == {"title": f"Book no. {n}", "price": f"£{n}.50"}
                assert story.response.header("x-drawn-by").startswith("Chromium/")
            start = await browser.visit(Request(f"{server.url}/"), shop, client)
        asked = [path for path in server.paths() if path.startswith("/book/")]
    assert len(asked) == 5 + 7
    assert len(start.links) == BOOKS
    assert start.response.header("x-drawn-by") == ""
