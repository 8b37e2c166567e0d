"""What the judges saw of a page, in words."""

from __future__ import annotations

from collections.abc import Iterator

from winze.engine.site import Site


def evidence_lines(
    site: Site, *, similarity: float | None, keywords: bool | None, url_match: bool | None
) -> Iterator[str]:
    """Yield a line for each judge: layout, keywords, URL.

    `similarity` is None or negative where the page was not compared.
    """
    if similarity is not None and similarity >= 0:
        yield f"layout: {similarity:.2f} like the examples{_threshold(site, similarity)}"
    if keywords is not None:
        yield f"keywords: {'they hold' if keywords else 'they do not hold'}"
    if url_match is not None:
        alone = "" if site.by_url else " (URLs alone do not decide on this site)"
        yield f"URL: {'has' if url_match else 'does not have'} a target's form{alone}"


def _threshold(site: Site, similarity: float) -> str:
    if site.verifier is None:
        return ""
    threshold = site.verifier.threshold
    return (
        f", {'enough' if similarity >= threshold else 'too little'}: {threshold:.2f} is the least"
    )
