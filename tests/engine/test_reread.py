"""Reading the archive again, as far as the command line does not show it."""

import json

import pytest
from sqlalchemy import select

from tests.engine.web import Web, crawl, links, write_site
from winze.engine.reread import reread
from winze.engine.workspace import open_site
from winze.plan import load_plan
from winze.store import schema
from winze.store.records import all_records

PAGES = 40


@pytest.fixture
async def path(tmp_path):
    """A site of pages with a heading each, crawled."""
    pages = {"http://shop.example/": links(*(f"/{n}" for n in range(1, PAGES)))}
    for n in range(1, PAGES):
        pages[f"http://shop.example/{n}"] = f"<h1>old {n}</h1><h2>new {n}</h2>"
    path = write_site(tmp_path / "shop")
    await crawl(path, Web(pages))
    return path


def titles(store):
    with store.read() as connection:
        return {record.fields["title"] for record in all_records(connection, store.site_id)}


def test_an_interruption_keeps_whole_batches_and_the_next_run_does_the_rest(path):
    (path.parent / "learned.json").write_text('{"title": "h2"}', "utf-8")

    def interrupt(report):
        raise KeyboardInterrupt

    with open_site(load_plan(path)) as store:
        assert titles(store) == {f"old {n}" for n in range(1, PAGES)}
        with pytest.raises(KeyboardInterrupt):
            reread(load_plan(path), store, watch=interrupt)
        half = titles(store)
        assert {title.split()[0] for title in half} == {"old", "new"}
        with store.read() as connection:
            assert connection.execute(select(schema.lease)).first() is None
            query = select(schema.run.c.stop_reason).order_by(schema.run.c.id.desc())
            assert connection.execute(query).scalars().first() == "interrupted"
        done = reread(load_plan(path), store)
        assert titles(store) == {f"new {n}" for n in range(1, PAGES)}
    assert done.report.pages == PAGES
    assert done.changed == sum(title.startswith("old") for title in half)


def test_the_report_grows_batch_by_batch(path):
    seen = []
    with open_site(load_plan(path)) as store:
        reread(
            load_plan(path),
            store,
            watch=lambda report: seen.append((report.pages, report.waiting)),
        )
    assert seen == [(16, 24), (32, 8), (40, 0)]


def test_a_new_file_stays_the_old_one_until_all_is_read(path, tmp_path):
    table = tmp_path / "table.jsonl"
    table.write_text("before\n", "utf-8")
    seen = []
    with open_site(load_plan(path)) as store:
        reread(
            load_plan(path),
            store,
            output=str(table),
            anew=True,
            watch=lambda report: seen.append(table.read_text("utf-8")),
        )
    assert seen == ["before\n"] * 3
    assert len([json.loads(line) for line in table.read_text("utf-8").splitlines()]) == PAGES - 1
