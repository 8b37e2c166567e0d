"""One URL, the whole story: a fake fetcher, plain strings."""

import re
from dataclasses import replace

import pytest

from tests.engine.web import HTML, Web, failed, moved
from winze.engine.site import Site
from winze.engine.visit import visit
from winze.extract.wrapper import Wrapper
from winze.judge.keywords import parse
from winze.judge.verifier import Verifier
from winze.model import ErrorCode, Kind, Request, Response, Status, Verdict
from winze.parse.html import Tree
from winze.urls.patterns import Pattern
from winze.urls.scope import Scope

URL = "http://shop.example/p/1"

BOOK = "<title>B</title><main class=b><h1>Sharp Objects</h1><p class=price>£4</p></main>"
BARE = "<title>B</title><main class=b><h1>Sharp Objects</h1><p class=x>sold</p></main>"
LIST = "<title>L</title><ul class=l><li><a href='/p/2'>Two</a><li><a href='/q'>Q</a></ul>"
OTHER = "<title>O</title><section class=o><p>About us and our shop</p></section>"

WRAPPER = Wrapper.from_json({"title": "h1", "price": ".price"})
TARGETS = (Pattern(r"http://shop\.example/p/[0-9]+", by="hand"),)
VERIFIER = Verifier(0.6, (Tree(BOOK).tag_paths(),))

PLAIN = Site("shop", Scope.around([URL]), wrapper=WRAPPER, required=("title",))
BY_URL = replace(PLAIN, targets=TARGETS, by_url=True)
BY_PAGE = replace(PLAIN, targets=TARGETS, verifier=VERIFIER)
BOTH = replace(BY_URL, verifier=VERIFIER)
SHARP = parse("sharp")


async def told(body: str, site: Site, *, url: str = URL, parent_weight: int = 0):
    return await visit(Request(url, 2, parent_weight), site, Web({url: body}))


@pytest.mark.parametrize(
    ("site", "url", "body", "kind", "reason"),
    [
        (BY_URL, URL, BOOK, Kind.TARGET, ""),
        (BY_URL, "http://shop.example/q", BOOK, Kind.OTHER, None),
        (BY_URL, URL, BARE, Kind.TARGET, ""),
        (BY_URL, URL, OTHER, Kind.TARGET, "title: missing"),
        (BOTH, URL, OTHER, Kind.OTHER, None),
        (BOTH, URL, BOOK, Kind.TARGET, ""),
        (BY_PAGE, "http://shop.example/q", BOOK, Kind.TARGET, ""),
        (BY_PAGE, URL, OTHER, Kind.OTHER, None),
        (BY_PAGE, "http://shop.example/", LIST, Kind.SOURCE, None),
        (replace(BY_PAGE, required=("price",)), URL, BARE, Kind.TARGET, "price: missing"),
        (PLAIN, URL, BOOK, Kind.TARGET, ""),
        (PLAIN, URL, OTHER, Kind.OTHER, None),
        (replace(PLAIN, wrapper=None), URL, BOOK, Kind.OTHER, None),
        (replace(PLAIN, keywords=SHARP), URL, BOOK, Kind.TARGET, ""),
        (replace(BY_URL, keywords=parse("blunt")), URL, BOOK, Kind.OTHER, None),
        (replace(PLAIN, keywords=SHARP, wrapper=None, required=()), URL, BOOK, Kind.TARGET, ""),
    ],
)
async def test_kind_and_quarantine(site, url, body, kind, reason):
    story = await told(body, site, url=url)
    assert story.kind is kind
    assert (story.record.reason if story.record else None) == reason
    expected = Verdict.RELEVANT if kind is Kind.TARGET else story.verdict
    assert story.verdict is expected
    assert story.page.status is Status.FETCHED


async def test_most_fields_absent_is_quarantine():
    wrapper = Wrapper.from_json({"title": "h1", "a": ".x", "b": ".y", "c": ".z"})
    story = await told(BOOK, replace(BY_URL, wrapper=wrapper))
    assert story.record.reason == "a, b, c: missing"
    assert story.page.error is ErrorCode.VALIDATE_ERROR
    assert story.record.fields["title"] == "Sharp Objects"


@pytest.mark.parametrize(
    ("keywords", "body", "verdict"),
    [
        (None, OTHER, Verdict.NOT_JUDGED),
        ("sharp", BOOK, Verdict.RELEVANT),
        ("blunt", BOOK, Verdict.IRRELEVANT),
        # A word in a link text is about another page.
        ("two", LIST, Verdict.IRRELEVANT),
    ],
)
async def test_verdicts(keywords, body, verdict):
    site = replace(PLAIN, keywords=parse(keywords) if keywords else None)
    assert (await told(body, site)).verdict is verdict


@pytest.mark.parametrize(
    ("body", "parent_weight", "weight"),
    [(BOOK, 3, 0), (LIST, 3, 0), (OTHER, 3, 4), (OTHER, 0, 1)],
)
async def test_weight_counts_pages_off_topic(body, parent_weight, weight):
    url = URL if body == BOOK else "http://shop.example/q"
    assert (await told(body, BY_URL, url=url, parent_weight=parent_weight)).weight == weight


@pytest.mark.parametrize(
    ("response", "status", "error"),
    [
        (failed(URL, ErrorCode.URL_404, 404), Status.GONE, ErrorCode.URL_404),
        (failed(URL, ErrorCode.HTTP_5XX, 500), Status.FETCH_ERROR, ErrorCode.HTTP_5XX),
        (failed(URL, ErrorCode.URL_TIME_OUT), Status.FETCH_ERROR, ErrorCode.URL_TIME_OUT),
        (failed(URL, ErrorCode.ROBOTS_DENIED), Status.EXCLUDED, ErrorCode.ROBOTS_DENIED),
        (failed(URL, ErrorCode.TOO_LARGE, 200), Status.FETCH_ERROR, ErrorCode.TOO_LARGE),
        (Response(URL, 304), Status.UNCHANGED, ErrorCode.OK),
        (Response(URL, 300), Status.FETCH_ERROR, ErrorCode.OTHER_ERROR),
        (moved(URL, "", 302), Status.FETCH_ERROR, ErrorCode.OTHER_ERROR),
        (moved(URL, "javascript:x"), Status.FETCH_ERROR, ErrorCode.OTHER_ERROR),
        (Response(URL, 200, HTML), Status.FETCHED, ErrorCode.OK),
    ],
)
async def test_a_bad_page_is_a_story_too(response, status, error):
    story = await visit(Request(URL, 1, 4), BY_URL, Web({URL: response}))
    assert (story.page.status, story.page.error) == (status, error)
    assert (story.kind, story.record, story.links) == (Kind.OTHER, None, ())
    assert story.weight == 5
    assert story.response is response


@pytest.mark.parametrize(
    ("response", "location"),
    [
        (moved(URL, "/new#x"), "http://shop.example/new"),
        (moved(URL, "//cdn.example/a", 307), "http://cdn.example/a"),
        (
            '<meta http-equiv="refresh" content="0; url=\'/new\'"><h1>Wait</h1>',
            "http://shop.example/new",
        ),
        ('<meta http-equiv="Refresh" content="30; /new"><h1>A</h1>', ""),
        ('<meta http-equiv="refresh" content="5; url=/p/1"><h1>A</h1>', ""),
    ],
)
async def test_redirects_come_back_as_they_are(response, location):
    story = await visit(Request(URL), BY_URL, Web({URL: response}))
    assert story.page.location == location
    assert (story.page.status is Status.REDIRECTED) == bool(location)
    assert not (location and story.record)


async def test_links_keep_what_the_order_learns_from():
    body = (
        "<base href='/shop/'><nav class=top><a href='a' rel='nofollow ugc'> A  b </a></nav>"
        "<a href='mailto:x@y'>M</a><a href='#top'>T</a><a href='a#2'>again</a>"
        "<img src='c.jpg'><a href='../c'><img alt='Cover'></a>"
    )
    first, second = (await told(body, PLAIN)).links
    assert (first.url, first.anchor, first.nofollow) == ("http://shop.example/shop/a", "A b", True)
    assert re.search(r"nav\.top>a$", first.tag_path)
    assert (second.url, second.anchor, second.nofollow) == (
        "http://shop.example/c",
        "Cover",
        False,
    )


async def test_evidence_is_kept():
    story = await told(BOOK + "<script>1</script>", replace(BOTH, keywords=SHARP))
    seen = story.evidence
    assert seen.similarity > 0.6
    assert (seen.keywords, seen.url_match, seen.scripts) == (True, True, 1)
    assert seen.text_length == len(story.page.text) > 0
