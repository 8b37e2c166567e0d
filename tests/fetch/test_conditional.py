"""Conditional requests: a copy that is still good is not sent again (RFC 9110, 13)."""

import pytest
from aiohttp import web

from winze.model import ErrorCode, Request

ETAG, DATE = '"v1-菜"', "Wed, 21 Oct 2015 07:28:00 GMT"


@pytest.mark.parametrize(
    ("validators", "sent"),
    [
        (("", ""), (None, None)),
        ((ETAG, ""), (ETAG, None)),
        (("", DATE), (None, DATE)),
        ((ETAG, DATE), (ETAG, DATE)),
    ],
)
async def test_a_page_that_did_not_change_comes_back_as_304(site, client, validators, sent):
    async def handler(request):
        if request.headers.get("If-None-Match") == ETAG:
            return web.Response(status=304, headers={"ETag": ETAG})
        return web.Response(text="<p>new", content_type="text/html", headers={"ETag": ETAG})

    site.routes["/p"] = handler
    async with client(obey_robots=False) as fetch:
        response = await fetch(Request(f"{site.url}/p", validators=validators))
        again = await fetch(Request(f"{site.url}/p"))
    headers = site.seen[0].headers
    assert (headers.get("If-None-Match"), headers.get("If-Modified-Since")) == sent
    expected = (304, b"") if sent[0] else (200, b"<p>new")
    assert (response.http_status, response.body) == expected
    assert response.error is ErrorCode.OK
    assert response.header("etag") == ETAG
    assert again.body == b"<p>new", "conditions belong to one request"


async def test_a_304_with_a_location_is_no_redirect(site, client):
    async def handler(_):
        return web.Response(status=304, headers={"Location": "/p"})

    site.routes["/p"] = handler
    async with client(obey_robots=False) as fetch:
        response = await fetch(Request(f"{site.url}/p", validators=("", DATE)))
    assert (response.http_status, response.error) == (304, ErrorCode.OK)
    assert len(site.log) == 1


async def test_a_validator_that_would_break_the_protocol_raises_nothing(site, client):
    async with client(obey_robots=False, retries=0) as fetch:
        response = await fetch(Request(f"{site.url}/p", validators=("a\r\nX: y", "")))
    assert response.error is ErrorCode.OTHER_ERROR
    assert site.log == []
