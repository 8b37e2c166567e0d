"""`winze doctor`: what is there, what is missing, and how to get it."""

import json
import os
import sqlite3

import pytest

from tests.cli.command import winze, write_plan
from tests.cli.site import book_shop
from tests.plugin_package import install_example, winze_with
from winze.demo.server import ShopServer
from winze.fetch import chromium

PLAN = """
start = ["{url}/"]
examples = ["{url}/book/1", "{url}/book/2"]
{more}
[fields]
title = ["Book no. 1", "Book no. 2"]
"""


@pytest.fixture(scope="module")
def server():
    with ShopServer(book_shop(12)) as running:
        yield running


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    return install_example(tmp_path_factory.mktemp("example"))


@pytest.fixture
def site(server, tmp_path):
    def write(more=""):
        return write_plan(tmp_path / "books", PLAN.format(url=server.url, more=more))

    return write


def look(capfd, *arguments):
    """Exit code, and the findings by area and name."""
    result = winze(capfd, "doctor", "--json", *arguments)
    rows = [json.loads(line) for line in result.out.splitlines()]
    return result.code, {(row["area"], row["name"]): row for row in rows}


def test_without_a_plan_nothing_is_asked_or_made(capfd, server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = len(server.log)
    code, found = look(capfd)
    assert code == 0
    assert found["program", "winze"]["state"] == "ok"
    assert found["store", "database"]["detail"].startswith("none yet")
    assert found["plug-in", "score.learned"]["detail"].startswith("winze ")
    assert len(server.log) == before
    assert list(tmp_path.iterdir()) == []


def test_a_plan_is_asked_for_its_robots_txt_once(capfd, server, site):
    before = len(server.log)
    code, found = look(capfd, site())
    assert code == 0
    assert found["network", server.url]["detail"] == "HTTP 404"
    assert [hit.target for hit in server.log[before:]] == ["/robots.txt"]
    assert found["plan", "learned.json"]["detail"].startswith("none yet")


def test_a_host_that_does_not_answer_is_a_fault(capfd, tmp_path):
    path = write_plan(tmp_path / "books", 'start = ["http://127.0.0.1:1/"]\n')
    code, found = look(capfd, path)
    assert code == 3
    assert found["network", "http://127.0.0.1:1"]["state"] == "broken"
    assert "CONNECTION" in found["network", "http://127.0.0.1:1"]["detail"]


def test_the_browser_counts_when_the_plan_needs_it(capfd, site, monkeypatch):
    monkeypatch.setattr(chromium, "NAMES", ("no-such-browser",))
    for more, expected in [("", 0), ('browser = "always"', 3)]:
        code, found = look(capfd, site(more))
        assert code == expected
        assert found["browser", "chromium"]["state"] == "missing"
        assert "install" in found["browser", "chromium"]["remedy"]


def test_stores_that_cannot_be_used(capfd, site, tmp_path):
    junk = tmp_path / "junk.db"
    junk.write_text("this is no database, whatever its name says " * 9)
    newer = tmp_path / "newer.db"
    with sqlite3.connect(newer) as connection:
        connection.execute("create table alembic_version (version_num text)")
        connection.execute("insert into alembic_version values ('9999')")
    for address, said in [
        (junk, "file is not a database"),
        (newer, "newer"),
        ("postgresql://127.0.0.1:1/none", "127.0.0.1"),
        ("nosql://x", "not a database URL"),
    ]:
        code, found = look(capfd, site(), "--store", address)
        assert code == 3, address
        assert found["store", "database"]["state"] == "broken"
        assert said in found["store", "database"]["detail"]
    assert winze(capfd, "status", site(), "--store", newer).code == 1
    assert winze(capfd, "status", site(), "--store", junk).code == 1


def test_after_a_crawl_store_and_learned_are_told(capfd, site):
    path = site()
    assert winze(capfd, "crawl", path).code == 0
    code, found = look(capfd, path)
    assert code == 0
    assert found["store", "database"]["detail"] == "sqlite, schema 0003"
    assert found["plan", "learned.json"]["detail"] == "title"
    path.write_text(path.read_text() + 'price = ["£1", "£2"]\n')
    code, found = look(capfd, path)
    assert code == 3
    assert found["plan", "learned.json"]["detail"] == "does not know price"
    assert found["plan", "learned.json"]["remedy"] == "winze learn"
    (path.parent / "learned.json").write_text("{")
    assert look(capfd, path)[0] == 3


def test_plug_ins_of_others_are_listed_and_tried(example, site):
    result = winze_with(example, "doctor", site("[plugins]\nextract.missing = {}"))
    assert result.code == 3, "a plan that names what cannot be imported"
    assert "extract.missing" in next(line for line in result.out.splitlines() if "plugins" in line)
    result = winze_with(example, "doctor", site())
    assert result.code == 0, result.err
    lines = {line.split()[2].rstrip(":"): line for line in result.out.splitlines()}
    assert lines["fetch.diary"].startswith("ok      plug-in  fetch.diary: winze-example 0.3")
    assert lines["extract.missing"].startswith("broken")
    assert "uninstall winze-example" in lines["extract.missing"]
    assert lines["nonsense"].startswith("broken")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written(capfd, site):
    path = site()
    path.parent.chmod(0o555)
    assert look(capfd, path)[0] == 3
