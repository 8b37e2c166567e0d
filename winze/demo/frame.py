"""What all pages of the shop share: style, header, menu, footer, and how links are written."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from winze.demo.shop import Item, Shop
from winze.demo.theme import Theme

#: Stands in a page for the session of the answer; the site fills it in.
SESSION_MARK = "__SESSION__"

#: Stands in a page for scheme, host and port of the server.
BASE_MARK = "__BASE__"


#: Marks what was liked, and tells a statistics service that does not exist.
_SCRIPT = """
var stats = window.stats || (window.stats = []);
stats.push(["site", {seed}], ["page", location.pathname]);
document.querySelectorAll(".{name} button").forEach(function (button) {{
  var key = "liked-" + button.dataset.item;
  button.style.color = localStorage.getItem(key) ? "crimson" : "";
  button.addEventListener("click", function () {{
    localStorage.setItem(key, "1");
    button.style.color = "crimson";
    stats.push(["like", button.dataset.item]);
  }});
}});
"""


@dataclass(frozen=True, slots=True)
class Frame:
    """How one page is framed."""

    shop: Shop
    #: Do the links carry a session?
    session: bool = False
    #: Are the links relative to a base element at the root?
    rebased: bool = False
    #: The encoding that the page's meta element names.
    charset: str = "utf-8"

    def css(self, role: str) -> str:
        """Return the class attribute of a part of the page."""
        return f'class="{self.shop.theme.css[role]}"'

    def label(self, role: str) -> str:
        """Return the shop's word for something."""
        return self.shop.theme.labels[role]

    def href(self, path: str, track: str = "") -> str:
        """Return a path as an href attribute, with what this page adds to its links."""
        if track:
            path = _with_parameter(path, self.shop.addresses.tracking, track)
        if self.session:
            path = _with_session(path, self.shop.addresses.session)
        return f'href="{escape(path.removeprefix("/") or "./" if self.rebased else path)}"'

    def link(self, path: str, text: str, track: str = "") -> str:
        """Return an anchor element."""
        return f"<a {self.href(path, track)}>{escape(text)}</a>"

    def document(self, title: str, main: str, *, head: str = "", side: str = "") -> str:
        """Return a whole page around its main part."""
        theme = self.shop.theme
        script = _SCRIPT.format(name=theme.css["card"].split()[0], seed=self.shop.seed)
        base = f'<base href="{BASE_MARK}/">' if self.rebased else ""
        wide = f"<main {self.css('main')}>{main}</main>"
        columns = side + wide if theme.sidebar == "left" else wide + side
        return (
            f'<!DOCTYPE html>\n<html lang="{theme.language}">\n<head>\n'
            f'<meta charset="{self.charset}">{base}<title>{escape(title)} - {theme.name}</title>\n'
            f'<meta name="viewport" content="width=device-width">{head}\n'
            f"<style>{style_sheet(theme)}</style>\n</head>\n<body>\n"
            f"{self._header()}\n<div {self.css('page')}>{columns}</div>\n{self._footer()}\n"
            f"<script>{script}</script>\n</body>\n</html>\n"
        )

    def best_sellers(self, places: list[int]) -> str:
        """Return the sidebar, which repeats titles and prices of other products."""
        rows = "".join(self._best_seller(self.shop.items[place]) for place in places)
        heading = escape(self.label("best"))
        return (
            f"<aside {self.css('side')}><h3>{heading}</h3>\n"
            f"<ol {self.css('best')}>{rows}</ol></aside>"
        )

    def _best_seller(self, item: Item) -> str:
        link = self.link(self.shop.path(item), item.title, "best")
        return f"<li>{link} <span {self.css('cost')}>{escape(item.price)}</span></li>\n"

    def _header(self) -> str:
        shop, words = self.shop, self.shop.theme.keywords
        urls = shop.addresses
        links = [self.link("/", self.label("home"))]
        links.append(self.link(urls.listing("all", 1), self.label("all")))
        links += [self.link(urls.listing(c.slug, c.number), c.name) for c in shop.categories]
        market = f"{self.label('market')} · {words.unwanted}"
        links.append(self.link(urls.listing("market", 2), market))
        # The keywords in links: a judge who reads anchor text takes every page for a target.
        zone = " · ".join((*words.wanted, words.shared))
        links.append(self.link(urls.article("help", 1), zone))
        links.append(self.link(f"/{urls.words['login']}", self.label("login")))
        menu = "\n".join(f"<li>{link}</li>" for link in links)
        return (
            f"<header {self.css('top')}><a {self.href('/')}>{shop.theme.name}</a>"
            f'<form action="/search"><input name="q" type="search"></form></header>\n'
            f"<nav><ul {self.css('menu')}>\n{menu}\n</ul></nav>"
        )

    def _footer(self) -> str:
        urls = self.shop.addresses
        links = (
            self.link(urls.article("help", 0), self.label("help")),
            self.link(urls.article("news", 0), self.label("news")),
            self.link(urls.calendar(2026, 12), self.label("calendar")),
            self.link(urls.article("help", 2), self.label("about")),
        )
        items = "\n".join(f"<li>{link}</li>" for link in links)
        return (
            f"<footer {self.css('foot')}><ul>{items}</ul>"
            f"<p>© 2019-2026 {self.shop.theme.name} · 12 Harbour Row / 港湾路12号 ·"
            " +86 21 5550 0199</p></footer>"
        )


def _with_parameter(path: str, name: str, value: str) -> str:
    return f"{path}{'&' if '?' in path else '?'}{name}={value}"


def _with_session(path: str, name: str) -> str:
    if name != "jsessionid":
        return _with_parameter(path, name, SESSION_MARK)
    bare, question, query = path.partition("?")
    return f"{bare};jsessionid={SESSION_MARK}{question}{query}"


def style_sheet(theme: Theme) -> str:
    """Return the shop's inline style sheet."""
    rules = {role: "." + ".".join(names.split()) for role, names in theme.css.items()}
    tint = theme.colour
    declarations = (
        ("", "body{margin:0;font:15px/1.6 Georgia,'Noto Serif SC',serif;color:#26221f}"),
        ("", f"a{{color:{tint};text-decoration:none}}a:hover{{text-decoration:underline}}"),
        (
            "top",
            f"{{display:flex;justify-content:space-between;padding:14px 6%;background:{tint}}}",
        ),
        ("top", " a{color:#fff;font-size:22px}"),
        (
            "menu",
            "{display:flex;flex-wrap:wrap;gap:6px 18px;list-style:none;padding:8px 6%;margin:0}",
        ),
        ("page", "{display:flex;gap:32px;padding:16px 6%;align-items:flex-start}"),
        ("main", "{flex:1;min-width:0}"),
        ("side", "{width:230px;font-size:14px;border-top:3px solid #ddd6cc}"),
        ("crumbs", "{font-size:13px;color:#8a8178}"),
        ("gallery", " img{border:1px solid #e5dfd6;margin-right:8px}"),
        ("cost", f"{{color:{tint}}}"),
        ("price", f"{{color:{tint};font-size:24px;font-weight:bold}}"),
        ("was", "{color:#999;text-decoration:line-through}"),
        ("specs", "{border-collapse:collapse;line-height:2}"),
        ("review", "{border-top:1px solid #e5dfd6;padding:8px 0}"),
        ("related", "{display:grid;grid-template-columns:repeat(4,1fr);gap:14px;padding:0}"),
        ("grid", "{display:grid;grid-template-columns:repeat(4,1fr);gap:14px;padding:0}"),
        ("card", "{list-style:none;border:1px solid #e5dfd6;padding:10px}"),
        ("banner", "{background:#f6efe0;padding:6px 12px}"),
        ("foot", "{background:#f3eee7;padding:18px 6%;font-size:13px}"),
        ("foot", " ul{display:flex;gap:20px;list-style:none;padding:0}"),
    )
    return "\n".join(rules.get(role, "") + declaration for role, declaration in declarations)
