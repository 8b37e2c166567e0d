import dataclasses

import pytest

from winze.model import (
    ErrorCode,
    Evidence,
    Kind,
    Link,
    Page,
    Record,
    Request,
    Response,
    Status,
    Verdict,
    Visit,
)
from winze.store import records, runs
from winze.store.archive import Span
from winze.store.crawldb import MAX_ATTEMPTS, CrawlDb, NewUrl, Outcome
from winze.store.database import writing


def new_url(name: str, **values) -> NewUrl:
    link = Link(f"http://shop.example/{name}", anchor="川菜", tag_path="body>a", rank=2)
    return NewUrl(name.encode().ljust(16), link, "shop.example", bucket=7, **values)


def visited(name: str, status=Status.FETCHED, record=None, error=ErrorCode.OK, text="a") -> Outcome:
    url = f"http://shop.example/{name}"
    page = Page(url, status, error, 200, text=text, signature=text)
    response = Response(url, 200, body=b"x", fetched_at=5.0)
    visit = Visit(
        Request(url),
        page,
        Kind.TARGET if record else Kind.SOURCE,
        Verdict.RELEVANT,
        record=record,
        weight=1,
        evidence=Evidence(0.5, True, None),
        response=response,
    )
    return Outcome(name.encode().ljust(16), visit, span=Span("a.warc.gz", 0, 10))


def row(price: str, reason="") -> Record:
    return Record("http://shop.example/p", {"price": price, "reviews": ["好", "bad"]}, reason)


@pytest.fixture
def crawldb(engine):
    with writing(engine) as connection:
        return CrawlDb(runs.site_id(connection, "shop"), clock=lambda: 9.0)


def test_a_url_has_one_row(engine, crawldb):
    with writing(engine) as connection:
        crawldb.inject(connection, [new_url("a"), new_url("b"), new_url("a")])
        crawldb.inject(connection, [new_url("a", depth=9)])
        rows = list(crawldb.pending(connection))
    assert [(r.url, r.depth, r.anchor, r.rank) for r in rows] == [
        ("http://shop.example/a", 0, "川菜", 2),
        ("http://shop.example/b", 0, "川菜", 2),
    ]


def test_sites_do_not_share_rows(engine, crawldb):
    with writing(engine) as connection:
        other = CrawlDb(runs.site_id(connection, "other"))
        crawldb.inject(connection, [new_url("a")])
        other.inject(connection, [new_url("a"), new_url("b")])
        assert len(list(crawldb.keys(connection))) == 1
        assert len(list(other.keys(connection))) == 2


def test_a_visit_moves_its_row_and_brings_its_links(engine, crawldb):
    outcome = dataclasses.replace(visited("a"), new=(new_url("b", depth=1),), score=0.25)
    with writing(engine) as connection:
        crawldb.inject(connection, [new_url("a")])
        crawldb.commit(connection, [outcome])
        found = crawldb.find(connection, b"a".ljust(16))
        assert found is not None
        assert (found.status, found.verdict, found.weight) == (Status.FETCHED, Verdict.RELEVANT, 1)
        assert (found.score, found.similarity, found.keywords) == (0.25, 0.5, True)
        assert [r.url for r in crawldb.pending(connection)] == ["http://shop.example/b"]
        assert [r.url for r in crawldb.fetched(connection)] == ["http://shop.example/a"]
        assert crawldb.counts(connection) == {
            (Status.FETCHED, Kind.SOURCE, ErrorCode.OK): 1,
            (Status.DISCOVERED, Kind.OTHER, ErrorCode.OK): 1,
        }


def test_a_fetch_error_is_tried_again_but_not_for_ever(engine, crawldb):
    failed = visited("a", Status.FETCH_ERROR, error=ErrorCode.URL_TIME_OUT)
    with writing(engine) as connection:
        crawldb.inject(connection, [new_url("a")])
        crawldb.commit(connection, [failed])
        assert len(list(crawldb.pending(connection))) == 1
        crawldb.commit(connection, [dataclasses.replace(failed, attempts=MAX_ATTEMPTS)])
        assert not list(crawldb.pending(connection))


def test_reset_lets_everything_be_fetched_anew_and_loses_nothing(engine, crawldb):
    with writing(engine) as connection:
        crawldb.inject(connection, [new_url("a")])
        crawldb.commit(connection, [visited("a", record=row("5"))])
        refused = new_url("b", status=Status.EXCLUDED, error=ErrorCode.FILTER_ERROR)
        crawldb.inject(connection, [refused])
        assert crawldb.reset(connection) == 1
        assert len(list(crawldb.pending(connection))) == 1
        assert records.record_counts(connection, crawldb.site_id) == (1, 0)


def test_the_change_log_tells_of_each_change_once(engine, crawldb):
    def changes(since: int) -> list:
        found = records.changed_records(connection, crawldb.site_id, since)
        return [(r.seq, r.fields["price"], r.valid) for r in found]

    with writing(engine) as connection:
        crawldb.inject(connection, [new_url("a")])
        crawldb.commit(connection, [visited("a", record=row("5"))])
        ((first, price, valid),) = changes(0)
        assert (price, valid) == ("5", True)
        crawldb.commit(connection, [visited("a", record=row("5"))])
        assert changes(first) == []
        crawldb.commit(connection, [visited("a", record=row("6"))])
        crawldb.commit(connection, [visited("a", record=row("7", "title: missing"))])
        ((_, price, valid),) = changes(first)
        assert (price, valid) == ("7", False)
        assert records.record_counts(connection, crawldb.site_id) == (0, 1)


def test_a_page_that_gives_no_record_any_more_goes_to_quarantine(engine, crawldb):
    with writing(engine) as connection:
        crawldb.inject(connection, [new_url("a")])
        crawldb.commit(connection, [visited("a", record=row("5"))])
        crawldb.commit(connection, [visited("a")])
        (record,) = records.all_records(connection, crawldb.site_id)
    assert (record.valid, record.fields["reviews"]) == (False, ["好", "bad"])
    assert "no record any more" in record.reason


def test_a_page_has_one_row_a_version(engine, crawldb):
    with writing(engine) as connection:
        crawldb.inject(connection, [new_url("a")])
        crawldb.commit(connection, [visited("a", text="old")])
        moved = dataclasses.replace(visited("a", text="old"), span=Span("b.warc.gz", 4, 6))
        crawldb.commit(connection, [moved])
        spans = list(records.page_spans(connection, crawldb.site_id))
        assert spans == [(b"a".ljust(16), Span("b.warc.gz", 4, 6))]
        again = dataclasses.replace(visited("a", text="new"), span=Span("b.warc.gz", 10, 7))
        crawldb.commit(connection, [again])
        assert records.archive_ends(connection, crawldb.site_id) == {"b.warc.gz": 17}
