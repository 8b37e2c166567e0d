import pytest

from tests.engine import endless_webs as webs
from tests.engine.endless_webs import ROOT, case_b1, case_b2, server, shop, words
from tests.engine.guard_loop import travel
from winze.engine.guard import Guard
from winze.engine.site import Site
from winze.frontier.queue import Candidate
from winze.model import ErrorCode, Kind, Page, Request, Status, Visit
from winze.urls.patterns import Pattern
from winze.urls.scope import Scope


def site(**known):
    return Site("shop", Scope.around([f"{ROOT}/"], reach="host"), **known)


def pages_of(trip, part):
    return len({url for url in trip.asked if part in url})


def test_b1_all_real_pages_and_the_two_capped_shapes_named():
    """Hard case B1: Scrapy, Crawlee and Scrapling reached 41 to 239 of the 440 pages."""
    trip = travel(site(), f"{ROOT}/", case_b1(), limit=2000)
    assert pages_of(trip, "/n/") == 440
    assert not trip.was_stopped
    assert sorted(trip.guard.report.traps) == ["shop.example/facet?*", "shop.example/trap/#/#?d"]
    assert trip.waiting < 2000


@pytest.mark.parametrize(
    ("names", "asked"), [(("jsessionid", "PHPSESSID"), 20), (("xsid", "SESSKEY"), 45)]
)
def test_b2_session_ids_cost_no_page_twice(names, asked):
    """Hard case B2: Crawlee and Scrapling made 1,008 fetches and 1,008 items of 20 pages."""
    trip = travel(site(), f"{ROOT}/sess/0", case_b2(*names), limit=1000)
    assert len({url.partition(";")[0] for url in trip.asked}) == 20
    assert len(trip.asked) <= asked


def test_learned_parameters_are_named_and_survive_a_restart():
    trip = travel(site(), f"{ROOT}/sess/0", case_b2("xsid", "SESSKEY"), limit=1000)
    assert trip.guard.report.idle == {"shop.example/sess/#": (";xsid", "SESSKEY")}
    again = Guard.from_bytes(site(), trip.guard.to_bytes())
    known = {again.canonical(f"{ROOT}/sess/7;xsid={n}?SESSKEY={n}") for n in range(5)}
    assert len(known) == 1
    assert again.alias_of(known.pop()) is None


@pytest.mark.parametrize(
    ("pages", "real", "count", "capped"),
    [
        (webs.days_and_months, "/news/", 60, "/cal/"),
        (webs.filters, "/p/", 40, "/list"),
        (webs.loops, "/real/", 20, "/b/"),
    ],
)
def test_endless_places_are_capped_and_the_rest_is_fetched(pages, real, count, capped):
    trip = travel(site(), f"{ROOT}/", server(pages), limit=2000)
    assert pages_of(trip, real) == count
    assert not trip.was_stopped
    assert any(capped in shape for shape in trip.guard.report.traps)
    assert len(trip.asked) < 1000


@pytest.mark.parametrize(
    "text", [lambda number: f"<p>{words(number, 40)}</p>", lambda number: f"<p>{number} EUR</p>"]
)
def test_a_large_shop_is_fetched_whole_whatever_its_products_say(text):
    trip = travel(site(), f"{ROOT}/", shop(3000, 10, text), limit=10_000)
    assert pages_of(trip, "/p/") == 3000
    assert pages_of(trip, "/list") == 300
    assert not trip.refused
    assert not trip.guard.report.traps


def test_an_archive_by_date_and_a_forum_are_fetched_whole():
    trip = travel(site(), f"{ROOT}/", server(webs.archive), limit=10_000)
    assert pages_of(trip, "-story") == 24 * 28
    assert pages_of(trip, "tid=") == 400
    assert not trip.guard.report.traps


def settle(guard, path, text, kind=Kind.OTHER):
    page = Page(f"{ROOT}{path}", Status.FETCHED, http_status=200, text=text, signature=text)
    candidate = Candidate(page.url, "shop.example", 1, f"{ROOT}/")
    return guard.settle(candidate, Visit(Request(page.url), page, kind), [])


def endless_calendar(path, query, parts):
    month = int(path.split("/")[2] or 1)
    return "<p>A month.</p>" + webs.links(f"/calendar/{month + 1}", f"/calendar/{month + 2}")


def test_a_target_in_a_capped_place_is_not_refused():
    targets = (Pattern(r"http://shop\.example/calendar/7000"),)
    trip = travel(site(targets=targets), f"{ROOT}/calendar/1", server(endless_calendar), limit=500)
    assert trip.guard.refuses(f"{ROOT}/calendar/6999") is ErrorCode.TRAP
    assert trip.guard.refuses(f"{ROOT}/calendar/7000") is ErrorCode.OK


def test_a_target_pattern_that_fits_an_endless_place_does_not_keep_it_open():
    targets = (Pattern(r"http://shop\.example/calendar/[0-9]+"),)
    trip = travel(site(targets=targets), f"{ROOT}/calendar/1", server(endless_calendar), limit=2000)
    assert not trip.was_stopped
    assert len(trip.asked) < 800


def test_capped_shapes_survive_a_restart():
    trip = travel(site(), f"{ROOT}/", case_b1(), limit=2000)
    data = trip.guard.to_bytes()
    again = Guard.from_bytes(site(), data)
    assert again.report.traps == trip.guard.report.traps
    assert again.report.duplicates == 0, "each run counts its own"
    assert again.refuses(f"{ROOT}/trap/2031/7?d=3") is ErrorCode.TRAP
    assert again.refuses(f"{ROOT}/facet?c77=1&c=2") is ErrorCode.TRAP
    assert again.refuses(f"{ROOT}/n/17") is ErrorCode.OK
    assert len(data) < 5000


def test_what_is_no_state_is_refused():
    with pytest.raises(ValueError):
        Guard.from_bytes(site(), b'{"version": 2}')


def test_equal_and_nearly_equal_pages_are_counted():
    guard = Guard(site())
    long = words("long", 300)
    first, same, nearly, other = (
        settle(guard, path, text)
        for path, text in (
            ("/a", long),
            ("/b", long),
            ("/c", f"{long} 12:30"),
            ("/d", words("other", 300)),
        )
    )
    assert (first.duplicate, first.near_duplicate) == (False, False)
    assert (same.duplicate, same.near_duplicate) == (True, False)
    assert (nearly.duplicate, nearly.near_duplicate) == (False, True)
    assert (other.duplicate, other.near_duplicate) == (False, False)
    assert (guard.report.duplicates, guard.report.near_duplicates) == (1, 1)
    assert first.simhash == same.simhash == nearly.simhash != other.simhash
    assert -(2**63) <= other.simhash < 2**63
    assert settle(guard, "/e", "short").simhash is None


def test_soft_404_is_told_by_the_answer_to_a_made_up_url():
    def pages(path, query, parts):
        if path == "/":
            return webs.links(*(f"/p/{n}" for n in range(30)))
        number = path.split("/")[2] if path.startswith("/p/") else ""
        if number.isdigit() and int(number) < 25:
            return f"<h1>Item {number}</h1><p>{words(path, 40)}</p>"
        return f"<title>Shop</title><p>Sorry, there is no {path} in our shop any more.</p>"

    trip = travel(site(), f"{ROOT}/", server(pages), limit=100)
    gone = [one.page for one in trip.stories if one.page.error is ErrorCode.SOFT_404]
    # The first of them made the guard ask; the answer tells of it, too.
    assert trip.late == [f"{ROOT}/p/25"]
    assert [page.url for page in gone] == [f"{ROOT}/p/{n}" for n in range(26, 30)]
    assert {page.status for page in gone} == {Status.GONE}
    assert trip.guard.report.soft_404 == 5
    assert len(trip.made_up) == 1


def test_a_host_without_suspicious_pages_is_asked_for_no_made_up_url():
    trip = travel(site(), f"{ROOT}/", shop(200, 10, lambda number: words(number, 9)), limit=1000)
    assert len(trip.asked) == 221
    assert trip.made_up == []


def test_a_site_that_answers_everything_alike_has_no_soft_404():
    trip = travel(
        site(),
        f"{ROOT}/",
        server(lambda path, query, parts: "<p>Please wait</p>" + webs.links("/a/1", "/a/2")),
        limit=50,
    )
    assert {one.page.status for one in trip.stories} == {Status.FETCHED}
    assert len(trip.asked) == 3
