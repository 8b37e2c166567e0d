import pytest

from winze.frontier.traps import BUDGET, TrapBudget

MONTH, DAY, LIST = "/calendar/#/#", "/day/#", "/list"


def calendar(pages: int, *, earned: int = 0, bred: int | None = None) -> TrapBudget:
    """Count a form of which `bred` URLs were found on pages of the form itself."""
    traps = TrapBudget(budget=10)
    for number in range(pages):
        on = MONTH if number < (pages if bred is None else bred) else LIST
        traps.found(MONTH, on=on)
        traps.fetched(MONTH, earned=number < earned)
    return traps


@pytest.mark.parametrize(
    ("traps", "capped"),
    [
        (calendar(9), False),
        (calendar(10), True),
        (calendar(200), True),
        # One target, or one page that led elsewhere, is enough to go on.
        (calendar(200, earned=1), False),
        # Found on a list: the list is long, but it ends.
        (calendar(200, bred=0), False),
        (calendar(200, bred=150), False),
        (calendar(200, bred=160), True),
    ],
)
def test_a_form_is_capped_that_breeds_itself_and_earns_nothing(traps, capped):
    assert traps.is_trap(MONTH) is capped
    assert bool(traps.traps()) is capped


def test_forms_are_counted_apart():
    traps = calendar(10)
    assert not traps.is_trap(DAY)
    assert traps.traps() == {MONTH: 10}


def test_the_budget_is_spent_by_fetching_not_by_finding():
    traps = TrapBudget()
    for _ in range(10 * BUDGET):
        traps.found(MONTH, on=MONTH)
    assert not traps.is_trap(MONTH)
