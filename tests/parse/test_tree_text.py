"""The text outside links, by the gentle way and by the one that takes the tree apart."""

import pytest

from winze.parse.html import Tree


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("<p>one <a href=/>two <b>three</b></a> four", "one four"),
        ("<title>T</title><style>s</style><p>one<script>x</script><noscript>n</noscript>", "one"),
        ("<p>one<svg><a><text>two</text></a><script>x</script></svg>three", "one three"),
        ("<template><p>no<a>no</a></template><p>one<iframe>no</iframe>", "one"),
        ("<svg><svg>no</svg></svg><a>no<svg>no</svg></a>一　二<a>三</a>", "一 二"),
        ("<noscript><a href=/>no</a><style>no</style></noscript>one", "one"),
        ("<frameset><frame src=/></frameset>", ""),
    ],
)
def test_both_ways_give_the_same_text(html, text):
    assert Tree(html).text_outside_links() == text
    assert Tree(html).last_text() == text


def test_the_gentle_way_leaves_the_tree_as_it_was():
    tree = Tree("<p>one <a href=/>two</a>")
    tree.elements("a")
    assert tree.text_outside_links() == "one"
    assert [node.text() for node in tree.elements("a")] == ["two"]
    assert tree.text() == "one two"
