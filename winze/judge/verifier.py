"""Is this page a target? Its template against that of the example pages (design 6.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

#: A page's set of tag paths (parse.html.Tree.tag_paths).
TagPaths = frozenset[str]

#: The threshold lies between these shares of the examples' similarity to each other.
LEAST_SHARE, MOST_SHARE = 0.5, 0.9

#: Similarity supposed of two targets where only one example is known.
SUPPOSED_SIMILARITY = 0.9

#: Pages that are needed on either side before their distribution moves the threshold.
ENOUGH_PAGES = 5

#: Cuts this close to the best Youden's J count as equal and the widest gap wins: a target or two
#: of another URL form among the background must not push the threshold into the targets.
PARTING_SLACK = 0.05

#: A gap between similarities that parts two kinds of pages by itself.
CLEAR_GAP = 0.2

#: Share of the pages of the examples' URL form from which on they count as one template.
MOSTLY = 0.8

#: Least Youden's J at which pages of the examples' URL form are believed to be mostly targets.
LEAST_PARTING = 0.5


@dataclass(frozen=True, slots=True)
class Verifier:
    """Holds for pages whose template is near enough to an example's."""

    #: Least Jaccard similarity of tag paths with the nearest example, 0 to 1.
    threshold: float
    examples: tuple[TagPaths, ...]

    def similarity(self, paths: TagPaths) -> float:
        """Return the Jaccard similarity with the nearest example, 0 to 1.

        >>> Verifier(0.5, (frozenset("ab"),)).similarity(frozenset("bc"))
        0.3333333333333333
        """
        return max((jaccard(paths, example) for example in self.examples), default=0.0)

    def holds(self, paths: TagPaths) -> bool:
        """Is a page with these tag paths a target by its template?"""
        return self.similarity(paths) >= self.threshold


def jaccard(one: TagPaths, other: TagPaths) -> float:
    """Return the share of two sets' members that both have, 0 to 1; 0 for two empty sets."""
    common = len(one & other)
    union = len(one) + len(other) - common
    return common / union if union else 0.0


def learn_verifier(
    examples: Sequence[TagPaths],
    background: Collection[TagPaths],
    alike: Collection[TagPaths] = (),
) -> Verifier:
    """Choose the threshold from the gap between the examples and the background.

    `background`: other pages, most of them no targets, the start page at least. `alike`: pages
    whose URLs have the examples' form, if any are known; most of them are targets on most sites.
    Called again with more pages the threshold grows sharper. Raises ValueError without examples.

    >>> learn_verifier([frozenset("abcd"), frozenset("abce")], [frozenset("ax")]).threshold
    0.4
    """
    if not examples:
        raise ValueError("a verifier needs an example page")
    plain = Verifier(0.0, tuple(examples))
    pairs = [jaccard(one, other) for one, other in combinations(examples, 2)]
    mutual = min(pairs, default=SUPPOSED_SIMILARITY)
    least, most = LEAST_SHARE * mutual, MOST_SHARE * mutual
    others = sorted(plain.similarity(paths) for paths in background)
    kin = sorted(plain.similarity(paths) for paths in alike)
    threshold = _parting(kin, others, least, most)
    if threshold is None:
        threshold = _widest_gap([*kin, *others], mutual)
    if threshold is None:
        threshold = _down_to_stragglers(
            (mutual + (others[len(others) // 2] if others else 0.0)) / 2, kin
        )
    return Verifier(round(min(max(threshold, least), most), 4), plain.examples)


def _down_to_stragglers(threshold: float, alike: Sequence[float]) -> float:
    """Lower a threshold that most pages of the examples' URL form pass, so that nearly all do.

    With hardly a page of another form to compare with, they are one template's stragglers.
    """
    if len(alike) < 2 * ENOUGH_PAGES or _share(alike, threshold) < MOSTLY:
        return threshold
    return min(threshold, alike[len(alike) // 20])


def _widest_gap(similarities: Sequence[float], mutual: float) -> float | None:
    """Return the middle of the widest gap below the examples' own similarity; None if narrow.

    Targets crowd near the examples and the rest far below, whatever their URLs look like.
    """
    levels = sorted({mutual, *(one for one in similarities if one < mutual)})
    gaps = [(high - low, (high + low) / 2) for low, high in pairwise(levels)]
    width, middle = max(gaps, default=(0.0, 0.0))
    return middle if width >= CLEAR_GAP else None


def _parting(
    alike: Sequence[float], others: Sequence[float], least: float, most: float
) -> float | None:
    """Return the threshold that parts the two best, the middle if many do; None if none does.

    Youden's J: the share of `alike` at or above the threshold less that of `others`.
    """
    if min(len(alike), len(others)) < ENOUGH_PAGES:
        return None
    levels = sorted({least, most, *(s for s in (*alike, *others) if least <= s <= most)})
    cuts = [(low + high) / 2 for low, high in pairwise(levels)]
    if not cuts:
        return None
    gains = [_share(alike, cut) - _share(others, cut) for cut in cuts]
    best = max(gains)
    if best < LEAST_PARTING:
        return None
    widest = max(
        (high - low, low, high)
        for (low, high), gain in zip(pairwise(levels), gains, strict=True)
        if gain >= best - PARTING_SLACK
    )
    return (widest[1] + widest[2]) / 2


def _share(similarities: Sequence[float], threshold: float) -> float:
    return sum(similarity >= threshold for similarity in similarities) / len(similarities)
