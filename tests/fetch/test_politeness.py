import math

import pytest

from winze.fetch.politeness import (
    FIRST_BACKOFF,
    MAX_BACKOFF,
    MAX_LATENCY_DELAY,
    MAX_RETRY_AFTER,
    RAISED_DELAY,
    RECOVERY,
    Politeness,
    retry_after,
)

A, B = "a.example", "b.example"


def test_a_host_is_asked_again_after_its_delay_and_others_at_once():
    politeness = Politeness(delay=2.0, delays={B: 5.0})
    politeness.start(A, now=100.0)
    politeness.finish(A, now=100.1)
    assert politeness.wait(A, now=100.5) == 1.5
    assert politeness.wait(A, now=102.0) == 0
    assert politeness.wait(B, now=100.5) == 0
    politeness.start(B, now=100.0)
    assert politeness.wait(B, now=101.0) == 4.0


def test_a_late_connection_moves_the_next_turn():
    politeness = Politeness(delay=1.0)
    politeness.start(A, now=0.0)
    politeness.sent(A, now=0.3)
    assert politeness.wait(A, now=1.0) == pytest.approx(0.3)


def test_nobody_follows_a_request_that_has_not_left_yet():
    politeness = Politeness(delay=1.0, concurrency=2)
    politeness.start(A, now=0.0)
    # A scheduler may choose the host: the gate holds the request for the moment that it takes.
    assert politeness.busy_hosts(now=1.0) == frozenset()
    assert politeness.is_full(A)
    politeness.sent(A, now=2.0)
    assert not politeness.is_full(A)
    politeness.start(A, now=3.0)
    politeness.finish(A, now=3.5, http_status=0)
    assert politeness.is_full(A)
    politeness.finish(A, now=3.6)
    assert not politeness.is_full(A)


def test_without_a_delay_nobody_waits_for_a_connection():
    politeness = Politeness(delay=0.0, concurrency=2)
    politeness.start(A, now=0.0)
    assert not politeness.is_full(A)


@pytest.mark.parametrize(("plan", "robots", "delay"), [(1.0, 5.0, 5.0), (5.0, 1.0, 5.0), (0, 2, 2)])
def test_the_larger_of_the_plans_delay_and_robots_holds(plan, robots, delay):
    politeness = Politeness(delay=plan)
    politeness.start(A, now=0.0)
    politeness.slow_down(A, robots)
    assert politeness.delay_of(A) == delay
    assert politeness.wait(A, now=0.0) == delay


@pytest.mark.parametrize("http_status", [429, 503])
@pytest.mark.parametrize("pause", [None, 3.0, 500.0])
def test_a_refusal_is_obeyed(http_status, pause):
    politeness = Politeness(delay=0.0)
    politeness.start(A, now=0.0)
    politeness.finish(A, now=1.0, http_status=http_status, retry_after=pause)
    assert politeness.wait(A, now=1.0) == (FIRST_BACKOFF if pause is None else pause)
    assert politeness.blocked_for(A, now=1.0) == politeness.wait(A, now=1.0)


def test_pauses_grow_with_refusals_in_a_row_up_to_a_limit():
    politeness = Politeness(delay=0.0)
    now, pauses = 0.0, []
    for _ in range(12):
        politeness.start(A, now)
        politeness.finish(A, now, http_status=503)
        pauses.append(politeness.blocked_for(A, now))
        now += pauses[-1]
    assert pauses[:4] == [FIRST_BACKOFF, 2 * FIRST_BACKOFF, 4 * FIRST_BACKOFF, 8 * FIRST_BACKOFF]
    assert pauses[-1] == MAX_BACKOFF


@pytest.mark.parametrize("delay", [0.0, 0.1, 1.0, 100.0])
def test_a_host_is_never_asked_faster_after_429(delay):
    politeness = Politeness(delay=delay)
    delays = [politeness.delay_of(A)]
    for now in range(8):
        politeness.start(A, now)
        politeness.finish(A, now, http_status=429)
        delays.append(politeness.delay_of(A))
    assert delays == sorted(delays)
    assert delays[1] >= min(max(2 * delay, RAISED_DELAY[0]), RAISED_DELAY[1])


@pytest.mark.parametrize("delay", [0.0, 1.0, 100.0])
def test_a_host_recovers_slowly_and_never_below_the_plan(delay):
    politeness = Politeness(delay=delay)
    for _ in range(3):
        politeness.start(A, 0)
        politeness.finish(A, 0, http_status=429)
    raised = politeness.delay_of(A)
    for _ in range(RECOVERY - 1):
        politeness.start(A, 0)
        politeness.finish(A, 0)
    assert politeness.delay_of(A) == raised
    for _ in range(10 * RECOVERY):
        politeness.start(A, 0)
        politeness.finish(A, 0)
    assert politeness.delay_of(A) == delay


def test_a_random_503_does_not_slow_the_pace_for_good():
    politeness = Politeness(delay=0.0)
    politeness.start(A, 0)
    politeness.finish(A, 0, http_status=503)
    assert politeness.delay_of(A) == 0


def test_a_scheduler_sees_who_is_busy_and_when_that_ends():
    politeness = Politeness(delay=1.0, concurrency=1)
    assert politeness.busy_hosts(now=0.0) == frozenset()
    assert politeness.wake_at(now=0.0) is None
    politeness.start(A, now=0.0)
    politeness.start(B, now=0.5)
    politeness.finish(B, now=0.6)
    assert politeness.busy_hosts(now=0.7) == {A, B}
    assert politeness.wake_at(now=0.7) == 1.5, "A waits for its answer, not for time"
    assert politeness.busy_hosts(now=1.6) == {A}
    assert politeness.wake_at(now=1.6) is None
    politeness.finish(A, now=1.7)
    assert politeness.busy_hosts(now=1.8) == frozenset()


def test_an_announced_host_is_busy_until_the_request_has_started():
    politeness = Politeness(delay=0.0, concurrency=2)
    politeness.announce(A)
    assert politeness.busy_hosts(now=0.0) == {A}
    politeness.withdraw(A)
    politeness.start(A, now=0.0)
    assert politeness.busy_hosts(now=0.0) == frozenset(), "one of two places is free"
    politeness.start(A, now=0.0)
    assert politeness.busy_hosts(now=0.0) == {A}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("3", 3.0),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 30.0),
        ("Wed, 21 Oct 2015 07:20:00 GMT", 0.0),
        ("Wednesday, 21-Oct-15 07:28:00 GMT", 30.0),
        ("Wed Oct 21 07:28:00 2015", 30.0),
        ("Wed, 21 Oct 2195 07:28:00 GMT", MAX_RETRY_AFTER),
        ("86401", MAX_RETRY_AFTER),
        ("9" * 400, MAX_RETRY_AFTER),
        ("-3", None),
        ("soon", None),
        ("", None),
        ("Wed, 99 Oct 2015 07:28:00 GMT", None),
    ],
)
def test_retry_after_in_both_forms(value, expected):
    found = retry_after(value, wall=1445412450.0)
    assert found == expected
    assert found is None or math.isfinite(found)


def ask(politeness, now, latency, http_status=200):
    politeness.start(A, now)
    politeness.finish(A, now + latency, http_status=http_status, latency=latency)


def test_a_slow_host_is_asked_less_often_and_a_fast_one_as_the_plan_says():
    politeness = Politeness(delay=1.0, latency_factor=2.0)
    ask(politeness, 0.0, latency=0.2)
    assert politeness.delay_of(A) == 1.0
    for now in range(60):
        ask(politeness, now, latency=4.0)
    assert politeness.delay_of(A) == pytest.approx(8.0, rel=0.01)
    for now in range(60):
        ask(politeness, now, latency=100.0)
    assert politeness.delay_of(A) == MAX_LATENCY_DELAY
    for now in range(100):
        ask(politeness, now, latency=0.1)
    assert politeness.delay_of(A) == 1.0, "it recovers when the host does"


def test_the_first_slow_answer_already_holds_for_the_next_turn():
    politeness = Politeness(delay=1.0, latency_factor=2.0)
    ask(politeness, 0.0, latency=3.0)
    assert politeness.wait(A, now=3.0) == 3.0


def test_latency_is_left_aside_where_the_plan_says_the_delay():
    politeness = Politeness(delay=0.0)
    ask(politeness, 0.0, latency=9.0)
    assert politeness.delay_of(A) == 0.0


@pytest.mark.parametrize("http_status", [0, 404, 429, 500, 503])
def test_quick_errors_make_nothing_faster_and_slow_ones_make_it_slower(http_status):
    politeness = Politeness(delay=0.0, latency_factor=2.0)
    for now in range(50):
        ask(politeness, now, latency=2.0)
    before = politeness.delay_of(A)
    for now in range(50):
        ask(politeness, now, 0.01, http_status)
    assert politeness.delay_of(A) >= before == pytest.approx(4.0)
    ask(politeness, 100.0, 60.0, http_status)
    assert politeness.delay_of(A) > before


def test_of_several_plans_the_gentlest_holds():
    politeness = Politeness(delay=0.0, concurrency=8)
    for delay, places in [(0.5, 4), (2.0, 8), (1.0, 2)]:
        politeness.slow_down(A, delay)
        politeness.narrow(A, places)
    assert politeness.delay_of(A) == 2.0
    politeness.start(A, 0.0)
    politeness.sent(A, 0.0)
    assert not politeness.is_full(A)
    politeness.start(A, 2.0)
    assert politeness.is_full(A)
    assert politeness.busy_hosts(now=9.0) == {A}
    assert politeness.delay_of(B) == 0.0
