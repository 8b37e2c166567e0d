import re
import tomllib

import pytest

from tests.demo.walk import BASE, encoding_of, links_of, tree_of, walk
from winze.demo.addresses import route_key
from winze.demo.listings import listings, views
from winze.demo.shop import Item, Shop
from winze.demo.site import ShopSite
from winze.demo.theme import make_theme
from winze.judge.keywords import parse
from winze.parse.html import Tree
from winze.text.words import fold

SEEDS = (1, 2, 3, 6, 8, 11)


@pytest.fixture(scope="module", params=SEEDS)
def site(request: pytest.FixtureRequest) -> ShopSite:
    return ShopSite(Shop(seed=request.param, products=150))


def _row(tree: Tree, label: str) -> str | None:
    """Return what stands beside a label, in whatever layout."""
    for heading in tree.select("th, dt"):
        if heading.text() == label:
            return heading.next.text()
    found = re.search(rf"{re.escape(label)}\s*: ([^|\n]+)", tree.select("article")[0].text())
    return found[1].strip() if found else None


def page_of(site: ShopSite, item: Item) -> Tree:
    return tree_of(site.answer(site.shop.path(item), base=BASE))


def test_the_same_seed_gives_the_same_shop_and_pages():
    first, second = Shop(5, 90), Shop(5, 90)
    assert first.truth() == second.truth()
    assert first.plan(BASE) == second.plan(BASE)
    for item in first.items[::17]:
        path = first.path(item)
        assert ShopSite(first).answer(path) == ShopSite(second).answer(path)


def test_seeds_differ_in_data_addresses_and_looks():
    shops = [Shop(seed, 60) for seed in range(1, 13)]
    assert len({shop.items[0].title for shop in shops}) == 12
    assert len({shop.addresses.item_pattern for shop in shops}) >= 3
    assert len({shop.addresses.first_listing for shop in shops}) >= 3
    assert len({shop.theme.css["title"] for shop in shops}) >= 6
    assert len({shop.theme.labels["brand"] for shop in shops}) >= 3
    assert len({shop.theme.keywords.expression for shop in shops}) >= 4


@pytest.mark.parametrize("part", ["specs", "reviews", "price_markup", "meta", "structured"])
def test_every_layout_comes_up(part: str):
    assert len({getattr(make_theme(seed), part) for seed in range(1, 41)}) >= 3


def test_every_product_can_be_reached(site: ShopSite):
    reached = walk(site)
    missing = [item for item in site.shop.items if route_key(site.shop.path(item)) not in reached]
    assert missing == []


def test_the_full_shop_can_be_reached_and_lists_a_hundred():
    site = ShopSite(Shop(seed=4))
    shop = site.shop
    answers = walk(site)
    assert len(shop.truth()) == 1500
    assert {route_key(row["url"]) for row in shop.truth()} <= answers.keys()
    pages = [view.path(shop) for listing in listings(shop) for view in views(listing)]
    linked = {target for path in pages for target in links_of(answers[route_key(path)], path)}
    assert len(linked & {route_key(shop.path(item)) for item in shop.wanted}) == 100


def test_islands_hang_on_guides_alone():
    shop = Shop(seed=2, products=300)
    linked = {place for links in shop.graph.related for place in links}
    islanders = {place for island in shop.graph.islands for place in island}
    assert len(islanders) == 4
    assert not islanders & linked


def test_pages_show_the_truth(site: ShopSite):
    shop = site.shop
    for item, row in zip(shop.wanted, shop.truth(), strict=True):
        assert row["url"] == shop.path(item)
        fields = row["fields"]
        tree = page_of(site, item)
        text = fold(tree.text())
        assert fold(tree.select("h1")[0].text()) == fold(str(fields["title"]))
        # A fact may share its text node with the next one: compare by containment.
        for name in ("price", "sku", "category", "description", "stock"):
            assert fold(str(fields[name])) in text, (name, fields[name])
        assert _row(tree, shop.theme.labels["brand"]) == fields["brand"]
        mark = "." + ".".join(shop.theme.css["text"].split())
        shown = [node.text() for node in tree.select(f"article section p{mark}")]
        assert shown == fields["reviews"]


def test_prices_of_the_page_are_not_the_only_ones(site: ShopSite):
    item = site.shop.wanted[0]
    others = [other.price for other in site.shop.items if other.price != item.price]
    text = page_of(site, item).text()
    assert sum(price in text for price in others) >= 5


def test_some_values_are_absent_and_reviews_repeat(site: ShopSite):
    rows = [row["fields"] for row in site.shop.truth()]
    assert any(fields["brand"] is None for fields in rows)
    assert {len(fields["reviews"] or []) for fields in rows} == {0, 1, 2, 3, 4, 5}
    assert len({str(fields["title"]) for fields in rows}) == len(rows)
    assert len({str(fields["sku"]) for fields in rows}) == len(rows)


def test_keywords_separate_products_from_off_topic_items(site: ShopSite):
    shop = site.shop
    expression = parse(shop.theme.keywords.expression)
    for item in shop.items:
        assert expression.holds(page_of(site, item).text_outside_links()) == item.wanted


def test_off_topic_pages_have_the_keywords_in_links(site: ShopSite):
    words = site.shop.theme.keywords
    tree = page_of(site, site.shop.off_topic[0])
    anchors = " ".join(node.text() for node in tree.select("a"))
    assert all(word in anchors for word in (*words.wanted, words.shared))


def test_off_topic_items_share_template_and_address(site: ShopSite):
    shop = site.shop
    product, advert = shop.wanted[0], shop.off_topic[0]
    one, other = page_of(site, product).tag_paths(), page_of(site, advert).tag_paths()
    assert len(one & other) / len(one | other) > 0.8
    assert len(shop.path(product).split("/")) == len(shop.path(advert).split("/"))


def test_the_plan_is_about_two_products_that_show_all_fields(site: ShopSite):
    plan = site.shop.plan("http://127.0.0.1:8000/")
    assert plan.start == "http://127.0.0.1:8000/"
    truth = {row["url"]: row["fields"] for row in site.shop.truth()}
    for place, example in enumerate(plan.examples):
        fields = truth[example.removeprefix("http://127.0.0.1:8000")]
        shown = {name: values[place] for name, values in plan.fields.items()}
        assert shown == {name: fields[name] for name in plan.fields}
        assert all(shown.values())
    assert tomllib.loads(plan.as_toml())["fields"]["reviews"] == list(plan.fields["reviews"])


def test_the_old_category_is_gbk_and_half_declared(site: ShopSite):
    shop = site.shop
    headers = set()
    for item in shop.items:
        answer = site.answer(shop.path(item))
        if item.category == shop.legacy:
            assert encoding_of(answer) == "gbk"
            assert item.title in answer.body.decode("gbk")
            with pytest.raises(UnicodeDecodeError):
                answer.body.decode("utf-8")
            headers.add(answer.content_type)
        else:
            assert item.title in answer.body.decode("utf-8").replace("&amp;", "&")
    assert headers == {"text/html", "text/html; charset=gbk"}


def test_a_shop_that_is_too_small_says_so():
    with pytest.raises(ValueError, match="too few"):
        Shop(products=12)
