"""A reader who follows every link of a site, without a network."""

from collections import deque
from urllib.parse import urljoin, urlsplit

from winze.demo.addresses import route_key
from winze.demo.site import Answer, ShopSite
from winze.parse.html import Tree

BASE = "http://shop.example"

#: Months around the first one that the reader looks at.
MONTHS = 3


def encoding_of(answer: Answer) -> str:
    head = answer.content_type + answer.body[:200].decode("ascii", "replace")
    return "gbk" if "charset=gbk" in head or 'charset="gb2312"' in head else "utf-8"


def tree_of(answer: Answer) -> Tree:
    return Tree(answer.body.decode(encoding_of(answer)))


def links_of(answer: Answer, path: str) -> list[str]:
    """Return the targets on the site that an answer leads to, as route keys."""
    if answer.location:
        return [_key(urljoin(BASE + path, answer.location))]
    if not answer.content_type.startswith("text/html"):
        return []
    tree = tree_of(answer)
    base = BASE + path
    for node in tree.select("base[href]"):
        base = node.attributes["href"]
    hrefs = [node.attributes["href"] for node in tree.select("a[href]")]
    hrefs += [
        node.attributes["content"].partition("url=")[2]
        for node in tree.select('meta[http-equiv="refresh"]')
    ]
    return [_key(urljoin(base, href)) for href in hrefs]


def walk(site: ShopSite) -> dict[str, Answer]:
    """Return all answers that links from the start page lead to; the calendar is cut short."""
    seen = {"/"}
    answers: dict[str, Answer] = {}
    queue = deque(["/"])
    while queue:
        path = queue.popleft()
        answers[path] = site.answer(path, base=BASE, session="0123456789abcdef" * 2)
        for target in links_of(answers[path], path):
            month = site.shop.addresses.calendar_month(target)
            far = month is not None and abs(month[0] * 12 + month[1] - 2026 * 12 - 12) > MONTHS
            if not far and target not in seen:
                seen.add(target)
                queue.append(target)
    return answers


def _key(url: str) -> str:
    parts = urlsplit(url)
    return route_key(f"{parts.path}?{parts.query}" if parts.query else parts.path)
