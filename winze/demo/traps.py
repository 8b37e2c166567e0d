"""The rest of the site: texts nobody asked for, an endless calendar, dead ends, robots, sitemap."""

from __future__ import annotations

import calendar
import random
from html import escape

from winze.demo.frame import BASE_MARK, Frame
from winze.demo.shop import Shop
from winze.demo.words import ARTICLES, HEADLINES

#: Texts in each section besides its index.
NEWS, HELP = 40, 8

#: Links to items that were taken off; the last one answers with an apology and status 200.
DEAD = 6


def article_page(frame: Frame, part: str, number: int) -> str:
    """Return a text of the news or help section; number 0 is the section's index."""
    if number == 0:
        return _index(frame, part)
    shop = frame.shop
    last = NEWS if part == "news" else HELP
    rng = random.Random(f"article {shop.seed} {part} {number}")
    parts = _prose(frame, rng)
    if part == "help":
        # A text about the keywords is no product either.
        parts.append(f"<p>{escape(shop.theme.keywords.wanted[0])}?</p>")
    if part == "help" and number == HELP:
        parts += [f"<p>{frame.link(path, path)}</p>" for path in dead_paths(shop)]
    further = shop.addresses.article(part, number % last + 1)
    parts.append(f"<p>{frame.link(further, frame.label('next'))}</p>")
    return frame.document(_headline(shop, number), "\n".join(parts))


def guide_page(frame: Frame, number: int) -> str:
    """Return a guide page: an even one leads to the next only, an odd one to an island."""
    shop = frame.shop
    rng = random.Random(f"guide {shop.seed} {number}")
    parts = _prose(frame, rng)
    if number % 2:
        island = (shop.items[place] for place in shop.graph.islands[number // 2])
        rows = "".join(f"<li>{frame.link(shop.path(item), item.title)}</li>" for item in island)
        parts.append(f"<ul>{rows}</ul>")
    else:
        further = shop.addresses.article("guide", number + 1)
        parts.append(f"<p>{frame.link(further, frame.label('next'))}</p>")
    return frame.document(frame.label("guide"), "\n".join(parts))


def calendar_page(frame: Frame, year: int, month: int) -> str:
    """Return a month of the calendar, which leads on and on."""
    urls = frame.shop.addresses
    weeks = calendar.Calendar().monthdayscalendar(year, month)
    rows = "\n".join(
        "<tr>" + "".join(f"<td>{day or ''}</td>" for day in week) + "</tr>" for week in weeks
    )
    steps = (
        frame.link(urls.calendar(*other), text)
        for other, text in (
            (_months_on(year, month, -1), frame.label("previous")),
            (_months_on(year, month, 1), frame.label("next")),
            (_months_on(year, month, 12), str(year + 1)),
        )
    )
    main = f"<h1>{year}-{month:02d}</h1>\n<table>\n{rows}\n</table>\n<p>{' '.join(steps)}</p>"
    return frame.document(frame.label("calendar"), main)


def login_page(frame: Frame) -> str:
    """Return the sign-in form."""
    form = (
        f'<form {frame.css("form")} method="post"><input name="user"><input name="password"'
        f' type="password"><button>{escape(frame.label("login"))}</button></form>'
    )
    return frame.document(frame.label("login"), f"<h1>{escape(frame.label('login'))}</h1>\n{form}")


def nothing_page(frame: Frame) -> str:
    """Return the page that says that there is none; a soft 404 says so with status 200."""
    text = escape(frame.label("nothing"))
    return frame.document(frame.label("nothing"), f"<h1>404</h1>\n<p>{text}.</p>")


def cart_page(frame: Frame) -> str:
    """Return a page of the section that robots.txt forbids."""
    return frame.document(frame.label("cart"), f"<h1>{escape(frame.label('cart'))}</h1>")


def refresh_page(frame: Frame, path: str) -> str:
    """Return a page that sends its reader on by meta refresh."""
    head = f'<meta http-equiv="refresh" content="0; url={escape(path)}">'
    return frame.document(frame.label("promotion"), "<p>…</p>", head=head)


def robots_txt(shop: Shop) -> str:
    """Return robots.txt: one section is forbidden."""
    rule = f"Disallow: {shop.addresses.disallowed}"
    return f"User-agent: *\n{rule}\n\nSitemap: {BASE_MARK}/sitemap.xml\n"


def sitemap_xml(shop: Shop) -> str:
    """Return a sitemap that lists the sections and a part of the listed products."""
    urls = shop.addresses
    paths = ["/", urls.article("news", 0), urls.article("help", 0)]
    paths += [urls.listing(category.slug, category.number) for category in shop.categories]
    paths += [shop.path(item) for item in shop.wanted[: shop.listed : 2]]
    rows = "\n".join(f"<url><loc>{escape(BASE_MARK + path)}</loc></url>" for path in paths)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}\n</urlset>\n'
    )


def dead_paths(shop: Shop) -> list[str]:
    """Return paths of items that are no more, in the form that items' paths have."""
    category = shop.categories[-1]
    return [
        shop.addresses.item(
            number=number,
            slug=f"withdrawn-{number}",
            category=category.slug,
            shelf=category.number,
        )
        for number in range(1, DEAD + 1)
    ]


def _index(frame: Frame, part: str) -> str:
    shop = frame.shop
    rows = "\n".join(
        f"<li>{frame.link(shop.addresses.article(part, number), _headline(shop, number))}</li>"
        for number in range(1, (NEWS if part == "news" else HELP) + 1)
    )
    heading = f"<h1>{escape(frame.label(part))}</h1>"
    return frame.document(frame.label(part), f"{heading}\n<ul>\n{rows}\n</ul>")


def _headline(shop: Shop, number: int) -> str:
    pool = HEADLINES[shop.theme.language]
    return f"{pool[number % len(pool)]} ({number})"


def _prose(frame: Frame, rng: random.Random) -> list[str]:
    pool = ARTICLES[frame.shop.theme.language]
    paragraphs = [" ".join(rng.sample(pool, 2)) for _ in range(rng.randint(3, 6))]
    heading = f"<h1 {frame.css('title')}>{escape(rng.choice(pool)[:24])}</h1>"
    return [heading, *(f"<p>{escape(text)}</p>" for text in paragraphs)]


def _months_on(year: int, month: int, step: int) -> tuple[int, int]:
    """Return the month `step` months later; the calendar begins with the year 1.

    >>> _months_on(2026, 12, 1), _months_on(2026, 1, -1), _months_on(1, 1, -1)
    ((2027, 1), (2025, 12), (1, 1))
    """
    months = max(12, year * 12 + month - 1 + step)
    return months // 12, months % 12 + 1
