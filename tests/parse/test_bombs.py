import pytest

from winze.parse.bombs import MAX_ATTRIBUTES, MAX_ELEMENTS, is_bomb
from winze.parse.html import Tree


def told(html: str) -> bool:
    return is_bomb(html.encode(), html)


def fonts(number: int, inner: str) -> str:
    """Unclosed elements that differ: each is opened anew in every paragraph behind it."""
    return "".join(f"<font color=#{n:06x}>{inner}" for n in range(number))


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("<div>" * 50_000, id="deep"),
        pytest.param("<ul><li>" * 50_000, id="deep-lists"),
        pytest.param("<p>a" * (MAX_ELEMENTS + 1), id="many"),
        pytest.param("<b></b>" * (MAX_ELEMENTS + 1), id="many-closed"),
        pytest.param(fonts(2_000, "<p>"), id="fonts"),
        pytest.param(fonts(2_000, "<p>x<br>"), id="fonts-and-breaks"),
        pytest.param(fonts(700, "") + "<p>x" * 700, id="fonts-before-paragraphs"),
        pytest.param("<p " + " ".join(f"a{n}" for n in range(50_000)) + ">", id="attributes"),
        pytest.param("<i>x</i>" * 9 + "<p " + "a=1 " * 50_000, id="attributes-without-end"),
    ],
)
def test_what_would_explode_is_told(html):
    assert told(html)


@pytest.mark.parametrize(
    "html",
    [
        pytest.param("", id="empty"),
        pytest.param("<div>" * 5_000 + "<span>x", id="5000-nested"),
        pytest.param("<p>a<br>" * 20_000, id="paragraphs"),
        pytest.param("<table>" + "<tr><td>a<td>b" * 40_000, id="table"),
        pytest.param("<p><b>a</b> <font size=1>b</font>" * 20_000, id="closed"),
        pytest.param("<b><p>" * 3_000, id="the same thrice at most"),
        pytest.param("<a href=/x>a" * 5_000, id="links"),
        pytest.param(f"<img src='data:,{'x' * 5_000_000}'>", id="data-url"),
        pytest.param(f"<script>{'var a = 1; ' * 50_000}</script>", id="script"),
        pytest.param(f"<p>{'word ' * 100_000}", id="text"),
        pytest.param(f"<!-- {'word ' * 100_000} -->", id="comment"),
        pytest.param(f"<p title='{'word ' * 4_000}'>", id="long-attribute"),
    ],
)
def test_long_pages_are_no_bombs(html):
    assert not told(html)
    assert Tree(html) is not None


def test_an_attribute_count_at_the_limit():
    assert not told(f"<p {' '.join(f'a{n}' for n in range(MAX_ATTRIBUTES - 1))}>")
