import subprocess
import sys
import time
from urllib.error import HTTPError
from urllib.request import urlopen

import aiohttp
import pytest

from winze.demo.server import ShopServer, Temper, serve
from winze.demo.shop import Shop
from winze.demo.slow import slow_site


async def test_a_running_loop_serves_the_shop():
    shop = Shop(seed=3, products=60)
    item = shop.wanted[0]
    async with serve(shop) as served, aiohttp.ClientSession() as client:
        async with client.get(served.url + shop.path(item)) as response:
            assert response.status == 200
            assert item.sku in await response.text()
        old = served.url + shop.addresses.old_item(item.number)
        async with client.get(old, allow_redirects=False) as response:
            assert (response.status, response.headers["Location"]) == (301, shop.path(item))
        assert [hit.status for hit in served.log] == [200, 301]
        assert served.hits(shop.addresses.disallowed) == []


def test_a_thread_serves_pages_with_fresh_sessions_and_a_log():
    shop = Shop(seed=3, products=60)
    with ShopServer(shop) as server:
        started = time.time()
        pages = {urlopen(server.url + shop.path(item)).read() for item in shop.wanted[:20] * 2}
        assert len(server.log) == 40
        assert all(abs(hit.time - started) < 30 for hit in server.log)
        assert len(pages) > 20, "some pages carry another session each time"
        urlopen(f"{server.url}{shop.addresses.disallowed}add?item=1").read()
        assert len(server.hits(shop.addresses.disallowed)) == 1
    with pytest.raises(OSError):
        urlopen(server.url)


def test_the_server_can_be_slow():
    with ShopServer(slow_site(3, delay=0.1), temper=Temper(delay=0.1)) as server:
        started = time.perf_counter()
        urlopen(server.url + "/item/1").read()
        assert time.perf_counter() - started >= 0.2


def test_a_share_of_paths_fails_once():
    with ShopServer(slow_site(40, delay=0), temper=Temper(faults=0.5)) as server:
        first = [_status(f"{server.url}/item/{number}") for number in range(1, 41)]
        second = [_status(f"{server.url}/item/{number}") for number in range(1, 41)]
    assert set(first) == {200, 503}
    assert set(second) == {200}


def test_a_taken_port_is_an_error():
    with (
        ShopServer(slow_site(1)) as server,
        pytest.raises(OSError),
        ShopServer(slow_site(1), port=int(server.url.rpartition(":")[2])),
    ):
        pass


def test_a_process_says_its_address_first():
    command = [sys.executable, "-m", "winze.demo.server", "--seed", "2", "--products", "60"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            assert url.startswith("http://127.0.0.1:")
            name = Shop(2, 60).theme.name.encode()
            assert name in urlopen(url + "/").read()
        finally:
            process.terminate()


def _status(url: str) -> int:
    try:
        with urlopen(url) as response:
            return int(response.status)
    except HTTPError as error:
        with error:
            return error.code
