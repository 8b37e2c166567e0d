import numpy as np
import pytest

from winze.frontier.harvest import Harvest


def recorded(outcomes, score=None):
    harvest = Harvest()
    for is_target in outcomes:
        harvest.record(is_target=is_target, score=score)
    return harvest


def test_nothing_waits_nothing_comes():
    assert Harvest().expected(np.zeros(0)) == 0.0
    assert Harvest().expected(None, waiting=0) == 0.0
    assert Harvest().rate == 0.0


def test_the_best_hundred_count():
    scores = np.concatenate([np.full(60, 0.9), np.full(1000, 0.1)])
    assert Harvest().expected(scores) == pytest.approx(58.0)


def test_few_waiting_urls_give_few():
    assert Harvest().expected(np.full(3, 1.0)) == 3.0


def test_scores_that_promised_too_much_are_believed_less():
    scores = np.full(100, 0.5)
    assert recorded([False] * 100, score=0.5).expected(scores) < 1.0
    assert recorded([True] * 100, score=0.5).expected(scores) > 95


def test_without_scores_the_recent_rate_goes_on():
    harvest = recorded([True] * 500 + [False, True] * 50)
    assert harvest.rate == 0.5
    assert harvest.expected(None) == 50.0
    assert harvest.expected(None, waiting=10) == 5.0
