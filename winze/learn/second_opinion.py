"""What pages without labels say about a path: does it find something there, and something new?

Also tried: lowering the confidence of paths that seldom agree with the vote on those pages. It
changed nothing on any of the 97 sites of bench.fields.
"""

from __future__ import annotations

from collections.abc import Sequence

from winze.extract.page_view import PageView
from winze.extract.value_types import fits
from winze.learn.page_index import quick_fold
from winze.learn.trials import Trial

#: Pages asked at most; more say the same again.
MAX_PAGES = 8

#: Pages it takes to weigh as much as the prior.
_ENOUGH = 4

#: Mark for finding nothing: the value may be absent there.
_NOTHING = 0.7

#: Mark for the only example's value: it may be the site's and not the page's.
_SAME = 0.7

#: Mark for a value that lacks the field's type.
_MISFIT = 0.0


def behaviour(trial: Trial, kind: str, pages: Sequence[PageView]) -> float:
    """Return how well a path behaves on pages without labels, 0 to 1.

    Best is another value than on the example, of the field's type. Few pages say little: as
    many as `_ENOUGH` are taken to be well.
    """
    known = {values[0] for values in trial.found if values} if len(trial.found) == 1 else set()
    marks = (_mark(next(trial.candidate.path.values(page), ""), kind, known) for page in pages)
    return (sum(marks) + _ENOUGH) / (len(pages) + _ENOUGH)


def _mark(value: str, kind: str, known: set[str]) -> float:
    if not value:
        return _NOTHING
    if not fits(kind, value):
        return _MISFIT
    return _SAME if quick_fold(value) in known else 1.0
