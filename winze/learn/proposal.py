"""Example pages proposed by the machine, for a plan that names none (P1, 3.1)."""

from __future__ import annotations

from collections.abc import Sequence

from winze.learn.url_filters import Observation
from winze.urls.clusters import cluster

#: Pages proposed: enough for the verifier to see what they share.
PROPOSED = 3


def propose_examples(observations: Sequence[Observation], entry_links: int) -> list[str]:
    """Return pages that look like targets, best first; empty if none does.

    P1's rule: of the pages that link to less than the entry page does by more than the mean, the
    largest class of URLs are the targets. `entry_links`: how many links the entry page has.
    Observations count as targets where the keywords held; without keywords all do.

    >>> pages = [Observation(f"http://s.example/p/{n}", True, ("x",)) for n in range(9)]
    >>> pages.append(Observation("http://s.example/list", True, tuple("abcdefgh")))
    >>> propose_examples(pages, entry_links=9)[0]
    'http://s.example/p/0'
    """
    if not observations:
        return []
    fewer = {seen.url: entry_links - len(seen.links) for seen in observations}
    mean = sum(fewer.values()) / len(fewer)
    likely = [seen.url for seen in observations if seen.is_target and fewer[seen.url] >= mean]
    if not likely:
        return []
    largest = max(cluster(likely), key=lambda found: len(found.members))
    members = set(largest.members)
    return [url for url in likely if url in members][:PROPOSED]
