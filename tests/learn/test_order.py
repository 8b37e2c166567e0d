import io
import random

import numpy as np
import pytest

from winze.frontier.queue import Candidate, LearnedQueue
from winze.learn.order import LinkModel

ROOT = "http://s.example"


def item(n):
    return Candidate(
        f"{ROOT}/item/{n}.html", "s.example", anchor=f"Item {n}", tag_path="ul.list>li>a"
    )


def help_page(n):
    return Candidate(
        f"{ROOT}/help/{n}.html", "s.example", anchor=f"Help {n}", tag_path="div.foot>a"
    )


def listing(n):
    return Candidate(f"{ROOT}/list/{n}", "s.example", anchor=str(n), tag_path="div.pages>a")


def taught(seed=0):
    model = LinkModel(seed=seed)
    model.observe_example(item(1).url)
    for n in range(2, 20):
        model.observe_page(item(n), [], is_target=True)
        model.observe_page(help_page(n), [], is_target=False)
        model.observe_page(listing(n), [item(k) for k in range(50)], is_target=False)
    return model


def estimates(model, *candidates):
    likely = model.likelihoods(candidates)
    return [likely[one.url] for one in candidates]


def scores(model, *candidates):
    queue = LearnedQueue(model)
    for candidate in candidates:
        queue.push(candidate)
    return [queue.pop().url for _ in candidates]


def test_it_learns_what_targets_look_like():
    target, other, directory = estimates(taught(), item(99), help_page(99), listing(99))
    assert target > 0.8
    assert other < 0.3
    assert directory < 0.3


def test_a_directory_is_worth_more_than_a_dead_end():
    assert scores(taught(), help_page(99), listing(99), item(99))[-1] == help_page(99).url


def test_a_single_example_already_speaks():
    model = LinkModel()
    model.observe_example(item(1).url)
    target, other = estimates(model, item(2), help_page(2))
    assert target > other


def test_a_page_is_worth_its_best_links_but_pays_for_itself():
    model = taught()

    def value(count, others=0):
        links = [item(n) for n in range(100, 100 + count)] + [help_page(n) for n in range(others)]
        model.observe_page(Candidate(f"{ROOT}/x", ""), links, is_target=False)
        return model.page_value(links)

    assert model.page_value([]) == 0.0
    assert value(1) < 0.5
    assert value(1) < value(5) < value(50) <= 1.0
    assert value(50, others=50) == pytest.approx(value(50), abs=0.1)


def test_a_rare_keyword_lifts_a_link_and_a_common_one_does_not():
    def lift(share):
        model = LinkModel(["redis"])
        for n in range(40):
            page = Candidate(f"{ROOT}/{n}", "")
            model.observe_page(page, [], is_target=False, keywords=n < 40 * share)
        named, plain = estimates(
            model,
            Candidate(f"{ROOT}/a", "", anchor="Redis intro"),
            Candidate(f"{ROOT}/b", "", anchor="Cloud intro"),
        )
        return named / plain

    assert lift(0.05) > 1.5
    assert lift(1.0) == pytest.approx(1.0, abs=0.4)
    assert lift(0.05) > lift(0.5) > lift(1.0) * 0.9


def test_the_same_seed_gives_the_same_model():
    assert taught(seed=3).to_bytes() == taught(seed=3).to_bytes()
    assert estimates(taught(seed=3), item(9)) != estimates(taught(seed=4), item(9))


def test_a_restart_goes_on_where_it_was():
    model = taught()
    model.observe_page(item(3), [], is_target=True, keywords=True)
    back = LinkModel.from_bytes(model.to_bytes(), seed=0)
    some = [item(77), help_page(77), listing(77)]
    assert estimates(back, *some) == estimates(model, *some)
    assert back.to_bytes() == model.to_bytes()
    for n in range(30):  # it still learns, and still replays what it saw before the restart
        back.observe_page(help_page(500 + n), [], is_target=True)
    target, other = estimates(back, item(9), help_page(9))
    assert target > 0.5
    assert other > 0.4


def test_an_empty_model_survives_the_trip():
    back = LinkModel.from_bytes(LinkModel().to_bytes())
    assert estimates(back, item(1)) == [0.5]


def test_another_versions_state_is_refused(monkeypatch):
    monkeypatch.setattr("winze.learn.order._STATE_VERSION", 99)
    state = LinkModel().to_bytes()
    monkeypatch.undo()
    with pytest.raises(ValueError, match="link model of version 99"):
        LinkModel.from_bytes(state)


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr("winze.learn.order.MEMORY", 50)
    model = LinkModel()
    for n in range(200):
        model.observe(model.features(item(n)), target=1.0)
    with np.load(io.BytesIO(model.to_bytes())) as arrays:
        assert len(arrays["lengths"]) == len(arrays["labels"]) == 50


def test_on_a_small_site_it_finds_the_items_first():
    """Two listings of ten items among a hundred dead ends."""
    chance = random.Random(0)
    model = LinkModel()
    queue = LearnedQueue(model)
    model.observe_example(item(0).url)
    graph = {
        listing(1).url: [item(n) for n in range(1, 11)] + [listing(2)],
        listing(2).url: [item(n) for n in range(11, 21)],
    }
    start = [*(help_page(n) for n in range(100)), listing(1)]
    chance.shuffle(start)
    page = Candidate(f"{ROOT}/", "s.example")
    model.observe_page(page, start, is_target=False)
    for candidate in start:
        queue.push(candidate)
    found: list[int] = []
    fetched = 0
    while (candidate := queue.pop()) is not None:
        fetched += 1
        links = graph.get(candidate.url, [])
        is_target = "/item/" in candidate.url
        model.observe_page(candidate, links, is_target=is_target)
        for link in links:
            queue.push(link)
        if is_target:
            found.append(fetched)
    assert len(found) == 20
    assert found[-1] - found[0] <= 30
