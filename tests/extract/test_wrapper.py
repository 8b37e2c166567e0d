import pytest

from winze.extract.wrapper import Wrapper, apply
from winze.parse.html import Tree

PAGE = Tree(
    """
    <html><head><meta property="og:title" content="Sharp Objects">
    </head>
    <body><h1 class="标题">Sharp  Objects</h1>
    <img class=cover src="/a.jpg">
    <ul id=info><li>作者: <a>Gillian Flynn</a></li><li>ISBN: 978-1 / 2006</li></ul>
    <div class=review><b>Ann</b><p>Loved it</p></div>
    <div class=review><p>Too long</p></div></body></html>
    """
)


def wrapper(**path) -> Wrapper:
    full = {"node": "element", "by": "learned", "confidence": 1.0} | path
    fields = {"f": {"type": "text", "many": False, "paths": [full]}}
    return Wrapper.from_json([{"id": "page", "container": None, "fields": fields}])


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ({"css": "h1.标题"}, "Sharp Objects"),
        ({"css": "img.cover", "node": "attr", "attr": "src"}, "/a.jpg"),
        ({"css": "#info li", "node": "text", "nth_text": 0, "regex": r"ISBN:\s*(\S+)"}, "978-1"),
        ({"css": "h6"}, None),
    ],
)
def test_a_path_leads_to_its_value(path, value):
    assert apply(wrapper(**path), PAGE) == {"f": value}


def test_p1s_flat_form_is_read():
    flat = Wrapper.from_json({"title": "h1", "cover#src": ".cover"})
    assert apply(flat, PAGE) == {"title": "Sharp Objects", "cover": "/a.jpg"}
    assert flat.field_names() == ["title", "cover"]


def test_what_is_written_is_read_again():
    one = wrapper(css="#info li", node="text", nth_text=0, regex=r"ISBN:\s*(\S+)")
    assert Wrapper.from_json(one.to_json()) == one


def test_each_container_gives_an_entry_and_absent_ones_a_gap():
    fields = {
        name: {"type": "text", "many": False, "paths": [{"css": css, "by": "hand"}]}
        for name, css in (("who", "b"), ("text", "p"))
    }
    reviews = Wrapper.from_json([{"id": "reviews", "container": ".review", "fields": fields}])
    assert apply(reviews, PAGE) == {"who": ["Ann", ""], "text": ["Loved it", "Too long"]}


def test_a_path_by_hand_wins_and_learned_ones_vote():
    def path(css: str, by: str, confidence: float) -> dict:
        return {"css": css, "node": "element", "by": by, "confidence": confidence}

    learned = [path(".review b", "learned", 0.9), path("h1", "learned", 0.5)]
    learned.append(path("body > h1", "learned", 0.6))
    fields = {"f": {"type": "text", "many": False, "paths": learned}}
    voted = Wrapper.from_json([{"id": "page", "container": None, "fields": fields}])
    assert apply(voted, PAGE)["f"] in {"Sharp Objects", "Ann"}
    fields["f"]["paths"] = [*learned, path("#info a", "hand", 0.1)]
    by_hand = Wrapper.from_json([{"id": "page", "container": None, "fields": fields}])
    assert apply(by_hand, PAGE) == {"f": "Gillian Flynn"}


@pytest.mark.parametrize(
    ("obj", "names"),
    [
        (7, "templates"),
        ([{"id": "page", "fields": 3}], r"templates\[0\]"),
        ([{"id": "p", "fields": {"f": {"paths": [{"css": "a["}]}}}], "f"),
        ([{"id": "p", "fields": {"f": {"paths": [{"css": "a", "regex": "("}]}}}], "f"),
        ({"title": "h1["}, "title"),
    ],
)
def test_a_bad_file_is_one_line_that_names_the_key(obj, names):
    with pytest.raises(ValueError, match=names) as caught:
        Wrapper.from_json(obj)
    assert "\n" not in str(caught.value)
