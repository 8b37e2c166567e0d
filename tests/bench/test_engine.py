"""The engine benchmark: its judge, and one run of ours over a small site."""

import shutil

import pytest

from bench.engine.__main__ import chosen
from bench.engine.engines import ENGINES, EngineName
from bench.engine.judge import bars, fault_of, row_of, table
from bench.engine.measure import Bench, Cost, run_once, truth
from bench.engine.serving import serving
from tests.services import missing

TRUE = frozenset({"http://h/", "http://h/a.html"})


def cost(cpu, *, pages=("http://h/", "http://h/a.html"), status=0):
    return Cost(pages, cpu, 100.0, status)


@pytest.mark.parametrize(
    ("pages", "status", "fault"),
    [
        (("http://h/", "http://h/a.html"), 0, ""),
        (("http://h/a.html", "http://h/"), 0, ""),
        (("http://h/", "http://h/a.html", "http://h/dead.html"), 0, ""),
        (("http://h/",), 0, "1 missing"),
        (("http://h/", "http://h/a.html", "http://h/"), 0, "1 doubled"),
        ((), -9, "ended with -9"),
    ],
)
def test_a_run_counts_only_when_it_found_each_page_once(pages, status, fault):
    assert fault_of(cost(1, pages=pages, status=status), TRUE) == fault


def test_one_wrong_run_spoils_the_row():
    row = row_of(EngineName.PLAIN, [cost(1), cost(3), cost(2, pages=("http://h/",))], TRUE)
    assert row.fault == "1 missing"
    assert (row.least, row.most, row.runs) == (500, 2000, 3)


def rows(**seconds):
    return {
        EngineName[name]: row_of(EngineName[name], [cost(s)], TRUE) for name, s in seconds.items()
    }


def missed(**seconds):
    shares = {EngineName.BARE: 0.02, EngineName.SHIPPED: 0.2}
    return [bar.name for bar in bars(rows(**seconds), shares) if not bar.met]


def test_our_rows_are_judged_alone_and_beside_their_peer():
    fast = {"BARE": 0.002, "SHIPPED": 0.006, "PLAIN": 0.002}
    assert missed(**fast) == ["Winze, as shipped: frontier's part"]
    assert missed(**fast, SCRAPY_TUNED=0.0045, SCRAPY=0.02)[0] == (
        "as shipped: part of Scrapy, as documented"
    )
    assert missed(**(fast | {"BARE": 0.003}))[0] == "bare: CPU s for 1,000 pages"


def test_the_table_tells_what_is_wrong():
    found = rows(BARE=0.002, SHIPPED=0.006, PLAIN=0.001)
    found[EngineName.SCRAPY] = row_of(EngineName.SCRAPY, [cost(1, status=3)], TRUE)
    lines = table(list(found.values()), bars(found, {})).splitlines()
    assert lines[1].split()[:5] == ["Winze,", "bare", "1.00", "1.00-1.00", "2.00x"]
    assert lines[4].endswith("WRONG: ended with 3")
    assert not any(line.startswith("MISSED as shipped: CPU") for line in lines)


def test_named_engines_come_with_those_that_the_bars_need():
    names = [engine.name for engine in chosen(["tuned"], extra=False)]
    assert names == [
        EngineName.BARE,
        EngineName.SHIPPED,
        EngineName.PLAIN,
        EngineName.SCRAPY_TUNED,
    ]
    assert {engine.name for engine in chosen(None, extra=True)} == set(EngineName)


def test_ours_finds_a_small_site_whole(tmp_path):
    if shutil.which("nginx") is None:
        missing("nginx")
    site = tmp_path / "site"
    (site / "d").mkdir(parents=True)
    links = "".join(f'<a href="/d/{n}.html">{n}</a>' for n in range(5))
    (site / "index.html").write_text(f"<title>Start</title>{links}<a href=/dead.html>x</a>")
    (site / "robots.txt").write_text("User-agent: *\nDisallow: /private/\n")
    for number in range(5):
        page = f"<title>No. {number}</title><a href=/private/x.html>p</a><p>{'word ' * number}"
        (site / "d" / f"{number}.html").write_text(page)
    with serving(site, tmp_path) as base:
        bench = Bench(tmp_path, tmp_path, base)
        found = run_once(ENGINES[0], bench)
    log = (tmp_path / "engine.log").read_text()
    pages = {f"{base}/index.html", *(f"{base}/d/{number}.html" for number in range(5))}
    assert (found.status, set(found.pages)) == (0, pages), log
    assert truth([*pages, f"{base}/dead.html"], bench) == pages
    assert found.cpu > 0.1
    assert found.peak > 20
