"""P1's URL clustering as written: similarity (eq. 1) and Algorithm 1 (GWC paper, 3.1.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapidfuzz.distance import Levenshtein

from winze.urls.shapes import split_url

#: Eq. 2 is lost; it depends on the number of parts m alone. 0.6 to 0.75 times the similarity of
#: two equal URLs works best in our trials.
ALPHA = 0.7


def similarity(one: Sequence[str], other: Sequence[str]) -> float:
    """Return P1's similarity of two paths with as many parts (eq. 1); 0 if they have not.

    >>> similarity(["a", "b"], ["a", "c"])  # 2 / (1 + 0) + 1 / (1 + 1)
    2.5
    """
    if len(one) != len(other):
        return 0.0
    m = len(one)
    return sum(
        (m - k) / (1 + Levenshtein.distance(a, b) / max(len(a), len(b), 1))
        for k, (a, b) in enumerate(zip(one, other, strict=True))
    )


def threshold(m: int, alpha: float = ALPHA) -> float:
    """Return the least mean similarity to a cluster of URLs with m parts (eq. 2, supposed)."""
    return alpha * m * (m + 1) / 2


def cluster(urls: Iterable[str], alpha: float = ALPHA) -> list[list[str]]:
    """Group URLs by Algorithm 1: each joins the first cluster it is similar to. Quadratic.

    >>> cluster(["http://s/p/12", "http://s/p/13", "http://s/help"])
    [['http://s/p/12', 'http://s/p/13'], ['http://s/help']]
    """
    clusters: list[tuple[str, list[str], list[tuple[str, ...]]]] = []
    for url in urls:
        host, path = (parts := split_url(url)).host, parts.path
        for cluster_host, members, paths in clusters:
            if cluster_host != host or len(paths[0]) != len(path):
                continue
            mean = sum(similarity(path, other) for other in paths) / len(paths)
            if mean >= threshold(len(path), alpha):
                members.append(url)
                paths.append(path)
                break
        else:
            clusters.append((host, [url], [path]))
    return [members for _, members, _ in clusters]
