import pytest

from winze.frontier.traps import BARREN, BUDGET, LEAST_BUDGET, EndlessPlaces, Gain

MONTH, DAY, LIST, ITEM = "/calendar/#/#", "/day/#", "/list", "/p/#"


def places(pages, gain=Gain.NOTHING, *, on=MONTH, family=MONTH, known=None):
    """Count pages of a family of which each led to one more, found on pages of `on`."""
    traps = known or EndlessPlaces(budget=30)
    for _ in range(pages):
        traps.found(family, on=on)
        traps.fetched(family, gain)
    return traps


@pytest.mark.parametrize(
    ("traps", "capped"),
    [
        (places(29), False),
        (places(30), True),
        (places(200), True),
        # Found on a list: the list is long, but it ends.
        (places(200, on=LIST), False),
        (places(5000, Gain.GOOD), False),
        (places(5000, Gain.NEW), False),
        (places(5000, Gain.OPEN), False),
        # Numbers alone: capped some day.
        (places(1400, Gain.THIN), False),
        (places(1600, Gain.THIN), True),
        # A target buys time.
        (places(29, known=places(1, Gain.GOOD, known=places(29))), False),
        (places(31, known=places(1, Gain.GOOD, known=places(29))), True),
        # The far end of a list that led to 40 good pages: numbers alone are no content there.
        (places(69, Gain.THIN, known=places(40, Gain.GOOD)), False),
        (places(71, Gain.THIN, known=places(40, Gain.GOOD)), True),
    ],
)
def test_a_family_is_capped_that_lives_on_itself_and_gains_nothing(traps, capped):
    assert traps.is_trap(MONTH) is capped
    assert bool(traps.traps()) is capped


@pytest.mark.parametrize(("every", "capped"), [(4, False), (7, True)])
def test_one_page_in_five_must_say_something_new(every, capped):
    traps = EndlessPlaces()
    for number in range(1000):
        traps.found(MONTH, on=MONTH)
        traps.fetched(MONTH, Gain.NOTHING if number % every else Gain.NEW)
    assert traps.is_trap(MONTH) is capped


def test_families_are_counted_apart():
    traps = places(30)
    assert not traps.is_trap(DAY)
    assert traps.traps() == {MONTH: 30}


def test_the_budget_is_spent_by_fetching_not_by_finding():
    traps = EndlessPlaces()
    for _ in range(10 * BUDGET):
        traps.found(MONTH, on=MONTH)
    assert not traps.is_trap(MONTH)


def test_days_and_months_breed_each_other():
    traps = EndlessPlaces()
    for _ in range(BUDGET + 10):
        traps.found(DAY, on=MONTH)
        traps.found(MONTH, on=DAY)
        traps.fetched(MONTH, traps.gain_of_link(DAY, on=MONTH))
        traps.fetched(DAY, traps.gain_of_link(MONTH, on=DAY))
    assert traps.is_trap(MONTH)
    assert traps.is_trap(DAY)


@pytest.mark.parametrize(
    ("pages", "gain", "worth"),
    [
        (0, Gain.NEW, Gain.OPEN),
        (4, Gain.NOTHING, Gain.OPEN),
        (5, Gain.NOTHING, Gain.NOTHING),
        (5, Gain.THIN, Gain.THIN),
        (1, Gain.NEW, Gain.GOOD),
        (5, Gain.GOOD, Gain.GOOD),
    ],
)
def test_a_link_is_worth_what_its_family_gains(pages, gain, worth):
    traps = places(pages, gain, family=ITEM, on=LIST)
    assert traps.gain_of_link(ITEM, on=LIST) is worth
    assert traps.gain_of_link(ITEM, on=ITEM) is Gain.NOTHING


def test_a_family_that_gained_once_is_worth_nothing_after_a_while():
    traps = places(int(BARREN), known=places(10, Gain.GOOD))
    assert traps.gain_of_link(MONTH, on=LIST) is Gain.NOTHING


def test_budgets_shrink_where_many_places_are_endless():
    traps = EndlessPlaces()
    fetched = []
    for number in range(40):
        family = f"/endless{number}/#"
        while not traps.is_trap(family):
            places(1, family=family, on=family, known=traps)
        fetched.append(traps.traps()[family])
    assert fetched[0] == BUDGET
    assert fetched == sorted(fetched, reverse=True)
    assert fetched[-1] == LEAST_BUDGET


def test_counts_survive_a_restart():
    traps = places(20, known=places(30, family=DAY, on=DAY))
    again = EndlessPlaces(budget=30)
    again.restore(traps.state())
    assert again.traps() == {DAY: 30}
    assert again.state() == traps.state()
    assert places(10, known=again).is_trap(MONTH)
