import pytest

from winze.urls.equivalence import AGREEING, Equivalence
from winze.urls.families import Families

HOST = "http://shop.example"


def learned(*seen):
    """Learn from paths and what their pages show."""
    known = Equivalence(Families())
    for path, content in seen:
        known.note(HOST + path, hash(content))
    return known


def each(write, *, pages=AGREEING, visits=2):
    return [(write(page, visit), page) for page in range(pages) for visit in range(visits)]


def test_an_idle_parameter_is_set_to_what_works():
    known = learned(*each(lambda page, visit: f"/p?id={page}&sn={page}{visit}"))
    assert known.idle() == {"shop.example/p": {"sn": "31"}}
    assert known.canonical(f"{HOST}/p?id=9&sn=77&a=1") == f"{HOST}/p?id=9&sn=31&a=1"
    assert known.canonical(f"{HOST}/p?id=9") == f"{HOST}/p?id=9"
    assert known.canonical(f"{HOST}/q?sn=77") == f"{HOST}/q?sn=77"


def test_it_goes_if_the_page_was_the_same_without_it():
    known = learned(*each(lambda page, visit: f"/p?id={page}" + "&sn=5" * visit))
    assert known.canonical(f"{HOST}/p?sn=1&id=9") == f"{HOST}/p?id=9"
    assert known.canonical(f"{HOST}/p?sn=1") == f"{HOST}/p"


def test_ids_in_the_path_and_two_at_once():
    known = learned(*each(lambda page, visit: f"/p/{page};xs={page}{visit}/?k={page}{visit}"))
    assert known.idle() == {"shop.example/p/#": {";xs": "31", "k": "31"}}
    assert known.canonical(f"{HOST}/p/8;xs=1/?k=2") == f"{HOST}/p/8;xs=31/?k=31"


@pytest.mark.parametrize(
    "seen",
    [
        # One page fewer than is needed.
        each(lambda page, visit: f"/p?id={page}&sn={visit}", pages=AGREEING - 1),
        # "Not found" for every id: one content, however often.
        [(f"/p?id={n}", "not found") for n in range(50)],
        # The last pages of lists are alike, the first are not.
        [
            *each(lambda page, visit: f"/list?c={page}&page={90 + visit}"),
            ("/list?c=1&page=1", "first"),
            ("/list?c=1&page=2", "second"),
        ],
        # The page is another one without it.
        [
            *each(lambda page, visit: f"/p?id={page}&v={visit}"),
            ("/p?id=1", "without"),
        ],
        # Different pages of the same number of parameters.
        [(f"/p?id={n}&sn={n}", n) for n in range(50)],
        # One name twice: nobody knows what that means.
        each(lambda page, visit: f"/p?id={page}&c={visit}&c={visit + 7}"),
    ],
)
def test_what_matters_is_not_idle(seen):
    known = learned(*seen)
    assert known.idle() == {}
    for path, _ in seen:
        assert known.canonical(HOST + path) == HOST + path


def test_what_turns_out_to_matter_is_idle_no_more():
    known = learned(*each(lambda page, visit: f"/p?id={page}&sn={visit}"))
    assert known.idle()
    for number in range(2, 5):
        known.note(f"{HOST}/p?id=1&sn={number}", content=number * 1000)
    assert known.idle() == {}


def test_it_survives_a_restart_and_further_pages():
    known = learned(*each(lambda page, visit: f"/p?id={page}&sn={page}{visit}"))
    again = Equivalence(Families(), known.idle())
    again.note(f"{HOST}/p?id=7&sn=31", content=7)
    assert again.canonical(f"{HOST}/p?id=9&sn=77") == f"{HOST}/p?id=9&sn=31"


def test_memory_is_bounded():
    known = Equivalence(Families())
    for number in range(25_000):
        known.note(f"{HOST}/p/{number}?a={number}", content=number)
    held = [known._firsts, known._rests]
    assert all(len(one._new) + len(one._old) <= 20_000 for one in held)
