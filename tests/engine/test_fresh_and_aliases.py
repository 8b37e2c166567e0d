"""What need not be fetched twice: pages that have not changed, and other names of known ones."""

from tests.engine.web import HTML, Web, crawl, links, write_site
from winze.engine.explain import explain
from winze.engine.job import Wish
from winze.engine.workspace import open_site
from winze.model import Request, Response
from winze.plan import load_plan
from winze.store.records import all_records
from winze.store.reports import alias_count

ROOT = "http://shop.example"


class Tagged(Web):
    """A web whose pages have an ETag, and that answers 304 to who has the page."""

    def __init__(self, pages):
        super().__init__(pages)
        self.unchanged = []

    async def __call__(self, request):
        response = await super().__call__(request)
        tag = f'"{hash(response.body)}"'
        if request.validators[0] == tag:
            self.unchanged.append(request.url)
            return Response(request.url, 304, (("etag", tag),), b"", fetched_at=2.0)
        headers = (*HTML, ("etag", tag))
        return Response(request.url, 200, headers, response.body, fetched_at=1.0)


def shop(items):
    pages = {f"{ROOT}/p/{n}": f"<title>T{n}</title><h1>Item {n}</h1>" for n in range(items)}
    return pages | {f"{ROOT}/": links(*(f"/p/{n}" for n in range(items)))}


async def test_fresh_asks_only_whether_a_page_has_changed(tmp_path):
    web, path = Tagged(shop(5)), write_site(tmp_path)
    assert (await crawl(path, web)).records == 5
    assert web.unchanged == []
    web.pages[f"{ROOT}/p/2"] = "<title>T2</title><h1>Renamed</h1>"
    done = await crawl(path, web, Wish(fresh=True))
    assert sorted(web.unchanged) == sorted({f"{ROOT}/", *web.pages} - {f"{ROOT}/p/2"})
    assert done.report.unchanged == 5
    assert done.records == 5
    with open_site(load_plan(path)) as store, store.read() as connection:
        found = {one.url: one.fields["title"] for one in all_records(connection, store.site_id)}
        states = {row.url: row.status for row in store.urls.all(connection)}
    assert found[f"{ROOT}/p/2"] == "Renamed"
    assert found[f"{ROOT}/p/3"] == "Item 3"
    assert states[f"{ROOT}/p/2"] == "fetched"
    assert states[f"{ROOT}/p/3"] == "unchanged"


async def test_links_of_unchanged_pages_are_known_already(tmp_path):
    web, path = Tagged(shop(5)), write_site(tmp_path)
    await crawl(path, web)
    await crawl(path, web, Wish(fresh=True))
    done = await crawl(path, web, Wish(fresh=True))
    assert done.report.pages == 6
    assert len(web.asked) == 18


class Coloured(Web):
    """A web where ?from= changes nothing on a page."""

    async def __call__(self, request):
        answer = await super().__call__(Request(request.url.partition("?")[0]))
        self.asked[-1] = request.url
        return Response(request.url, answer.http_status, HTML, answer.body, answer.error)


async def test_a_name_that_waited_becomes_an_alias_and_is_explained(tmp_path):
    items = 60
    words = [" ".join(f"w{n}x{k}" for k in range(60)) for n in range(items)]
    pages = {f"{ROOT}/p/{n}": f"<title>T</title><h1>Item {n}</h1>{words[n]}" for n in range(items)}
    named = [f"/p/{n}?from={place}" for n in range(items) for place in ("top", "foot", "side")]
    web = Coloured(pages | {f"{ROOT}/": links(*named)})
    path = write_site(tmp_path)
    done = await crawl(path, web, Wish(order="bfs"))
    assert done.report.idle == {"shop.example/p/#": ("from",)}
    assert len(web.asked) < 2 * items
    plan = load_plan(path)
    with open_site(plan) as store:
        with store.read() as connection:
            rows = [row for row in store.urls.all(connection) if row.alias_of is not None]
            assert alias_count(connection, store.site_id) == len(rows)
        assert len(rows) > items
        told = explain(plan, store, rows[-1].url)
    assert "a parameter in it changes nothing" in told.why
    assert told.target is not None
    assert told.target.key == rows[-1].alias_of
    assert told.target.status == "fetched"
