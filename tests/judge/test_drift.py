"""Drift told from counts: what a redesign breaks is told, what was always so is not."""

import json
import random

import pytest

from winze.judge.drift import Tally, alarms


def tally(pages, value, *, typed=None):
    """Count pages whose one field has what `value(n)` gives."""
    found = Tally()
    for n in range(pages):
        found.add(f"/p/{n}", {"title": f"T{n}", "x": value(n)}, (typed or (lambda n: {}))(n))
    return found


def told(before, now, **options):
    return [(alarm.name, alarm.what) for alarm in alarms(before, now, **options)]


def price(n):
    return f"£{n}.50"


def some(share, seed=0):
    rng = random.Random(seed)
    return lambda n: price(n) if rng.random() < share else None


@pytest.mark.parametrize("pages", [5, 20, 1000])
def test_a_lost_field_is_told_with_its_first_page(pages):
    (alarm,) = alarms(tally(20, price), tally(pages, lambda n: None if n else ""))
    assert (alarm.name, alarm.what, alarm.before, alarm.now) == ("x", "found", 1.0, 0.0)
    assert (alarm.pages, alarm.url) == (pages, "/p/0")
    assert str(alarm) == f"x: found 0% after 100%, on {pages} pages; first /p/0"


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
def test_a_field_that_is_absent_on_some_pages_stays_so(share):
    before = tally(300, some(share))
    assert told(before, tally(300, some(share, seed=1))) == []
    assert told(before, tally(300, lambda n: None)) == [("x", "found")]


def test_chance_is_no_drift():
    false = 0
    for seed in range(400):
        rng = random.Random(seed)
        share, pages = rng.random(), rng.choice([5, 30, 200])
        false += bool(told(tally(100, some(share, seed)), tally(pages, some(share, -seed - 1))))
    assert false <= 2


def test_half_a_loss_is_told():
    assert told(tally(200, price), tally(200, some(0.5))) == [("x", "found")]
    assert told(tally(200, price), tally(200, some(0.5)), same_pages=False) == []
    assert told(tally(200, price), tally(200, lambda n: None), same_pages=False) == [("x", "found")]


def test_one_value_on_all_pages_is_told():
    assert told(tally(50, price), tally(50, lambda n: "£9.99")) == [("x", "different values")]
    # It was always one of two.
    assert told(tally(50, lambda n: "ab"[n % 2]), tally(50, lambda n: "ab"[n % 2])) == []


def test_values_of_another_type_are_told():
    fits = lambda n: {"x": 1}  # noqa: E731
    misfits = lambda n: {"x": None}  # noqa: E731
    before = tally(30, price, typed=fits)
    assert told(before, tally(30, lambda n: f"no. {n}", typed=misfits)) == [("x", "fit their type")]
    assert told(before, tally(30, price, typed=fits)) == []


def test_values_of_another_length_are_told():
    assert told(tally(30, price), tally(30, lambda n: price(n) * 9)) == [("x", "length")]
    assert told(tally(30, lambda n: price(n) * 9), tally(30, price)) == [("x", "length")]


def test_a_field_that_is_new_or_gone_from_the_plan_is_no_drift():
    before, now = Tally(), Tally()
    for _ in range(30):
        before.add("/", {"old": "a"}, {})
        now.add("/", {"new": None}, {})
    assert told(before, now) == []
    assert told(Tally(), now) == []


def test_counts_are_kept_and_joined():
    one, other = tally(20, price), tally(30, some(0.5))
    both = Tally.from_json(json.loads(json.dumps(one.joined(other).to_json())))
    assert both.pages == 50
    assert both.fields["x"].present == 20 + other.fields["x"].present
    assert told(both, one) == []
    with pytest.raises(TypeError):
        Tally.from_json({"x": {"unheard": 1}})
