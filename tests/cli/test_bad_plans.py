"""A bad plan gives one clear line and exit 2; a bad site is told of with exit 4."""

import json

import pytest

from tests.cli.command import finish, winze, winze_process, write_plan
from tests.cli.site import Pages, book_shop
from tests.services import spare_port
from winze.demo.server import ShopServer
from winze.demo.site import Answer

START = 'start = ["http://127.0.0.1:9/"]\n'

EXAMPLES = 'examples = ["http://127.0.0.1:9/1", "http://127.0.0.1:9/2"]\n'

#: Plan text; what its line must name: the key, and a part of what is wrong or to be done.
UNREAD = {
    "no start": ('keywords = "a"', ["start: is missing", 'start = ["https://...']),
    "empty": ("", ["start: is missing"]),
    "start is no address": ('start = ["shop.example"]', ["start:", "'https://host/path'"]),
    "start is a number": ("start = [7]", ["start.0", "not 7"]),
    "start is one text": ('start = "http://127.0.0.1:9/"', ["start:", "list"]),
    "bad regex": (START + '[filters]\ndeny = ["(["]', ["filters.deny:", "regular expression"]),
    "near miss": (START + 'keyword = "x"', ["keyword:", "did you mean 'keywords'?"]),
    "near miss in a part": (START + "[limits]\npage = 3", ["limits.page:", "'pages'"]),
    "unknown key": (START + "zzz = 1", ["zzz:", "the keys are start, seeds"]),
    "keywords end early": (START + 'keywords = "成都&&"', ["keywords:", "'&&'", "right"]),
    "number for text": (START + "user_agent = 5", ["user_agent:", "string", "not 5"]),
    "text for number": (START + 'delay = "fast"', ["delay:", "number", "'fast'"]),
    "negative": (START + "delay = -1", ["delay:", "greater than or equal to 0", "-1"]),
    "scope": (START + 'scope = "galaxy"', ["scope:", "'host', 'domain', 'prefix' or 'any'"]),
    "too many values": (
        START + EXAMPLES + '[fields]\ntitle = ["a", "b", "c"]',
        ["fields.title: 3 values for 2 examples", "one value per example"],
    ),
    "value and list": (
        START + EXAMPLES + '[fields]\ntag = ["a", ["b"]]',
        ["fields.tag:", "list", '[["a", "b"], []]'],
    ),
    "number for a value": (
        START + EXAMPLES + "[fields]\nprice = [4.5, 5.0]",
        ["fields.price.0:", "4.5"],
    ),
    "no value": (START + EXAMPLES + '[fields]\ntitle = ["", ""]', ["fields.title:", "no example"]),
    "reserved": (START + EXAMPLES + '[fields]\nurl = ["a"]', ["fields.url:", "another name"]),
    "no examples": (START + '[fields]\ntitle = ["a"]', ["fields:", "add examples = ["]),
    "not TOML": (
        "start = http://a/",
        ["is not TOML", "line 1", "texts and Chinese names need quotes"],
    ),
    "no such variable": (
        START + '[headers]\nkey = "${WINZE_NO_SUCH}"',
        ["headers.key:", "${WINZE_NO_SUCH} is not set", "export WINZE_NO_SUCH="],
    ),
    "no seeds file": ('seeds = "urls.txt"', ["seeds:", "urls.txt", "No such file"]),
    "bad css": (START + '[select]\ntitle = "h1["', ["select", "title", "h1["]),
}


def assert_one_line(result, *parts, code=2):
    assert result.code == code, result
    (line,) = result.err.splitlines()
    assert line.startswith("winze: ")
    assert "Traceback" not in result.err + result.out
    for part in parts:
        assert part in line, line


@pytest.mark.parametrize("name", UNREAD)
def test_a_plan_that_cannot_be_read(name, tmp_path, capfd):
    text, parts = UNREAD[name]
    path = write_plan(tmp_path / "shop", text)
    assert_one_line(winze(capfd, "learn", path), str(path), *parts)


def test_a_plan_in_another_encoding(tmp_path, capfd):
    path = tmp_path / "plan.toml"
    path.write_bytes((START + 'keywords = "成都"').encode("gbk"))
    assert_one_line(winze(capfd, "crawl", path), str(path), "is not UTF-8", "save it as UTF-8")


def test_a_plan_that_is_not_there(tmp_path, capfd):
    path = tmp_path / "no.toml"
    assert_one_line(winze(capfd, "crawl", path), str(path), "cannot be read", "winze init")


def test_a_seeds_file_that_names_no_address(tmp_path, capfd):
    path = write_plan(tmp_path, 'seeds = "urls.txt"')
    (tmp_path / "urls.txt").write_text("shop.example\n")
    assert_one_line(winze(capfd, "learn", path), str(path), "seeds: urls.txt", "https://host/path")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("{not json", ["cannot be read", "mend it or delete it"]),
        ('{"version": 9}', ["version: must be 1, not 9"]),
        ("[1, 2]", ["must be a JSON object"]),
        (
            '{"version": 1, "hosts": {"a": {"targets": ["(["]}}}',
            ["hosts.a.targets[0].regex", "(["],
        ),
        (
            '{"version": 1, "hosts": {"a": {"weight_threshold": "many"}}}',
            ["hosts.a.weight_threshold", "many"],
        ),
        (
            '{"version": 1, "hosts": {"a": {"verifier": {"threshold": "high"}}}}',
            ["hosts.a.verifier.threshold", "high"],
        ),
        ('{"version": 1, "hosts": {"a": {"verifier": 3}}}', ["hosts.a.verifier", "3"]),
        (
            '{"version": 1, "hosts": {"a": {"targets": [{"regex": "a", "support": "x"}]}}}',
            ["hosts.a.targets[0].support", "x"],
        ),
        (
            '{"version": 1, "templates": [{"fields": {"a": {"paths": [{"css": "h1["}]}}}]}',
            ["templates[0].fields.a.paths[0]", "h1["],
        ),
        ('{"title": "h1["}', ["title", "h1["]),
        ('{"version": 1, "templates": [{"id": "t"}]}', ["templates[0].fields"]),
    ],
)
def test_a_hand_edit_that_broke_learned_json(text, parts, tmp_path, capfd):
    path = write_plan(tmp_path, START)
    (tmp_path / "learned.json").write_text(text)
    result = winze(capfd, "crawl", path)
    assert_one_line(result, str(tmp_path / "learned.json"), *parts)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["-o", "table.xlsx"], ["table.xlsx", "'.xlsx'", "use .jsonl or .csv"]),
        (["-o", "a.csv", "-O", "b.csv"], ["-o", "-O", "not both"]),
    ],
)
def test_a_command_line_that_cannot_be_done(options, parts, tmp_path, capfd):
    assert_one_line(winze(capfd, "crawl", write_plan(tmp_path, START), *options), *parts)


def test_an_output_that_cannot_be_written(tmp_path, capfd):
    path = write_plan(tmp_path, START + "robots = false\nsitemap = false")
    (tmp_path / "learned.json").write_text('{"title": "h1"}')
    (tmp_path / "table.csv").mkdir()
    result = winze(capfd, "crawl", path, "-o", tmp_path / "table.csv")
    assert_one_line(
        result, str(tmp_path / "table.csv"), "cannot be written: Is a directory", code=1
    )


@pytest.fixture(scope="module")
def shop():
    pages = book_shop()
    pages.pages["/empty"] = Answer(b"")
    with ShopServer(pages) as server:
        yield server.url


def plan_for(root, *, examples=("/book/1", "/book/2"), title=("Book no. 1", "Book no. 2")):
    return (
        f"start = [{json.dumps(root + '/')}]\n"
        f"examples = {json.dumps([root + path for path in examples])}\n"
        f"[fields]\ntitle = {json.dumps(list(title))}\n"
    )


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (
            {"title": ("Book no. 1", "Bock no. 2")},
            ["fields.title: 'Bock no. 2' stands nowhere on", "/book/2", "'Book no. 2'"],
        ),
        (
            {"title": ("万历十五年", "Book no. 2")},
            ["fields.title: '万历十五年' stands nowhere on", "nothing there is like it"],
        ),
        ({"examples": ("/book/1", "/book/99")}, ["examples[1]:", "/book/99", "404", "copy"]),
        ({"examples": ("/empty", "/book/2")}, ["examples[0]:", "/empty"]),
        (
            {"examples": ("/book/1", "/article"), "title": ("Book no. 1", "Other words.")},
            ["examples:", "/book/1", "/article", "share nothing", "two pages of the same kind"],
        ),
    ],
)
def test_examples_that_cannot_be_learned_from(change, parts, shop, tmp_path, capfd):
    path = write_plan(tmp_path, plan_for(shop, **change))
    assert_one_line(winze(capfd, "learn", path), str(path), *parts)
    assert not (tmp_path / "learned.json").exists()


@pytest.mark.parametrize("text", ["keywords = 1", START + 'keywords = "成都&&"'])
def test_the_real_command_ends_with_one_line(text, tmp_path):
    path = write_plan(tmp_path, text)
    assert_one_line(finish(winze_process("learn", path)), str(path), "keywords:")


# Bad sites.

SCRIPTED = "<title>App</title><div id=root></div><script src=/app.js></script>"


@pytest.mark.parametrize(
    ("other", "parts"),
    [
        (Answer(b"<h1>404</h1>", status=404), ["404", "URL_404", "open it in a browser"]),
        (Answer(b"no", status=403), ["403", "user_agent"]),
        (Answer(SCRIPTED.encode()), ["fewer than 200 visible characters", "JavaScript", "sitemap"]),
        (Answer(b""), ["empty"]),
    ],
    ids=["404", "403", "scripts", "empty"],
)
def test_a_site_that_gives_no_page(other, parts, tmp_path, capfd):
    pages = Pages({"/robots.txt": Answer(b"", content_type="text/plain")}, other)
    with ShopServer(pages) as server:
        path = write_plan(tmp_path, plan_for(server.url))
        result = winze(capfd, "learn", path)
    assert_one_line(result, server.url, code=4)
    for part in parts:
        assert part.lower() in result.err.lower()


def test_a_site_whose_every_page_is_an_error(tmp_path, capfd):
    with ShopServer(Pages(other=Answer(b"oops", status=500))) as server:
        result = winze(capfd, "learn", write_plan(tmp_path, plan_for(server.url)))
    assert_one_line(result, server.url, "robots.txt answers 5xx", "robots = false", code=4)


def test_a_site_that_answers_nothing(tmp_path, capfd):
    root = f"http://127.0.0.1:{spare_port()}"
    result = winze(capfd, "learn", write_plan(tmp_path, plan_for(root)))
    assert_one_line(result, root, "no answer", "CONNECTION", code=4)


def test_an_example_that_scripts_draw(tmp_path, capfd):
    pages = book_shop()
    pages.pages["/book/2"] = SCRIPTED
    with ShopServer(pages) as server:
        result = winze(capfd, "learn", write_plan(tmp_path, plan_for(server.url)))
    assert_one_line(result, "/book/2", "JavaScript", code=4)


def test_a_short_example_that_shows_its_values_needs_no_browser(tmp_path, capfd):
    pages = book_shop()
    for number in range(1, 13):
        pages.pages[f"/book/{number}"] = (
            f"<h1>Book no. {number}</h1><p class=p>short</p><script>1</script>"
        )
    with ShopServer(pages) as server:
        result = winze(capfd, "learn", write_plan(tmp_path, plan_for(server.url)))
    assert result.code == 0, result.err
