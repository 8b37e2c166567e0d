"""G1: a crawl that got nothing says so, and why."""

import pytest

from tests.hard.server import Answer, HostileServer, item, links, of_pages


@pytest.mark.parametrize(
    ("status", "said"), [(500, "HTTP_5XX"), (403, "HTTP_4XX"), (404, "URL_404"), (999, "HTTP_5XX")]
)
def test_g1_the_only_start_url_refuses(status, said, served, capfd):
    """G1: the start URL answers with an error: a non-zero exit and a line with the reason.

    The peers (Scrapy, Crawlee, Scrapling) exit with 0.
    """
    with served(of_pages({"/": Answer("<h1>no</h1>", status)})) as (server, site):
        result = site.crawl(capfd)
        assert site.by_path(server.url)["/"][1] == said
    assert result.code == 4
    assert any(said in line and f"{server.url}/" in line for line in result.err.splitlines())
    assert site.records() == []


def test_g1_the_only_start_url_cannot_be_reached(served, capfd):
    """G1: nobody listens at the start URL's port: the same.

    The peers (Scrapy, Crawlee, Scrapling) exit with 0.
    """
    with HostileServer(of_pages({})) as gone:
        root = gone.url
    with served(of_pages({}), more="") as (_, site):
        plan = site.plan.read_text()
        start = plan.splitlines()[0]
        site.plan.write_text(plan.replace(start, f"start = ['{root}/']"))
        result = site.crawl(capfd)
    assert result.code != 0
    assert any("CONNECTION" in line for line in result.err.splitlines()), result.err


def test_g1_extraction_gives_nothing_on_every_page(served, capfd):
    """G1: all pages come, none holds what the wrapper looks for: a non-zero exit and the reason.

    The peers (Scrapy, Crawlee, Scrapling) exit with 0.
    """
    numbers = range(1, 13)
    pages = {f"/item/{n}": item(f"no. {n}").replace("h1", "h2") for n in numbers}
    fields = {"title": "main.item > h1", "price": "p.price"}
    with served(of_pages({"/": links(*pages), **pages}), fields=fields) as (server, site):
        result = site.crawl(capfd)
        rows = site.by_path(server.url)
    assert all(rows[path][0] == "fetched" for path in pages)
    assert site.records() == []
    assert result.code in {3, 4}, result.err
    assert "0 targets" in result.err or "12 are in quarantine" in result.err, result.err
