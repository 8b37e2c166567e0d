"""D1 and its kind: whatever a server sends ends as a code in a row, and the crawl goes on."""

import ssl
import subprocess

import pytest

from tests.hard.bad_bytes import BAD, FETCHED, bomb
from tests.hard.crawls import measured_crawl, write_site
from tests.hard.server import NOT_FOUND, Answer, HostileServer, item, links, of_pages

#: Peak of a whole crawl (issue 3).
MEMORY = 300_000_000

#: Bad answers do not make each other wait; a slow one ends soon.
MORE = "scope = 'any'\nconcurrency = 8\ntimeout = 3"


@pytest.fixture(scope="session")
def self_signed(tmp_path_factory):
    """A certificate that nobody vouches for, made anew."""
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    request = ["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "2"]
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    files = ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run([*request, *names, *files], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    return context


@pytest.fixture
def closed_port():
    """The root of a server that is no more: connections are refused."""
    with HostileServer(of_pages({})) as gone:
        pass
    return gone.url


@pytest.mark.parametrize("coding", ["gzip", "br", "zstd"])
def test_d1_a_bomb_is_too_large_and_memory_stays_flat(coding, tmp_path):
    """D1: 300 MB in 0.9 MB of gzip or less: TOO_LARGE, and memory as if it were not there.

    The peers (Scrapy, Crawlee, Scrapling) took 3.0 to 4.3 GB of memory.
    """
    packed = Answer(bomb(coding), headers=(("Content-Encoding", coding),))
    pages = {"/": links("/bomb", "/item/1"), "/bomb": packed, "/item/1": item("one")}
    assert len(packed.body) < 1_500_000
    with HostileServer(of_pages(pages)) as server:
        site = write_site(tmp_path, server.url)
        result, peak = measured_crawl(site)
        rows = site.by_path(server.url)
    assert result.code == 0, result.err
    assert rows["/bomb"] == ("fetch_error", "TOO_LARGE")
    assert rows["/item/1"] == FETCHED
    assert peak < MEMORY, f"{peak / 1e6:.0f} MB"


def test_every_bad_answer_ends_as_a_code_in_a_row(self_signed, closed_port, tmp_path):
    """All kinds in one crawl, dead hosts besides: a row each, flat memory, and the last page."""
    elsewhere = {"http://nowhere.invalid/": "DNS", f"{closed_port}/": "CONNECTION"}

    def behave(hit):
        name = hit.target.rpartition("/")[2]
        if hit.target == "/":
            paths = [f"/item/{name}" for name in BAD]
            return Answer(links("/item/first", *elsewhere, *paths, "/after"))
        if hit.target.startswith("/item/") and name in BAD:
            return BAD[name].answer(hit)
        good = {
            "/after": links("/item/last"),
            "/item/first": item("first"),
            "/item/last": item("last"),
        }
        return Answer(good[hit.target]) if hit.target in good else NOT_FOUND

    with HostileServer(behave) as server, HostileServer(of_pages({}), tls=self_signed) as tls:
        elsewhere[f"{tls.url}/"] = "TLS"
        site = write_site(tmp_path, server.url, more=MORE)
        result, peak = measured_crawl(site, "--order", "bfs")
        rows = site.rows()
    assert peak < MEMORY, f"{peak / 1e6:.0f} MB"
    assert "Traceback" not in result.err
    assert "nothing is left to fetch" in result.err or "were given up" in result.err, result.err
    found = {name: rows.get(f"{server.url}/item/{name}") for name in BAD}
    assert found == {name: bad.row for name, bad in BAD.items()}
    assert {url: rows[url][1] for url in elsewhere} == elsewhere
    giving = {name for name, bad in BAD.items() if bad.gives} | {"first", "last"}
    records = {row["url"].rpartition("/")[2]: row["title"] for row in site.records()}
    assert records.keys() == giving
    assert records["last"] == "last"
