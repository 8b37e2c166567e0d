import asyncio

import pytest

from bench.papers.gwc_crawl import Gwc, Variant
from bench.papers.gwc_wrapper import Place, apply_gwc, learn_gwc
from bench.papers.pages import Library
from bench.papers.pagination import collect
from winze.judge.keywords import parse
from winze.learn.wrappers import Example
from winze.model import ErrorCode, Response
from winze.parse.html import Tree
from winze.urls.scope import Scope

BASE = "http://s.example"


def page(text: str, *links: str) -> str:
    anchors = "".join(f'<li><a href="{link}">{link.rpartition("/")[2]}</a>' for link in links)
    return f"<title>t</title><body>{text}<ul>{anchors}</ul>"


#: Two lists of items; the second hangs on the first, one item only on another item.
SITE = {
    "/": page("home", "/list/1", "/help"),
    "/help": page("nothing here"),
    "/list/1": page("list", *(f"/p/{n}" for n in range(1, 7)), "/list/2"),
    "/list/2": page("list", *(f"/p/{n}" for n in range(7, 13))),
    **{f"/p/{n}": page("good tea", "/") for n in range(1, 12)},
    "/p/12": page("good tea", "/p/13"),
    "/p/13": page("good tea"),
}


async def fetch(request):
    body = SITE.get(request.url.removeprefix(BASE))
    if body is None:
        return Response(request.url, 404, error=ErrorCode.URL_404)
    return Response(request.url, 200, (("content-type", "text/html"),), body.encode())


def library() -> Library:
    return Library(fetch, Scope.around([BASE + "/"]))


def crawl(variant: Variant):
    async def run():
        gwc = Gwc(library(), BASE + "/", parse("tea"))
        filters = await gwc.prepare(pages=40)
        return filters, await gwc.crawl(filters, variant)

    return asyncio.run(run())


def test_p1_learns_the_largest_class_with_few_links():
    filters, crawled = crawl(Variant())
    assert filters.target.matches(f"{BASE}/p/77")
    assert not filters.target.matches(f"{BASE}/list/1")
    assert len(set(crawled.records)) == 13


@pytest.mark.parametrize(("threshold", "records"), [(0, 0), (1, 13)])
def test_a_page_at_the_threshold_is_not_followed(threshold, records):
    _, crawled = crawl(Variant(threshold=threshold))
    assert len(set(crawled.records)) == records


def test_a_pagination_collector_sees_what_lists_show():
    crawled = asyncio.run(collect(library(), BASE + "/", [f"{BASE}/p/1"]))
    assert len(crawled.records) == 12
    assert f"{BASE}/p/13" not in crawled.records


HTML = "<h1>{0}</h1><div class=c><p>a</p></div><div class=r><b>{1}</b><b>{2}</b></div>"


def test_p1s_paths_name_siblings_by_attribute_and_join_repeats():
    one, two = Tree(HTML.format("Tea", "x", "y")), Tree(HTML.format("Cup", "z", "w"))
    examples = [
        Example(one, {"title": "Tea", "all": ["x", "y"]}),
        Example(two, {"title": "Cup", "all": ["z", "w"]}),
    ]
    places = learn_gwc(examples)
    assert places["title"] == Place("html>body>h1", "text")
    assert places["all"] == Place('html>body>div[class="r"]>b', "text")
    assert apply_gwc(places, two) == {"title": ["Cup"], "all": ["z", "w"]}
