import random

import numpy as np
import pytest

from winze.frontier.queue import (
    RESCORED_PER_FETCH,
    Candidate,
    FifoQueue,
    LearnedQueue,
    WeightQueue,
)


class ByRank:
    """A scorer whose only feature is the rank, with scores that may change."""

    width = 1

    def __init__(self):
        self.sign = 1.0
        self.rows = 0

    def features(self, candidate):
        return np.array([candidate.rank], dtype=np.int32)

    def scores(self, matrix):
        self.rows += len(matrix)
        return (self.sign * matrix[:, 0]).astype(np.float32)


def learned():
    return LearnedQueue(ByRank())


def drained(queue, busy=()):
    found = []
    while candidate := queue.pop(busy):
        found.append(candidate.url)
    return found


@pytest.mark.parametrize("make", [FifoQueue, WeightQueue, learned])
def test_what_went_in_comes_out_once(make):
    chance = random.Random(1)
    queue = make()
    urls = [f"http://h{chance.randrange(9)}/{n}" for n in range(3000)]
    out = []
    for url in urls:
        host = url[7:9]
        weight = int(host > "h4")
        queue.push(Candidate(url, host, rank=1 + chance.randrange(50), parent_weight=weight))
        if chance.random() < 0.5:
            out.append(queue.pop().url)
    assert len(queue) == len(urls) - len(out)
    assert sorted(out + drained(queue)) == sorted(urls)
    assert len(queue) == 0
    assert queue.pop() is None


@pytest.mark.parametrize("make", [FifoQueue, WeightQueue, learned])
def test_a_busy_host_is_stepped_over_and_keeps_its_turn(make):
    queue = make()
    for url, host in [("a1", "a"), ("a2", "a"), ("b1", "b")]:
        queue.push(Candidate(url, host, rank=1))
    assert queue.pop({"a"}).url == "b1"
    assert queue.pop({"a"}) is None
    assert queue.pop({"a", "b"}) is None
    assert len(queue) == 2
    assert drained(queue) == ["a1", "a2"]


def test_fifo_keeps_the_order_of_arrival():
    queue = FifoQueue()
    for n in range(20):
        queue.push(Candidate(str(n), f"h{n % 3}"))
    assert drained(queue) == [str(n) for n in range(20)]


def test_weight_takes_the_nearest_to_the_topic_first():
    queue = WeightQueue()
    for url, weight in [("far", 2), ("near", 0), ("mid", 1), ("near2", 0)]:
        queue.push(Candidate(url, "h", parent_weight=weight))
    assert drained(queue) == ["near", "near2", "mid", "far"]


def test_learned_takes_the_highest_score_and_ties_in_order_of_arrival():
    queue = learned()
    for url, rank in [("low", 1), ("high", 9), ("mid", 5), ("mid2", 5)]:
        queue.push(Candidate(url, "h", rank=rank))
    first = queue.pop()
    assert (first.url, first.score, first.features.tolist()) == ("high", 9.0, [9])
    assert drained(queue) == ["mid", "mid2", "low"]


def test_a_url_pushed_later_is_placed_by_its_score():
    queue = learned()
    for n in range(5 * RESCORED_PER_FETCH):  # so many that most pops do not score all anew
        queue.push(Candidate(f"old{n}", "h", rank=5))
    queue.pop()
    queue.push(Candidate("best", "h", rank=9))
    queue.push(Candidate("worst", "h", rank=1))
    assert queue.pop().url == "best"


def test_waiting_urls_are_scored_anew_when_the_model_has_learned():
    queue = learned()
    for n in range(1, 4 * RESCORED_PER_FETCH):
        queue.push(Candidate(str(n), "h", rank=n))
    assert int(queue.pop().url) == 4 * RESCORED_PER_FETCH - 1
    queue._scorer.sign = -1.0
    assert 1 in [int(queue.pop().url) for _ in range(8)]


def test_the_order_is_that_of_scoring_all_at_each_fetch_on_many_hosts():
    chance = random.Random(3)
    queue = learned()
    ranks = chance.sample(range(1, 10**6), 3000)
    for rank in ranks:
        queue.push(Candidate(str(rank), f"h{rank % 7}", rank=rank))
    assert drained(queue) == [str(rank) for rank in sorted(ranks, reverse=True)]


def test_scoring_costs_a_constant_number_of_rows_a_fetch():
    queue = learned()
    for n in range(20_000):
        queue.push(Candidate(str(n), "h", rank=1 + n))
    for _ in range(1000):
        queue.pop()
    assert queue._scorer.rows / 1000 < 2 * RESCORED_PER_FETCH


def test_another_link_gives_a_nameless_url_its_evidence():
    queue = learned()
    queue.push(Candidate("picture", "h", rank=1))
    queue.push(Candidate("named", "h", anchor="n", rank=5))
    assert set(queue.nameless) == {"picture"}
    assert not queue.renew(Candidate("picture", "h", rank=8))  # no anchor either
    assert not queue.renew(Candidate("named", "h", anchor="other", rank=8))
    assert queue.renew(Candidate("picture", "h", anchor="text", rank=9, parent="p"))
    assert not queue.renew(Candidate("picture", "h", anchor="again", rank=2))
    assert set(queue.nameless) == set()
    first = queue.pop()
    assert (first.url, first.anchor, first.parent, first.rank) == ("picture", "text", "p", 9)


def test_a_renewed_url_keeps_depth_validators_and_attempts():
    queue = learned()
    queue.push(Candidate("u", "h", depth=3, validators=("e", ""), attempts=2, rank=1))
    queue.renew(Candidate("u", "h", anchor="a", rank=2))
    found = queue.pop()
    assert (found.depth, found.validators, found.attempts) == (3, ("e", ""), 2)


def test_a_popped_url_may_come_back_for_a_retry():
    queue = learned()
    queue.push(Candidate("u", "h", rank=4))
    first = queue.pop()
    assert set(queue.nameless) == set()
    first.attempts += 1
    queue.push(first)
    again = queue.pop()
    assert (again.attempts, again.features.tolist()) == (1, [4])


def test_scores_and_candidates_of_what_waits():
    queue = learned()
    for rank in (3, 1, 2):
        queue.push(Candidate(str(rank), "h", rank=rank))
    queue.pop()
    assert sorted(queue.scores().tolist()) == [1.0, 2.0]
    assert sorted(one.url for one in queue.waiting()) == ["1", "2"]
