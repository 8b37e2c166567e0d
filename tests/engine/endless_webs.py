"""Sites with endless and with merely large places, as functions from a path to a page's body."""

import random
import re
from urllib.parse import parse_qsl, urlsplit

from winze.model import ErrorCode, Response

HTML = (("content-type", "text/html; charset=utf-8"),)
ROOT = "http://shop.example"

_WORDS = (
    *("oak", "elm", "lamp", "chair", "table", "bowl", "spoon", "vase"),
    *("clock", "shelf", "linen", "wool", "copper", "glass", "slate", "cedar"),
)


def words(seed, count):
    """Return text that no other seed gives."""
    rng = random.Random(str(seed))
    letters = "abcdefghijklmnopqrstuvwxyz"
    made = ("".join(rng.choices(letters, k=rng.randint(3, 9))) for _ in range(count))
    return " ".join(made)


def links(*hrefs):
    return "".join(f"<a href='{href}'>{href.rpartition('/')[2]}</a> " for href in hrefs)


def server(pages):
    """Return what answers a URL: the body that a function gives for path and query, else 404."""

    def answer(url):
        parts = urlsplit(url)
        try:
            body = pages(parts.path, dict(parse_qsl(parts.query)), parts)
        except (ValueError, IndexError):
            return Response(url, 0, (), b"", ErrorCode.CONNECTION)
        if body is None:
            return Response(url, 404, (), b"", ErrorCode.URL_404)
        return Response(url, 200, HTML, f"<html><body>{body}".encode(), fetched_at=1.0)

    return answer


def case_b1(seed=1):
    """Hard case B1: 440 real pages in chains, a calendar on each, filters drawn by chance."""
    rng = random.Random(seed)

    def pages(path, query, parts):
        if path == "/":
            return links(*(f"/n/{i}" for i in range(40)), "/trap/2024/1?d=1", "/facet?c=red")
        if path.startswith("/n/"):
            i = int(path.split("/")[2])
            more = links(f"/n/{i + 40}", f"/trap/2024/1?d={i}") if i < 400 else ""
            return f"<h1 class=t>real {i}</h1>{more}" if i < 440 else None
        if path.startswith("/trap/"):
            year, month = map(int, path.split("/")[2:])
            further = (year, month + 1) if month < 12 else (year + 1, 1)
            days = (f"/trap/{year}/{month}?d={day}" for day in range(1, 29))
            return f"<p>calendar {year}-{month}</p>" + links(
                *days, "/trap/{}/{}?d=1".format(*further)
            )
        if path == "/facet":
            more = (f"/facet?{parts.query}&c{j}={rng.randint(0, 9)}" for j in range(5))
            return "".join(f"<a href='{href}'>f</a>" for href in more)
        return None

    return server(pages)


def case_b2(in_path, in_query, count=20, seed=1):
    """Hard case B2: a session id of two names in every link, drawn anew for every page."""
    rng = random.Random(seed)

    def pages(path, query, parts):
        number = int(path.split("/")[2].partition(";")[0])
        sid = rng.randint(0, 10**9)
        further = "".join(
            f"<a href='/sess/{k};{in_path}={sid}?{in_query}={sid}'>{k}</a>" for k in range(count)
        )
        return f"<h1 class=t>page {number}</h1>{further}" if number < count else None

    return server(pages)


def days_and_months(path, query, parts):
    """Months lead to days and days to months; each has a text of its own. And 60 real pages."""
    month = "January February March April May June July August September October November December"
    if found := re.fullmatch(r"/cal/(\d+)/(\d+)(?:/(\d+))?", path):
        year, number = int(found[1]), int(found[2])
        name = f"{month.split()[number - 1]} {year}"
        further = (year, number + 1) if number < 12 else (year + 1, 1)
        if found[3]:
            after = f"/cal/{year}/{number}/{int(found[3]) % 28 + 1}"
            return f"<p>Nothing on {found[3]} {name}</p>" + links(f"/cal/{year}/{number}", after)
        days = (f"/cal/{year}/{number}/{day}" for day in range(1, 29))
        return f"<h1>{name}</h1>" + links(*days, "/cal/{}/{}".format(*further))
    if path == "/":
        return links("/cal/2024/1", "/news/0")
    if path.startswith("/news/"):
        number = int(path.split("/")[2])
        more = links(f"/news/{number + 1}") if number < 59 else ""
        return f"<p>{words(path, 60)}</p>{more}" if number < 60 else None
    return None


def filters(path, query, parts):
    """Forty products that any pile of filters shows in some order."""
    if path == "/":
        return links("/list", "/about")
    if path.startswith("/p/"):
        return f"<h1>{words(path, 3)}</h1><p>{words(path, 40)}</p>"
    if path == "/list":
        rng = random.Random(parts.query)
        shown = rng.sample(range(40), 10)
        products = "".join(f"<li><a href='/p/{n}'>{words(f'/p/{n}', 3)}</a>" for n in shown)
        pile = parts.query + "&" if parts.query else ""
        further = "".join(
            f"<a href='/list?{pile}{word}={rng.randint(1, 9)}'>{word}</a> "
            for word in rng.sample(_WORDS, 4)
        )
        return f"<h1>Shop</h1>You chose {' '.join(query)}<ul>{products}</ul>{further}"
    return "<p>About us</p>" if path == "/about" else None


def loops(path, query, parts):
    """Relative links that lead deeper into the same pages for ever; twenty real pages."""
    if path == "/":
        return links("/b/", "/a/", *(f"/real/{n}" for n in range(20)))
    if path.startswith("/real/"):
        return f"<p>{words(path, 50)}</p>"
    if path.startswith("/b/"):
        return "<p>A menu on every page.</p>" + links("b/", "c/", "d/")
    if path.startswith("/a/"):
        return "<p>Wrong base.</p>" + links("a/")
    return None


def shop(products, on_page, text):
    """Products on listing pages that lead from one to the next."""

    def pages(path, query, parts):
        if path == "/":
            return links("/list?page=1")
        if path == "/list":
            page = int(query["page"])
            first = (page - 1) * on_page
            shown = [f"/p/{n}" for n in range(first, min(first + on_page, products))]
            more = [f"/list?page={page + 1}"] if first + on_page < products else []
            return "<h1>Our products</h1>" + links(*shown, *more)
        number = int(path.split("/")[2])
        related = links(f"/p/{(number * 7 + 1) % products}", f"/p/{(number * 3 + 2) % products}")
        return f"<h1>Item {number}</h1>{text(number)}{related}"

    return server(pages)


def archive(path, query, parts):
    """Two years of news by date, and a forum whose threads lead to each other."""
    if path == "/":
        return links("/2023/1/1/", "/thread?tid=0")
    if found := re.fullmatch(r"/(\d{4})/(\d+)/(\d+)/", path):
        year, month, day = map(int, found.groups())
        day += 1
        if day > 28:
            day, month = 1, month + 1
        if month > 12:
            month, year = 1, year + 1
        more = [f"/{year}/{month}/{day}/"] if year < 2025 else []
        return f"<h1>News of {path}</h1>" + links(f"{path}{words(path, 1)}-story", *more)
    if path.endswith("-story"):
        return f"<h1>{words(path, 5)}</h1><p>{words(path, 80)}</p>"
    if path == "/thread":
        number = int(query["tid"])
        more = links(f"/thread?tid={number + 1}") if number < 399 else ""
        return f"<p>{words(number, 30)}</p>{more}" if number < 400 else None
    return None
