import pytest

from winze.extract.wrapper import Wrapper, apply
from winze.learn.wrappers import Example, learn_wrapper
from winze.parse.html import Tree

DIVS = "<div class=review><b>{who}</b>{stars}<p>{text}</p></div>", "<i class=stars>{}</i>", "div"
CELLS = "<tr class=review><td>{who}</td>{stars}<td class=t>{text}</td></tr>", "<th>{}</th>", "table"


def page(rows, form=DIVS) -> Tree:
    row, star, around = form
    body = "".join(
        row.format(who=who, stars=star.format(stars) if stars else "", text=text)
        for who, stars, text in rows
    )
    return Tree(f"<html><body><h1>A book</h1><{around} id=main>{body}</{around}></body></html>")


SHOWN = [("Ann", "5", "Loved it"), ("Bo", "", "Too long"), ("Cy", "3", "So so")]
OTHER = [("Dee", "", "Never again"), ("Eve", "1", "Meh")]
TOLD = {
    "title": "A book",
    "who": ["Ann", "Bo", "Cy"],
    "stars": ["5", "3"],
    "text": ["Loved it", "Too long", "So so"],
}


@pytest.mark.parametrize("form", [DIVS, CELLS])
def test_lists_that_share_a_container_stay_in_line(form):
    wrapper = learn_wrapper([Example(page(SHOWN, form), TOLD)])
    assert apply(wrapper, page(OTHER, form)) == {
        "title": "A book",
        "who": ["Dee", "Eve"],
        "stars": ["", "1"],
        "text": ["Never again", "Meh"],
    }


def test_a_page_without_rows_gives_empty_lists():
    wrapper = learn_wrapper([Example(page(SHOWN), TOLD)])
    assert apply(wrapper, page([])) == {"title": "A book", "who": [], "stars": [], "text": []}


def test_lists_of_different_places_are_no_rows():
    tree = Tree("<ul id=a><li>egg<li>milk<li>tea</ul><ol id=b><li>Mix it<li>Bake it</ol>")
    wrapper = learn_wrapper(
        [Example(tree, {"ingredients": ["egg", "milk", "tea"], "steps": ["Mix it", "Bake it"]})]
    )
    assert [template.container for template in wrapper.templates] == [None]
    other = Tree("<ul id=a><li>rice</ul><ol id=b><li>Wash it<li>Boil it<li>Eat it</ol>")
    assert apply(wrapper, other) == {
        "ingredients": ["rice"],
        "steps": ["Wash it", "Boil it", "Eat it"],
    }


def test_learned_rows_survive_learned_json():
    wrapper = learn_wrapper([Example(page(SHOWN), TOLD)])
    read = Wrapper.from_json(wrapper.to_json())
    assert apply(read, page(OTHER)) == apply(wrapper, page(OTHER))


def test_a_list_in_several_places_is_added_up_from_parts():
    def venue(street: str, city: str, phone: str) -> Tree:
        return Tree(
            f"<div id=v><span class=street>{street}</span><b class=city>{city}</b>"
            f"<em class=phone>{phone}</em></div>"
        )

    wrapper = learn_wrapper(
        [Example(venue("2 Main St", "Rome", "555-1"), {"address": ["2 Main St", "Rome"]})]
    )
    assert apply(wrapper, venue("9 Oak Ave", "Oslo", "555-2")) == {"address": ["9 Oak Ave", "Oslo"]}


def test_each_layout_of_the_examples_has_its_paths():
    old = Tree("<p class=date>2019-09-07</p><p class=hits>17</p>")
    new = Tree("<meta name=published content='2020-01-02'><p class=hits>3</p>")
    wrapper = learn_wrapper(
        [Example(old, {"date": "2019-09-07"}), Example(new, {"date": "2020-01-02"})]
    )
    for tree, date in (
        (Tree("<p class=date>2018-02-03</p><p class=hits>9</p>"), "2018-02-03"),
        (Tree("<meta name=published content='2021-05-06'><p class=hits>9</p>"), "2021-05-06"),
    ):
        assert apply(wrapper, tree) == {"date": date}


def test_pages_without_labels_tell_navigation_from_the_value():
    def recipe(category: str) -> Tree:
        return Tree(
            "<p id=topics><b>Lunch</b> <i class=hot>Dessert</i></p>"
            f"<div><div><div><span>x</span><span>{category}</span></div></div></div>"
        )

    examples = [Example(recipe("Dessert"), {"kind": "Dessert"})]
    others = [recipe(name) for name in ("Dinner", "Soup", "Salad", "Snack", "Bread", "Cake")]
    alone, helped = learn_wrapper(examples), learn_wrapper(examples, others)

    def trust(wrapper: Wrapper, css: str) -> float:
        paths = wrapper.templates[0].fields[0].paths
        return max(path.confidence for path in paths if css in path.css)

    assert trust(helped, "i.hot") < trust(alone, "i.hot")
    assert trust(helped, "span") == trust(alone, "span")


def test_what_is_missing_on_a_page_is_absent_and_not_its_neighbour():
    def book(subtitle: str) -> Tree:
        return Tree(
            f"<main><h1>Dune</h1>{subtitle}<p class=blurb>Sand and more sand</p>"
            "<p class=imprint>Chilton Books</p></main>"
        )

    examples = [
        Example(book("<p class=sub>A novel</p>"), {"subtitle": "A novel"}),
        Example(book("<p class=sub>Book one</p>"), {"subtitle": "Book one"}),
    ]
    assert apply(learn_wrapper(examples), book("")) == {"subtitle": None}
