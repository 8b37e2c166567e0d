"""D3, D4: markup that parsers cut short, and heads that say where to go only late."""

import pytest

from tests.hard.server import Answer, item, links, of_pages

DEPTH = 5000


def late(head: str) -> str:
    """Return a page whose head says this only beyond the first 4,096 characters."""
    return f"<!DOCTYPE html><html><head><!--{'x' * 5000}-->{head}<title>t</title></head><body>"


def test_d3_content_after_the_first_end_of_html_is_found(served, capfd):
    """D3: what stands after the first </html> counts, links as well as fields.

    Lost by lxml, and so by what stands on it: parsel, Scrapy, Crawlee's ParselCrawler.
    """
    cut = "<!DOCTYPE html><html><body><p>start</p></body></html>"
    pages = {
        "/": f"{cut}{links('/item/1')}</html>",
        "/item/1": f"{cut}\n<html><body>{item('behind the end')}</body></html>",
    }
    with served(of_pages(pages)) as (_, site):
        result = site.crawl(capfd)
    assert result.code == 0, result.err
    assert [row["title"] for row in site.records()] == ["behind the end"]


def test_d3_a_span_under_5000_nested_elements_is_found(served, capfd):
    """D3: text and link under 5,000 nested divs are found.

    Lost by lxml, and so by what stands on it: parsel, Scrapy, Crawlee's ParselCrawler.
    """

    def deep(inner: str) -> str:
        return f"<!DOCTYPE html><title>t</title>{'<div>' * DEPTH}{inner}{'</div>' * DEPTH}"

    pages = {
        "/": deep("<a href='/item/1'>one</a>"),
        "/item/1": deep("<span class=t>at the bottom</span>"),
    }
    with served(of_pages(pages), fields={"title": "span.t"}) as (_, site):
        result = site.crawl(capfd)
    assert result.code == 0, result.err
    assert [row["title"] for row in site.records()] == ["at the bottom"]


@pytest.mark.parametrize(
    ("head", "leads"),
    [
        pytest.param(late("<base href='/deep/er/'>"), "/deep/er/a", id="late-base"),
        pytest.param(late("<!-- <base href='/no/'> -->"), "/a", id="base-in-comment"),
        pytest.param(
            "<!DOCTYPE html><!-- <base href='/no/'> --><base href='/yes/'>",
            "/yes/a",
            id="base-behind-comment",
        ),
        pytest.param(late("<script>'<base href=/no/>'</script>"), "/a", id="base-in-script"),
    ],
)
def test_d4_a_late_base_is_honoured_and_one_in_a_comment_is_not(head, leads, served, capfd):
    """D4: a base element counts wherever it stands in the head, and not inside a comment.

    The peers (Scrapy, Crawlee, Scrapling) ignored it.
    """
    pages = {"/": f"{head}<a href='a'>a</a>"}
    # A script on a page without a target would have a browser draw it.
    with served(of_pages(pages), more="browser = 'never'") as (server, site):
        site.crawl(capfd)
    assert server.asked() == ["/", leads]


def test_d4_a_late_meta_refresh_is_followed(served, capfd):
    """D4: a meta refresh beyond the first 4,096 characters is a redirect; in a comment it is none.

    The peers (Scrapy, Crawlee, Scrapling) ignored it.
    """
    refresh = "<meta http-equiv=refresh content='0; url=/item/{}'>"
    pages = {
        "/": links("/moved", "/stays"),
        "/moved": late(refresh.format(1)),
        "/stays": late(f"<!-- {refresh.format(2)} -->") + "<p>here",
        "/item/1": item("one"),
        "/item/2": item("two"),
    }
    with served(of_pages(pages)) as (server, site):
        result = site.crawl(capfd)
        rows = site.by_path(server.url)
    assert result.code == 0, result.err
    assert rows["/moved"] == ("redirected", "OK")
    assert rows["/stays"] == ("fetched", "OK")
    assert [row["title"] for row in site.records()] == ["one"]
    assert Answer(pages["/moved"]).head_and_body().index(b"refresh") > 4096
