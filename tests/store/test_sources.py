from dataclasses import replace

import pytest

from winze.store import runs
from winze.store.database import writing
from winze.store.sources import (
    MAX_URL,
    SourceRow,
    ask_again,
    count_sources,
    read_sources,
    write_sources,
)

FIRST = SourceRow("http://a.example/1.xml", entries=500, etag='"1"', read_at=10.0)
DONE = SourceRow("http://a.example/2.xml", 7, True, "", "Tue, 10 Jun 2003", 9.0)


def test_progress_is_kept_and_replaced(engine):
    with writing(engine) as connection:
        site = runs.site_id(connection, "shop")
        assert read_sources(connection, site) == []
        write_sources(connection, site, [DONE, FIRST])
        assert read_sources(connection, site) == [FIRST, DONE]
        further = replace(FIRST, entries=1000, done=True, etag='"2"', read_at=11.0)
        write_sources(connection, site, [further])
        assert read_sources(connection, site) == [further, DONE]


def test_sites_do_not_share_their_sources(engine):
    with writing(engine) as connection:
        one, other = runs.site_id(connection, "one"), runs.site_id(connection, "other")
        write_sources(connection, one, [FIRST])
        write_sources(connection, other, [replace(FIRST, entries=3)])
        assert read_sources(connection, one) == [FIRST]
        assert count_sources(connection, other) == (1, 3)


def test_progress_stands_with_its_transaction(engine):
    class BrokenError(Exception):
        pass

    with writing(engine) as connection:
        site = runs.site_id(connection, "shop")
    with pytest.raises(BrokenError), writing(engine) as connection:
        write_sources(connection, site, [FIRST])
        raise BrokenError
    with writing(engine) as connection:
        assert read_sources(connection, site) == []


def test_fresh_lets_all_be_asked_again_but_keeps_what_makes_it_cheap(engine):
    with writing(engine) as connection:
        site, other = runs.site_id(connection, "shop"), runs.site_id(connection, "other")
        write_sources(connection, site, [FIRST, DONE])
        write_sources(connection, other, [DONE])
        ask_again(connection, site)
        assert read_sources(connection, site) == [
            replace(FIRST, read_at=0.0),
            replace(DONE, read_at=0.0),
        ]
        assert read_sources(connection, other) == [DONE]


def test_sources_with_entries_are_counted(engine):
    with writing(engine) as connection:
        site = runs.site_id(connection, "shop")
        nothing = SourceRow("http://a.example/404.xml", done=True)
        more = replace(FIRST, url="http://a.example/3.xml", entries=20)
        write_sources(connection, site, [FIRST, DONE, nothing, more])
        assert count_sources(connection, site) == (3, 527)


def test_a_url_too_long_for_the_table_is_not_kept(engine):
    with writing(engine) as connection:
        site = runs.site_id(connection, "shop")
        fits = SourceRow("http://a.example/".ljust(MAX_URL, "x"))
        write_sources(connection, site, [fits, replace(fits, url=fits.url + "x")])
        assert read_sources(connection, site) == [fits]
