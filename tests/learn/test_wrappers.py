import pytest

from winze.extract.wrapper import Value, apply
from winze.learn.values import find_value, nearest_text
from winze.learn.wrappers import Example, learn_wrapper
from winze.parse.html import Tree


def page(title: str, price: str, author: str, reviews=(), extra: str = "") -> Tree:
    items = "".join(f"<li class=review><b>{who}</b><p>{text}</p></li>" for who, text in reviews)
    listed = f"<ul class=reviews>{items}</ul>" if items else ""
    return Tree(
        f"""<html><head><title>{title} | Shop</title></head><body>
        <nav><a href=/>Home</a></nav>{extra}
        <main><h1>{title}</h1><p class=price>Our price: {price}</p>
        <dl><dt>Author</dt><dd>{author}</dd><dt>Language</dt><dd>English</dd></dl>{listed}</main>
        <aside><p class=price>Our price: £1.00</p><h3>Best seller</h3></aside></body></html>"""
    )


ONE = page("Sharp Objects", "£47.82", "Gillian Flynn", [("A", "Loved it"), ("B", "Too long")])
TWO = page("Soumission", "£50.10", "Michel Houellebecq")
OTHER = page("Dark Places", "£7.00", "G. Flynn", [("C", "Grim")], extra="<p class=price>Sale!</p>")


def learned(one: dict[str, Value], two: dict[str, Value] | None = None):
    examples = [Example(ONE, one)] + ([Example(TWO, two)] if two is not None else [])
    return apply(learn_wrapper(examples), OTHER)


@pytest.mark.parametrize(
    ("name", "one", "two", "expected"),
    [
        ("title", "Sharp Objects", "Soumission", "Dark Places"),
        ("price", "£47.82", "£50.10", "£7.00"),
        ("author", "Gillian Flynn", "Michel Houellebecq", "G. Flynn"),
        ("reviews", ["Loved it", "Too long"], [], ["Grim"]),
        ("title", " SHARP  objects", "soumission", "Dark Places"),
    ],
)
def test_two_examples_teach_a_field(name, one, two, expected):
    assert learned({name: one}, {name: two}) == {name: expected}


@pytest.mark.parametrize(
    ("name", "one", "expected"),
    [
        ("title", "Sharp Objects", "Dark Places"),
        ("price", "£47.82", "£7.00"),
        ("reviews", ["Loved it", "Too long"], ["Grim"]),
    ],
)
def test_one_example_is_enough(name, one, expected):
    assert learned({name: one}) == {name: expected}


def test_what_was_not_told_of_a_page_is_not_taken_for_absent():
    assert learned({"title": "Sharp Objects"}, {"title": None}) == {"title": "Dark Places"}


def test_absent_is_an_answer():
    wrapper = learn_wrapper(
        [Example(ONE, {"reviews": ["Loved it", "Too long"]}), Example(TWO, {"reviews": []})]
    )
    assert apply(wrapper, TWO) == {"reviews": []}


def test_a_value_found_nowhere_has_no_path_and_harms_no_other():
    wrapper = learn_wrapper([Example(ONE, {"title": "Sharp Objects", "isbn": "no such text"})])
    assert apply(wrapper, OTHER) == {"title": "Dark Places", "isbn": None}


def test_linked_data_teach_a_field_that_the_page_does_not_show():
    def made(sku: str) -> Tree:
        script = f'<script type="application/ld+json">{{"@type":"Product","sku":"{sku}"}}</script>'
        return Tree(f"<html><head>{script}</head><body><h1>Tea</h1></body></html>")

    wrapper = learn_wrapper([Example(made("A-1"), {"sku": "A-1"})])
    assert apply(wrapper, made("B-2")) == {"sku": "B-2"}


def test_a_wrong_value_is_told_with_the_nearest_text():
    assert find_value(ONE, "sharp objects")
    assert find_value(ONE, "£47.82")
    assert not find_value(ONE, "Sharp Object")
    assert nearest_text(ONE, "Sharp Object") == "Sharp Objects"
    assert nearest_text(ONE, "成都川菜") == ""
