"""What a first look at a site proposes for its plan: link groups, example pages, fields."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from winze.extract.linked_data import JSON_LD, SEPARATOR, Documents, load_json, plain
from winze.extract.wrapper import Value
from winze.learn.page_index import PageIndex
from winze.learn.spots import stands
from winze.model import Link
from winze.parse.html import Tree
from winze.text.words import fold, squeeze
from winze.urls.canonical import clean
from winze.urls.clusters import cluster
from winze.urls.files import is_file

#: Link texts that a group is shown with.
SHOWN_TEXTS = 5

#: Example pages that are proposed.
PROPOSED = 2

#: A longer link text is no surer sign of a target; a teaser must not outweigh ten titles.
_TELLING = 40

#: Longest value that is worth a field: more is body text, which a copy in a plan does not help.
_LONGEST = 500

#: Steps of a tag path that are the page's frame and not its subject.
_FRAME = frozenset({"nav", "header", "footer"})

#: Elements whose headers and footers are of the subject all the same.
_BODY = frozenset({"article", "main", "section"})


@dataclass(frozen=True, slots=True)
class LinkGroup:
    """Links of one page whose URLs have one form."""

    #: The form: parts that stay, "#" for numbers, "*" for text.
    shape: str
    links: tuple[Link, ...]

    def texts(self) -> list[str]:
        """Return the first few different link texts."""
        return list(dict.fromkeys(link.anchor for link in self.links if link.anchor))[:SHOWN_TEXTS]

    def weight(self) -> int:
        """Return how much text of the page's body the links have, in characters.

        A shop's home page says most about its products, a newspaper's about its articles; menus
        have many links, but short ones.
        """
        return sum(
            min(len(link.anchor), _TELLING)
            for link in self.links
            if not _is_in_frame(link.tag_path)
        )


def link_groups(links: Iterable[Link]) -> list[LinkGroup]:
    """Return the groups of two links and more, the likeliest target first; files are left out.

    >>> titles = ["Sharp Objects", "Soumission", "Sapiens"]
    >>> links = [Link(f"http://s.example/book/{n}", text) for n, text in enumerate(titles)]
    >>> links += [Link(f"http://s.example/{name}", name) for name in ("home", "cart")]
    >>> [(group.shape, len(group.links)) for group in link_groups(links)]
    [('s.example/book/#', 3), ('s.example/*', 2)]
    """
    by_url: dict[str, Link] = {}
    for link in links:
        if not is_file(link.url):
            by_url.setdefault(clean(link.url), link)
    groups = [
        LinkGroup(found.shape, tuple(by_url[url] for url in found.members))
        for found in cluster(by_url)
        if len(found.members) > 1
    ]
    return sorted(groups, key=lambda group: (-group.weight(), -len(group.links), group.shape))


def proposed_examples(groups: Sequence[LinkGroup]) -> list[str]:
    """Return two pages of the likeliest group, those with most to say; empty without any."""
    if not groups:
        return []
    told = sorted(groups[0].links, key=lambda link: -min(len(link.anchor), _TELLING))
    return [clean(link.url) for link in told[:PROPOSED]]


def field_values(pages: Sequence[Tree]) -> dict[str, list[str | list[str]]]:
    """Return for each field that the pages declare what it is on each of them.

    A field is left out that no page has, or that is the same on all of several pages: that is the
    site's, not the page's. Every value stands on its page, so that it can be learned.

    >>> page = "<h1>{}</h1><meta property='og:site_name' content=Shop>"
    >>> field_values([Tree(page.format(title)) for title in ("Sharp Objects", "Soumission")])
    {'title': ['Sharp Objects', 'Soumission']}
    """
    declared = [_Declared(page) for page in pages]
    fields: dict[str, list[str | list[str]]] = {}
    for name, places in _PLACES.items():
        offers = [[read(page) for page in declared] for read in places]
        offers = [values for values in offers if any(values) and not _is_the_same(values)]
        # The first place that every page fills, else the first that one does.
        offers.sort(key=lambda values: not all(values))
        if offers and not _is_repetition(offers[0], fields.values()):
            fields[name] = _written(offers[0])
    return fields


class _Declared:
    """What one page declares of itself, for people and for machines."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._index = PageIndex(tree)
        scripts = (load_json(node.text()) for node in tree.select(JSON_LD))
        self._data = Documents([value for value in scripts if value is not None])

    def shown(self, css: str) -> str:
        """Return the text of the first element of a selector that has one."""
        texts = (squeeze(node.text()) for node in self._tree.select(css))
        return self._usable(next(filter(None, texts), ""))

    def attribute(self, css: str, name: str) -> str:
        """Return an attribute of the first element of a selector."""
        nodes = self._tree.select(css)[:1]
        return self._usable(squeeze(nodes[0].attributes.get(name) or "") if nodes else "")

    def data(self, keys: str) -> Iterator[list[str]]:
        """Yield what JSON-LD objects, in document order, have at a key path."""
        for kind in self._data.types():
            leaves = self._data.leaves(f"{kind}{SEPARATOR}{keys}")
            texts = [self._usable(squeeze(plain(leaf))) for leaf in leaves]
            if any(texts):
                yield list(filter(None, texts))

    def _usable(self, text: str) -> str:
        """Return a text if it is a value that can be found on its page, else the empty string."""
        return text if len(text) <= _LONGEST and text and stands(self._index, text) else ""


#: A place where a page declares a field: what stands there, "" or [] for nothing.
_Place = Callable[[_Declared], str | list[str]]


def _text(css: str) -> _Place:
    return lambda page: page.shown(css)


def _meta(name: str) -> _Place:
    """Return the place of an OpenGraph property or a named meta element."""
    css = f'meta[property="{name}"], meta[name="{name}"]'
    return lambda page: page.attribute(css, "content")


def _data(keys: str) -> _Place:
    return lambda page: next((texts[0] for texts in page.data(keys)), "")


def _data_list(keys: str) -> _Place:
    return lambda page: next(page.data(keys), [])


def _property(name: str) -> _Place:
    """Return the place of a microdata property: its content, else its text."""
    css = f'[itemprop="{name}"]'
    return lambda page: page.attribute(css, "content") or page.shown(css)


#: Field to the places that declare it, best first: what a reader sees, schema.org, OpenGraph.
_PLACES: Mapping[str, tuple[_Place, ...]] = {
    "title": (_text("h1"), _data("headline"), _data("name"), _meta("og:title"), _text("title")),
    "price": (
        *(_data("offers/price"), _data("offers/lowPrice"), _property("price")),
        *(_meta("product:price:amount"), _meta("og:price:amount")),
    ),
    "brand": (*(_data("brand/name"), _data("brand"), _property("brand"), _meta("product:brand")),),
    "sku": (_data("sku"), _property("sku")),
    "isbn": (_data("isbn"), _property("isbn"), _meta("book:isbn")),
    "author": (
        *(_data("author/name"), _data("author"), _property("author")),
        *(_meta("article:author"), _meta("author")),
    ),
    "date": (
        *(_data("datePublished"), _property("datePublished")),
        _meta("article:published_time"),
        lambda page: page.attribute("time[datetime]", "datetime"),
    ),
    "rating": (_data("aggregateRating/ratingValue"), _property("ratingValue")),
    "ingredients": (_data_list("recipeIngredient"),),
    "image": (_meta("og:image"),),
    "description": (_meta("og:description"), _data("description"), _meta("description")),
}


def _is_in_frame(tag_path: str) -> bool:
    """Does a link stand in a menu, or in a header or footer that is not an article's own?"""
    tags = [step.partition(".")[0] for step in tag_path.split(">")]
    frame = next((at for at, tag in enumerate(tags) if tag in _FRAME), None)
    return frame is not None and (tags[frame] == "nav" or not _BODY & set(tags[:frame]))


def _is_the_same(values: Sequence[str | list[str]]) -> bool:
    return len(values) > 1 and len({_folded(value) for value in values}) == 1


def _is_repetition(
    values: Sequence[str | list[str]], before: Iterable[Sequence[str | list[str]]]
) -> bool:
    """Do the pages say the same under another name, such as a description that is the title?"""
    folded = [_folded(value) for value in values]
    return any(folded == [_folded(value) for value in known] for known in before)


def _folded(value: Value) -> str:
    return "\n".join(fold(text) for text in ([value] if isinstance(value, str) else value or []))


def _written(values: Sequence[str | list[str]]) -> list[str | list[str]]:
    """Return the values as a plan has them: "" for absent, and lists only beside lists."""
    if any(isinstance(value, list) for value in values):
        return [[value] if isinstance(value, str) and value else list(value) for value in values]
    return list(values)
