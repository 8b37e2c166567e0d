"""P1's weight of a page: how far it lies from the last page on topic (GWC paper, 3.2)."""

from __future__ import annotations

from collections.abc import Collection

#: A lower threshold would not even follow the links of pages on topic.
LEAST_THRESHOLD = 1


def page_weight(parent: int, *, on_topic: bool, links_to_target: bool) -> int:
    """Return how many off-topic pages in a row end with this one.

    Tunnelling: GWC paper, eq. 3.

    >>> page_weight(2, on_topic=False, links_to_target=False)
    3
    >>> page_weight(2, on_topic=False, links_to_target=True)
    0
    """
    return 0 if on_topic or links_to_target else parent + 1


def follows_links(weight: int, *, threshold: int) -> bool:
    """Are the links of a page of this weight fetched? Only below the threshold (GWC paper, 3.2.1).

    A page's own weight is known once it was fetched, so the rule cuts what lies behind it.

    >>> follows_links(1, threshold=2), follows_links(2, threshold=2)
    (True, False)
    """
    return weight < threshold


def weight_threshold(weights: Collection[int]) -> int:
    """Return the threshold that a pre-crawl's page weights teach: their rounded mean (P1, 3.2.2).

    >>> weight_threshold([0, 1, 2, 3]), weight_threshold([])
    (2, 1)
    """
    if not weights:
        return LEAST_THRESHOLD
    return max(LEAST_THRESHOLD, int(sum(weights) / len(weights) + 0.5))
