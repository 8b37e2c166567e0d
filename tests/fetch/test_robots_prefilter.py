from hypothesis import example, given
from hypothesis import strategies as st
from protego import Protego

from winze.fetch.robots import read_rules
from winze.fetch.robots_prefilter import prefilter
from winze.model import Response

AGENT = "winze/0.1 (+https://a.example/bot)"

pieces = st.sampled_from(
    ["/", "/a", "/b", "a", "*", "$", "?q=1", "%61", "%2F", "é", "~", "=", ":", "tmp", ".php", "//"]
)
paths = st.lists(pieces.filter(lambda piece: piece not in {"*", "é"}), max_size=5).map(
    lambda found: "/" + "".join(found)
)
patterns = st.lists(pieces, max_size=5).map("".join)
fields = st.sampled_from(
    [
        "Disallow: ",
        "disallow:",
        "Disallow ",
        "dissalow: ",
        "diasllow : ",
        "Allow: ",
        "disfoo",
        "x: ",
    ]
)
agents = st.sampled_from(
    [
        *("User-agent: *", "User-agent: winze", "user agent WINZE", "useragent: win*"),
        *("User-agent: other", "User-agent:", "User-agent: bot", "Sitemap: http://a.example/s"),
        *("Crawl-delay: 2", "# comment", "", "Host: x", "User-agent: * # all"),
    ]
)
lines = st.one_of(agents, st.tuples(fields, patterns).map("".join))
texts = st.lists(lines, max_size=12).map("\n".join)


@given(texts, paths)
@example("User-agent: *\ndisfoo\nUser-agent: other\nDisallow: /a", "/a")
@example("User-agent: *\nx\nSitemap: y\nUser-agent: other\nDisallow: /*/tmp", "/b/tmp")
@example("User-agent: *\nx: y\nUser-agent: other\nDisallow: /a", "/a")
def test_what_protego_forbids_is_never_let_through(text, path):
    url = f"http://a.example{path}"
    if not Protego.parse(text).can_fetch(url, AGENT):
        assert prefilter(text, AGENT).may_be_forbidden(url)
    rules = read_rules(Response("", 200, body=text.encode()))
    assert rules.allows(url, AGENT) is Protego.parse(text).can_fetch(url, AGENT)


def test_other_agents_rules_cost_nothing():
    text = (
        "User-agent: BadBot\nDisallow: /\n\nUser-agent: *\nDisallow: /private\nDisallow: /*.php$\n"
    )
    found = prefilter(text, AGENT)
    assert (found.prefixes, found.needles.pattern) == (("/private",), r"\.php")
    assert not found.may_be_forbidden("http://a.example/shop/private?x=1")
    assert found.may_be_forbidden("http://a.example/shop/%70")


def test_a_hostile_file_is_read_at_once():
    text = "User-agent: *\n" + "Disallow: /" + "*a" * 20_000 + "*b\n" * 1000
    assert not prefilter(text, AGENT).may_be_forbidden("http://x.example/" + "c" * 2000)
