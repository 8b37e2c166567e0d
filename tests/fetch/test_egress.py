"""The browser's way out, without a browser: what it lets through, and where to."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from tests.fetch.server import page, raw_server
from winze.fetch.egress import Egress, is_public
from winze.fetch.proxy_head import Place, place_of
from winze.model import ErrorCode


def own(*urls):
    places = {place_of(url) for url in urls}
    return lambda place: place in places


def names(**addresses):
    """A resolver that gives each name its addresses, one list a look-up, the last for ever."""
    asked = []

    async def resolve(place):
        asked.append(place.host)
        answers = addresses.get(place.host.partition(".")[0])
        if answers is None:
            raise OSError("no such name")
        return answers.pop(0) if len(answers) > 1 else answers[0]

    resolve.asked = asked
    return resolve


async def ask(egress, request, *more):
    """Send bytes to the proxy; return all that comes back."""
    port = int(egress.address.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request.encode())
    parts = []
    for text in more:
        parts.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(text.encode())
    parts.append(await reader.read())
    writer.close()
    return b"".join(parts).decode()


def get(url, *headers):
    lines = "".join(f"{line}\r\n" for line in (f"Host: {url.split('/')[2]}", *headers))
    return f"GET {url} HTTP/1.1\r\n{lines}\r\n"


def status(answer):
    return int(answer.split(" ", 2)[1])


@asynccontextmanager
async def upstream(answer=b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nup"):
    """A proxy behind ours, that answers everything itself; what it was asked."""
    heads = []

    async def talk(reader, writer):
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(answer)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", 0)
    async with server:
        yield f"http://me:p%40ss@127.0.0.1:{server.sockets[0].getsockname()[1]}", heads


async def test_the_pages_own_host_is_reached_and_keeps_its_path(site):
    site.routes["/a"] = page("<h1>own</h1>")
    async with Egress(is_own=own(site.url)) as egress:
        answer = await ask(egress, get(f"{site.url}/a?b=/c&d", "Proxy-Connection: keep-alive"))
    assert status(answer) == 200
    assert answer.endswith("<h1>own</h1>")
    assert site.paths() == ["/a?b=/c&d"]
    assert "Proxy-Connection" not in site.seen[0].headers


@pytest.mark.parametrize("method", ["GET", "CONNECT"])
async def test_private_places_are_refused_by_address_and_by_name(method, site):
    port = site.url.rpartition(":")[2]
    resolve = names(intranet=[["10.0.0.1"]], mixed=[["127.0.0.1", "::1", "fd00::1"]])
    for host in ("intranet.example", "mixed.example"):
        target = f"{host}:{port}" if method == "CONNECT" else f"http://{host}:{port}/"
        async with Egress(is_own=own(), resolve=resolve) as egress:
            answer = await ask(egress, f"{method} {target} HTTP/1.1\r\n\r\n")
            assert status(answer) == 403
            assert egress.fault(Place(host, int(port))) is ErrorCode.OUT_OF_SCOPE
    assert site.seen == []


async def test_a_name_that_changes_its_address_between_look_ups_gains_nothing(site):
    port = site.url.rpartition(":")[2]
    resolve = names(evil=[["127.0.0.1"]])
    async with Egress(is_own=own(), resolve=resolve) as egress:
        assert status(await ask(egress, get(f"http://evil.example:{port}/"))) == 403
    # One look-up, and the connection goes to the address that was judged.
    assert resolve.asked == ["evil.example"]
    assert site.seen == []


async def test_the_next_address_is_tried_when_one_does_not_answer(site):
    site.routes["/"] = page("<h1>own</h1>")
    port = site.url.rpartition(":")[2]
    url = f"http://own.example:{port}"
    resolve = names(own=[["::1", "127.0.0.1"]])
    async with Egress(is_own=own(url), resolve=resolve) as egress:
        assert status(await ask(egress, get(f"{url}/"))) == 200


async def test_faults_are_remembered_until_the_host_answers(site):
    site.routes["/"] = page("x")
    port = int(site.url.rpartition(":")[2])
    url = f"http://late.example:{port}"
    addresses = {}
    resolve = names(**addresses)

    async def late(place):
        if not addresses:
            return await resolve(place)
        return ["127.0.0.1"]

    async with Egress(is_own=own(url), resolve=late) as egress:
        assert status(await ask(egress, get(f"{url}/"))) == 502
        assert egress.fault(Place("late.example", port)) is ErrorCode.DNS
        addresses["late"] = True
        assert status(await ask(egress, get(f"{url}/"))) == 200
        assert egress.fault(Place("late.example", port)) is ErrorCode.OK


async def test_a_tunnel_carries_bytes_both_ways():
    async with raw_server(b"answer") as url:
        place = url.removeprefix("http://")
        async with Egress(is_own=own(url)) as egress:
            answer = await ask(egress, f"CONNECT {place} HTTP/1.1\r\n\r\n", "hello\r\n\r\n")
    assert answer == "HTTP/1.1 200 Connection established\r\n\r\nanswer"


async def test_an_endless_answer_is_cut_off():
    head = b"HTTP/1.1 200 OK\r\n\r\n"
    async with (
        raw_server(head + b"x" * 1_000_000) as url,
        Egress(is_own=own(url), max_bytes=300_000) as egress,
    ):
        answer = await ask(egress, get(f"{url}/"))
    assert len(head) < len(answer) <= 300_000


@pytest.mark.parametrize(
    "request_head",
    ["GET /no-host HTTP/1.1", "nonsense", "CONNECT :99999999 HTTP/1.1", "GET x://y z"],
)
async def test_what_no_browser_sends_is_a_bad_request(request_head):
    async with Egress(is_own=own()) as egress:
        assert status(await ask(egress, f"{request_head}\r\n\r\n")) == 400


async def test_another_server_is_asked_in_a_sites_place(site):
    site.routes["/a"] = page("<h1>there</h1>")
    mapped = {"http://shop.example": site.url}
    async with Egress(is_own=own("http://shop.example"), connect_to=mapped) as egress:
        answer = await ask(egress, get("http://shop.example/a"))
    assert answer.endswith("<h1>there</h1>")
    assert site.seen[0].headers["Host"] == "shop.example"


async def test_a_proxy_behind_gets_the_whole_address_and_its_password():
    resolve = names(shop=[["93.184.216.34"]], intranet=[["10.0.0.1"]])
    async with (
        upstream() as (url, heads),
        Egress(is_own=own(), proxy=url, resolve=resolve) as egress,
    ):
        answer = await ask(egress, get("http://shop.example/a"))
        assert answer.endswith("up")
        # A name that is known to the next proxy alone is that one's business.
        assert status(await ask(egress, get("http://elsewhere.example/"))) == 200
        assert status(await ask(egress, get("http://intranet.example/"))) == 403
        await ask(egress, "CONNECT shop.example:443 HTTP/1.1\r\n\r\n")
    assert [head.split("\r\n")[0] for head in heads] == [
        "GET http://shop.example/a HTTP/1.1",
        "GET http://elsewhere.example/ HTTP/1.1",
        "CONNECT shop.example:443 HTTP/1.1",
    ]
    assert all("Proxy-Authorization: Basic bWU6cEBzcw==" in head for head in heads)


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.216.34", True),
        ("2606:2800:220:1::1", True),
        ("127.0.0.1", False),
        ("0.0.0.0", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("224.0.0.1", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("::ffff:10.0.0.1", False),
    ],
)
def test_which_addresses_are_public(address, public):
    assert is_public(address) is public
