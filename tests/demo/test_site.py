import pytest

from tests.demo.walk import BASE, links_of, tree_of, walk
from winze.demo.addresses import SESSIONS, TRACKING, route_key
from winze.demo.shop import Shop
from winze.demo.site import Answer, ShopSite
from winze.demo.slow import slow_site
from winze.demo.traps import dead_paths


@pytest.fixture(scope="module")
def site() -> ShopSite:
    return ShopSite(Shop(seed=7, products=150))


@pytest.fixture(scope="module")
def answers(site: ShopSite) -> dict[str, Answer]:
    return walk(site)


def hrefs(answers: dict[str, Answer]) -> set[str]:
    trees = (tree_of(a) for a in answers.values() if a.content_type.startswith("text/html"))
    return {str(n.attributes["href"]) for tree in trees for n in tree.select("a[href]")}


def test_links_lead_somewhere_but_for_the_dead_ones(site: ShopSite, answers: dict[str, Answer]):
    dead = {route_key(path) for path in dead_paths(site.shop)}
    missing = {path for path, answer in answers.items() if answer.status == 404}
    assert missing < dead
    (soft,) = dead - missing
    assert answers[soft].status == 200
    assert site.shop.theme.labels["nothing"] in answers[soft].body.decode()


def test_old_addresses_move_for_good(site: ShopSite, answers: dict[str, Answer]):
    moved = {path: answer for path, answer in answers.items() if answer.status == 301}
    assert moved
    for answer in moved.values():
        assert site.answer(answer.location).status == 200


@pytest.mark.parametrize("names", [SESSIONS, TRACKING])
def test_some_links_have_a_session_and_some_are_tracked(
    answers: dict[str, Answer], names: tuple[str, ...]
):
    marked = [href for href in hrefs(answers) if any(f"{name}=" in href for name in names)]
    assert 0 < len(marked) < len(hrefs(answers))


@pytest.mark.parametrize("seed", range(1, 7))
def test_sessions_change_links_and_nothing_else(seed: int):
    site = ShopSite(Shop(seed, 60))
    for item in site.shop.items[:20]:
        path = site.shop.path(item)
        one, other = (site.answer(path, session=session) for session in ("a" * 32, "b" * 32))
        assert one.body.replace(b"a" * 32, b"b" * 32) == other.body
        assert links_of(one, path) == links_of(other, path)


def test_some_pages_have_a_base(answers: dict[str, Answer]):
    based = [path for path, answer in answers.items() if b"<base href" in answer.body]
    assert 0 < len(based) < len(answers)


def test_a_refresh_leads_to_a_listing(site: ShopSite):
    word = site.shop.addresses.words["promotion"]
    category = site.shop.categories[2]
    answer = site.answer(f"/{word}/3")
    listing = site.shop.addresses.listing(category.slug, category.number)
    assert route_key(listing) in links_of(answer, f"/{word}/3")
    assert 'http-equiv="refresh"' in answer.body.decode()


@pytest.mark.parametrize("seed", range(1, 7))
def test_the_calendar_goes_on_for_ever(seed: int):
    site = ShopSite(Shop(seed, 60))
    urls = site.shop.addresses
    path = urls.calendar(2026, 12)
    for month in range(1, 40):
        following = urls.calendar(2026, 12 + month)
        assert following in links_of(site.answer(path, base=BASE), path)
        path = following
    assert site.answer(urls.calendar(2026, 12).replace("2026", "0")).status == 404


def test_robots_forbid_what_pages_link_to(site: ShopSite, answers: dict[str, Answer]):
    robots = site.answer("/robots.txt", base=BASE).body.decode()
    assert f"Disallow: {site.shop.addresses.disallowed}" in robots
    assert f"Sitemap: {BASE}/sitemap.xml" in robots
    assert sum(path.startswith(site.shop.addresses.disallowed) for path in answers) > 100


def test_the_sitemap_lists_a_part_of_what_is_there(site: ShopSite):
    text = site.answer("/sitemap.xml", base=BASE).body.decode().replace("&amp;", "&")
    paths = [piece.partition("</loc>")[0].removeprefix(BASE) for piece in text.split("<loc>")[1:]]
    assert {site.answer(path).status for path in paths} == {200}
    products = {site.shop.path(item) for item in site.shop.wanted}
    assert 0 < len(products & set(paths)) < site.shop.listed


def test_facets_come_in_either_order(site: ShopSite, answers: dict[str, Answer]):
    orders = {
        href.partition("sort=")[0].endswith("&")
        for href in hrefs(answers)
        if "sort=" in href and "brand=" in href
    }
    assert orders == {True, False}


def test_pages_have_the_size_of_a_real_shop(site: ShopSite):
    sizes = [len(site.answer(site.shop.path(item)).body) for item in site.shop.items]
    assert min(sizes) > 6_000
    assert max(sizes) < 15_000


def test_the_slow_site_gives_its_truth():
    site = slow_site(45, delay=0.5)
    queue, seen = ["/"], {"/"}
    for path in queue:
        for target in links_of(site.answer(path), path):
            if target not in seen:
                seen.add(target)
                queue.append(target)
    rows = site.truth()
    assert len(rows) == 45
    assert {row["url"] for row in rows} <= seen
    for row in rows:
        answer = site.answer(row["url"])
        tree = tree_of(answer)
        assert answer.delay == 0.5
        assert tree.select("h1")[0].text() == row["fields"]["title"]
        assert tree.select(".price")[0].text() == row["fields"]["price"]
    assert site.answer("/item/46").status == site.answer("/list/3").status == 404
