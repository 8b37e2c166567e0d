"""The page of an item: the template that a wrapper has to learn."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from html import escape

from winze.demo.frame import BASE_MARK, Frame
from winze.demo.shop import Item, Spec
from winze.demo.words import AUTHORS, DELIVERY

#: Of a hundred related links: how many still use the URL from before the site was rebuilt.
OLD_LINKS = 4

#: Of a hundred item pages: how many have a banner above the price.
BANNERS = 15


def item_page(frame: Frame, item: Item) -> str:
    """Return the HTML of an item's page."""
    shop = frame.shop
    rng = random.Random(f"page {shop.seed} {item.place}")
    sections = {
        "description": _description(frame, item),
        "specs": _specs(frame, item),
        "reviews": _reviews(frame, item, rng),
    }
    scope = ' itemscope itemtype="https://schema.org/Product"'
    opening = "<div>" * shop.theme.wrappers
    microdata = scope if shop.theme.structured == "microdata" else ""
    main = "\n".join(
        (
            _crumbs(frame, item),
            f"{opening}<article {frame.css('article')}{microdata}>",
            _summary(frame, item, rng),
            *(sections[name] for name in shop.theme.sections),
            f"</article>{'</div>' * shop.theme.wrappers}",
            _delivery(frame),
            _guide(frame, item),
            _related(frame, item, rng),
        )
    )
    side = frame.best_sellers(rng.sample(range(shop.listed), min(5, shop.listed)))
    return frame.document(item.title, main, head=_head(frame, item), side=side)


def card(frame: Frame, item: Item, *, path: str = "", track: str = "") -> str:
    """Return an item as one tile of a grid."""
    target = path or frame.shop.path(item)
    return (
        f"<li {frame.css('card')}><a {frame.href(target, track)}>"
        f'<img src="/img/{item.number}.svg" alt="" width="120" height="90">'
        f"<span {frame.css('name')}>{escape(item.title)}</span></a>"
        f"<span {frame.css('cost')}>{escape(item.price)}</span>"
        f'<button type="button" data-item="{item.number}" aria-label="♥">♥</button></li>'
    )


def _head(frame: Frame, item: Item) -> str:
    path = frame.shop.path(item)
    lines = [f'<link rel="canonical" href="{escape(BASE_MARK + path)}">']
    structured = frame.shop.theme.structured
    if structured in ("opengraph", "json-ld"):
        lines.append(f'<meta property="og:title" content="{escape(item.title)}">')
        lines.append('<meta property="og:type" content="product">')
    if structured == "json-ld":
        data = {"@context": "https://schema.org", "@type": "Product", "name": item.title}
        data["sku"] = item.sku
        text = json.dumps(data, ensure_ascii=True).replace("</", "<\\/")
        lines.append(f'<script type="application/ld+json">{text}</script>')
    return "\n".join(lines)


def _crumbs(frame: Frame, item: Item) -> str:
    category = item.category
    listing = frame.shop.addresses.listing(category.slug, category.number)
    trail = " › ".join((frame.link("/", frame.label("home")), frame.link(listing, category.name)))
    return f"<div {frame.css('crumbs')}>{trail} › <span>{escape(item.title)}</span></div>"


def _summary(frame: Frame, item: Item, rng: random.Random) -> str:
    shop = frame.shop
    name = ' itemprop="name"' if shop.theme.structured == "microdata" else ""
    pictures = "".join(
        f'<img src="/img/{item.number}.svg?view={view}" alt="" width="160" height="120">'
        for view in range(rng.randint(1, 4))
    )
    parts = [
        f"<h1 {frame.css('title')}{name}>{escape(item.title)}</h1>",
        f"<div {frame.css('gallery')}>{pictures}</div>",
    ]
    if rng.randrange(100) < BANNERS:
        offer = frame.link(f"/{shop.addresses.words['promotion']}/0", frame.label("promotion"))
        parts.append(f"<div {frame.css('banner')}><p>{offer}</p></div>")
    parts += [_price(frame, item), _meta(frame, item), _stock(frame, item), _promises(frame, item)]
    cart = f"{shop.addresses.disallowed}add?item={item.number}"
    parts.append(f"<p>{frame.link(cart, frame.label('cart'))}</p>")
    return "\n".join(parts)


def _price(frame: Frame, item: Item) -> str:
    was = f" <del {frame.css('was')}>{escape(item.old_price)}</del>" if item.old_price else ""
    price, label = escape(item.price), escape(frame.label("price"))
    cell = frame.css("price")
    microdata = frame.shop.theme.structured == "microdata"
    prop = ' itemprop="price"' if microdata else ""
    match frame.shop.theme.price_markup:
        case "plain":
            return f"<div><span {cell}{prop}>{price}</span>{was}</div>"
        case "labelled":
            return f"<div>{was}<em>{label}</em> <strong {cell}{prop}>{price}</strong></div>"
        case "inline":
            return f"<p {cell}>{label}: {price}</p>{was}"


def _meta(frame: Frame, item: Item) -> str:
    """SKU, brand and category, where they are no rows of the specifications."""
    facts = _facts(frame, item)
    match frame.shop.theme.meta:
        case "piped":
            text = " | ".join(f"{escape(fact.label)}: {escape(fact.value)}" for fact in facts)
            return f"<p {frame.css('meta')}>{text}</p>"
        case "spans":
            spans = "\n".join(
                f"<span><b>{escape(fact.label)}:</b> {escape(fact.value)}</span>" for fact in facts
            )
            return f"<div {frame.css('meta')}>{spans}</div>"
        case "rows":
            return ""


def _facts(frame: Frame, item: Item) -> list[Spec]:
    facts = [Spec(frame.label("sku"), item.sku)]
    if item.brand is not None:
        facts.append(Spec(frame.label("brand"), item.brand))
    return [*facts, Spec(frame.label("category"), item.category.name)]


def _stock(frame: Frame, item: Item) -> str:
    state = frame.label("in stock" if item.in_stock else "sold out")
    return f"<p {frame.css('stock')}>{escape(frame.label('stock'))}: <b>{escape(state)}</b></p>"


def _promises(frame: Frame, item: Item) -> str:
    """The only place outside links where a wanted product and an off-topic item differ."""
    words = frame.shop.theme.keywords
    own = words.wanted[item.number % len(words.wanted)] if item.wanted else words.unwanted
    rows = "".join(f"<li>✓ {escape(word)}</li>" for word in (own, words.shared))
    return f"<ul {frame.css('promises')}>{rows}</ul>"


def _description(frame: Frame, item: Item) -> str:
    return (
        f"<section><h2>{escape(frame.label('description'))}</h2>\n"
        f"<p {frame.css('description')}>{escape(item.description)}</p></section>"
    )


def _specs(frame: Frame, item: Item) -> str:
    rows = list(item.specs)
    if frame.shop.theme.meta == "rows":
        # Between rows of which some are missing: a position says nothing, the label does.
        rows[1:1] = _facts(frame, item)
    heading = f"<h2>{escape(frame.label('specs'))}</h2>"
    return f"<section>{heading}\n{_spec_rows(frame, rows)}</section>"


def _spec_rows(frame: Frame, rows: Iterable[Spec]) -> str:
    pairs = [(escape(row.label), escape(row.value)) for row in rows]
    box = frame.css("specs")
    match frame.shop.theme.specs:
        case "table":
            cells = "\n".join(
                f"<tr><th>{label}</th><td>{value}</td></tr>" for label, value in pairs
            )
            return f"<table {box}><tbody>\n{cells}\n</tbody></table>"
        case "list":
            lines = "\n".join(f"<li>{label}: {value}</li>" for label, value in pairs)
            return f"<ul {box}>\n{lines}\n</ul>"
        case "terms":
            terms = "\n".join(f"<dt>{label}</dt><dd>{value}</dd>" for label, value in pairs)
            return f"<dl {box}>\n{terms}\n</dl>"


def _reviews(frame: Frame, item: Item, rng: random.Random) -> str:
    heading = f"<h2>{escape(frame.label('reviews'))}</h2>"
    if not item.reviews:
        return f"<section>{heading}\n<p>{escape(frame.label('no reviews'))}</p></section>"
    authors = rng.sample(AUTHORS[item.category.language], len(item.reviews))
    told = [_review(frame, *pair, rng) for pair in zip(item.reviews, authors, strict=True)]
    box, tag = {"list": ("ul", "li"), "cards": ("div", "div"), "articles": ("div", "article")}[
        frame.shop.theme.reviews
    ]
    rows = "\n".join(f"<{tag} {frame.css('review')}>{text}</{tag}>" for text in told)
    return f"<section>{heading}\n<{box} {frame.css('reviews')}>\n{rows}\n</{box}></section>"


def _review(frame: Frame, text: str, author: str, rng: random.Random) -> str:
    stars = rng.randint(2, 5)
    day = f"2026-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
    reply = ""
    if rng.random() < 0.2:
        reply = (
            f"\n<p {frame.css('reply')}>{escape(frame.label('reply'))}: OK, {escape(author)}!</p>"
        )
    return (
        f"<span {frame.css('author')}>{escape(author)}</span> "
        f"<span {frame.css('date')}>{day}</span> "
        f"<span {frame.css('stars')}>{'★' * stars}</span>\n"
        f"<p {frame.css('text')}>{escape(text)}</p>{reply}"
    )


def _delivery(frame: Frame) -> str:
    sentences = DELIVERY[frame.shop.theme.language]
    rows = "\n".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    heading = escape(frame.label("delivery"))
    return f"<section {frame.css('block')}><h2>{heading}</h2>\n<ul>\n{rows}\n</ul></section>"


def _guide(frame: Frame, item: Item) -> str:
    """The way to an island: a line about a guide, on one product's page."""
    graph = frame.shop.graph
    if item.place not in graph.guides_at:
        return ""
    number = 2 * graph.guides_at.index(item.place)
    path = frame.shop.addresses.article("guide", number)
    return f"<p>{frame.link(path, frame.label('guide'))}</p>"


def _related(frame: Frame, item: Item, rng: random.Random) -> str:
    shop = frame.shop
    cards = []
    for place in shop.graph.related[item.place]:
        other = shop.items[place]
        old = rng.randrange(100) < OLD_LINKS
        path = shop.addresses.old_item(other.number) if old else shop.path(other)
        cards.append(card(frame, other, path=path, track="related" if rng.random() < 0.2 else ""))
    rows = "\n".join(cards)
    heading = escape(frame.label("related"))
    return f"<section><h2>{heading}</h2>\n<ul {frame.css('related')}>\n{rows}\n</ul></section>"
