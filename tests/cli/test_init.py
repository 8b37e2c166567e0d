"""`winze init` writes a plan that `winze learn` can follow at once."""

import tomllib

import pytest

from tests.cli.command import winze
from tests.cli.site import article_page, book_page, book_shop
from winze.demo.server import ShopServer
from winze.demo.shop import Shop
from winze.demo.site import Answer
from winze.plan import load_plan

#: Shops that declare their items in nothing but h1, JSON-LD, microdata.
SEEDS = {"none": 3, "json-ld": 1, "microdata": 2}


@pytest.mark.parametrize("structured", SEEDS)
def test_learn_follows_at_once(capfd, tmp_path, structured):
    shop = Shop(seed=SEEDS[structured], products=60)
    assert shop.theme.structured == structured
    with ShopServer(shop) as server:
        wanted = shop.plan(server.url)
        result = winze(capfd, "init", server.url, *wanted.examples, "--folder", tmp_path / "shop")
        assert (result.code, result.err) == (0, "")
        plan = load_plan(tmp_path / "shop")
        assert plan.examples == list(wanted.examples)
        assert plan.fields["title"] == list(wanted.fields["title"])
        for name in plan.fields.keys() & wanted.fields.keys():
            assert plan.fields[name] == list(wanted.fields[name])
        learned = winze(capfd, "learn", plan.path)
        assert learned.code == 0, learned.err
    assert plan.learned_path.is_file()


def test_machine_readable_fields_are_taken(capfd, tmp_path):
    head = (
        '<meta property="og:site_name" content="Shop"><meta property="og:image" content="/{n}.jpg">'
        '<script type="application/ld+json">{{"@type": "Product", "name": "Book {n}",'
        ' "brand": {{"name": "The one"}}, "offers": {{"price": "{n}.50"}}}}</script>'
    )
    shop = book_shop(4)
    for n in (1, 2):
        shop.pages[f"/book/{n}"] = head.format(n=n) + book_page(f"Book no. {n}", f"£{n}.50")
    shop.pages["/book/2"] += '<time datetime="2026-01-02">yesterday</time>'
    with ShopServer(shop) as server:
        urls = [f"{server.url}/book/{n}" for n in (1, 2)]
        result = winze(capfd, "init", server.url, *urls, "--folder", tmp_path)
    assert result.code == 0
    fields = tomllib.loads((tmp_path / "plan.toml").read_text("utf-8"))["fields"]
    assert fields == {
        "title": ["Book no. 1", "Book no. 2"],
        "price": ["1.50", "2.50"],
        "date": ["", "2026-01-02"],
        "image": ["/1.jpg", "/2.jpg"],
    }


def test_without_examples_two_are_proposed_as_comments(capfd, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with ShopServer(Shop(seed=3, products=60)) as server:
        result = winze(capfd, "init", f"{server.url}/")
        path = tmp_path / server.url.removeprefix("http://").replace(":", "-") / "plan.toml"
        assert str(path) in result.out
        assert "/shop/p/#" in result.out.splitlines()[1]  # the likeliest group comes first
        plan = load_plan(path)
        assert (plan.start, plan.examples, plan.fields) == ([f"{server.url}/"], [], {})
        text = path.read_text("utf-8").replace("# examples =", "examples =")
        path.write_text(text, "utf-8")
        proposed = load_plan(path).examples
        assert len(proposed) == 2
        assert all("/shop/p/" in url for url in proposed)


def test_an_existing_plan_is_left_alone(capfd, tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text("mine", "utf-8")
    result = winze(capfd, "init", "http://127.0.0.1:9/", "--folder", tmp_path)
    assert result.code == 2
    assert "is there already" in result.err
    assert path.read_text("utf-8") == "mine"


def test_awkward_texts_make_a_plan_all_the_same(capfd, tmp_path):
    shop = book_shop(3)
    shop.pages["/"] += (
        "<a href='/book/1?x=1'>a\x01b \"quoted\" \\ #</a><a href='/book/2?x=2'>${X}</a>"
    )
    for n, title in ((1, 'He said "no" \\ #1'), (2, "It costs ${HOME}")):
        shop.pages[f"/book/{n}"] = book_page(title, f"£{n}")
    with ShopServer(shop) as server:
        urls = [f"{server.url}/book/{n}" for n in (1, 2)]
        result = winze(capfd, "init", server.url, *urls, "--folder", tmp_path)
    assert result.code == 0
    assert load_plan(tmp_path).fields == {}  # `${HOME}` would be read as a variable


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shop.example"], (2, "'shop.example' is not a web address")),
        (["{url}/", "book/1"], (2, "'book/1' is not a web address")),
        (["{url}/nowhere"], (4, "answered 404")),
        (["{url}/empty"], (4, "drawn by JavaScript")),
        (["http://127.0.0.1:9/"], (4, "gave no answer")),
        (["{url}/", "{url}/book/1", "{url}/nowhere"], (2, "answered 404")),
        (["{url}/", "{url}/book/1", "{url}/article"], (2, "share nothing")),
    ],
)
def test_what_cannot_be_looked_at_is_one_line(capfd, tmp_path, arguments, said):
    shop = book_shop(3)
    shop.pages["/article"] = article_page()
    shop.pages["/empty"] = Answer(b"<script>draw()</script>")
    with ShopServer(shop) as server:
        filled = [argument.format(url=server.url) for argument in arguments]
        result = winze(capfd, "init", *filled, "--folder", tmp_path)
    assert (result.code, result.out) == (said[0], "")
    assert said[1] in result.err
    assert result.err.count("\n") == 1
    assert not (tmp_path / "plan.toml").exists()
