"""Endless places: a URL form that breeds itself and earns nothing has a budget."""

from __future__ import annotations

from dataclasses import dataclass

#: Pages of one form that may earn nothing before the form is looked at.
BUDGET = 100

#: Share of a form's URLs that were found on pages of the same form, from which on it breeds itself.
BREEDING = 0.8


@dataclass(slots=True)
class _Form:
    found: int = 0
    bred: int = 0
    fetched: int = 0
    earned: int = 0


class TrapBudget:
    """Counts by URL form; a form is the shape of a URL as the caller writes it.

    >>> traps = TrapBudget(budget=2)
    >>> for month in range(3):
    ...     traps.found("/calendar/#", on="/calendar/#")
    ...     traps.fetched("/calendar/#", earned=False)
    >>> traps.is_trap("/calendar/#"), traps.is_trap("/p/#")
    (True, False)
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._budget = budget
        self._forms: dict[str, _Form] = {}

    def found(self, form: str, *, on: str) -> None:
        """Count a new URL of a form, found on a page of the form `on`."""
        entry = self._forms.setdefault(form, _Form())
        entry.found += 1
        entry.bred += form == on

    def fetched(self, form: str, *, earned: bool) -> None:
        """Count a fetched page; it earned if it was a target or led to another form."""
        entry = self._forms.setdefault(form, _Form())
        entry.fetched += 1
        entry.earned += earned

    def is_trap(self, form: str) -> bool:
        """Has the form spent its budget, earned nothing and bred itself?"""
        entry = self._forms.get(form)
        return (
            entry is not None
            and entry.fetched >= self._budget
            and entry.earned == 0
            and entry.bred >= BREEDING * entry.found
        )

    def traps(self) -> dict[str, int]:
        """Return the capped forms with how many pages each had."""
        return {form: seen.fetched for form, seen in self._forms.items() if self.is_trap(form)}
