"""learned.json: read, written, edited by hand; its errors are in cli/test_bad_plans.py."""

import json
from dataclasses import replace

import pytest

from winze.extract.paths import Path as FieldPath
from winze.extract.wrapper import Field, Template, Wrapper, apply
from winze.learned import (
    HostRules,
    Learned,
    learned_from_json,
    learned_to_json,
    load_learned,
    merge_by_hand,
    save_learned,
)
from winze.parse.html import Tree
from winze.urls.patterns import Pattern

PAGE = Tree("<h1>Sharp</h1><b class=t>Blunt</b><img class=c src=a.jpg><p class=p>£4</p>")


def wrapper(css: str = "b.t", by: str = "learned") -> Wrapper:
    path = FieldPath(css=css, by=by, confidence=0.5)
    return Wrapper((Template("page", (Field("title", (path,)),)),))


def rules(host: str = "shop.example", **parts) -> HostRules:
    return HostRules(host, **parts)


LEARNED = Learned(
    (
        rules(
            targets=(Pattern("http://shop.example/p/[0-9]+", 7, ("http://shop.example/p/1",)),),
            directories=(Pattern("http://shop.example/d/.*", by="hand"),),
            decided_by="url",
            weight_threshold=3,
            similarity=0.75,
            examples=("http://shop.example/p/1",),
        ),
        rules("www.shop.example"),
    ),
    wrapper(),
    ("title",),
)

NEW = replace(
    LEARNED,
    rules=(replace(LEARNED.rules[0], directories=(Pattern("http://shop.example/d/.*", 9),)),),
)

HAND = Pattern("http://shop.example/hand/.*", by="hand")


def test_what_is_written_is_read(tmp_path):
    path = tmp_path / "learned.json"
    assert load_learned(path) is None
    save_learned(path, LEARNED)
    assert load_learned(path) == LEARNED
    assert learned_to_json(load_learned(path)) == json.loads(path.read_text("utf-8"))
    assert [one.name for one in tmp_path.iterdir()] == ["learned.json"]


def test_a_failed_write_leaves_the_old_file(tmp_path):
    path = tmp_path / "learned.json"
    save_learned(path, LEARNED)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        save_learned(path, replace(LEARNED, required=(object(),)))
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("flat", "record"),
    [
        ({"title": "h1"}, {"title": "Sharp"}),
        ({"title": "h1", "cover#src": "img.c"}, {"title": "Sharp", "cover": "a.jpg"}),
        ({"title": ".no"}, {"title": None}),
    ],
)
def test_p1s_flat_form_is_read(flat, record, tmp_path):
    path = tmp_path / "learned.json"
    path.write_text(json.dumps(flat))
    learned = load_learned(path)
    assert apply(learned.wrapper, PAGE) == record
    assert learned.rules == ()


def test_what_is_left_out_has_a_default():
    learned = learned_from_json({"version": 1, "hosts": {"a.example": {"targets": ["x.*"]}}})
    (rule,) = learned.rules
    assert rule == HostRules("a.example", (Pattern("x.*", by="hand"),), decided_by="url")
    assert learned.wrapper == Wrapper()


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "learned.json"
    path.write_text("\ufeff" + json.dumps(learned_to_json(LEARNED)), "utf-8")
    assert load_learned(path) == LEARNED


def test_learning_again_replaces_what_was_learned():
    new = replace(LEARNED, rules=(rules(decided_by="page"),), wrapper=wrapper("h1"))
    merged = merge_by_hand(new, LEARNED)
    assert apply(merged.wrapper, PAGE) == {"title": "Sharp"}
    assert merged.rules[0].targets == ()
    assert merge_by_hand(new, None) == new


def test_learning_again_keeps_what_was_written_by_hand():
    old = Learned(
        (rules(targets=(HAND,), directories=(HAND,), decided_by="url"),),
        wrapper(".p", by="hand"),
        ("price",),
    )
    merged = merge_by_hand(NEW, old)
    rule = merged.rules[0]
    assert rule.targets == (HAND,)
    assert rule.decided_by == "url"
    assert rule.directories == (HAND, *NEW.rules[0].directories)
    assert rule.similarity == 0.75
    assert merged.required == ("price",)
    assert apply(merged.wrapper, PAGE) == {"title": "£4"}
    paths = merged.wrapper.templates[0].fields[0].paths
    assert [path.by for path in paths] == ["hand", "learned"]
    assert merge_by_hand(NEW, merged) == merged


def test_a_field_and_a_host_that_only_the_hand_knows_stay():
    extra = Wrapper.from_json({"price": ".p"})
    old = Learned((rules("other.example", targets=(HAND,)), rules("gone.example")), extra)
    merged = merge_by_hand(LEARNED, old)
    assert [rule.host for rule in merged.rules] == [
        "shop.example",
        "www.shop.example",
        "other.example",
    ]
    assert apply(merged.wrapper, PAGE) == {"title": "Blunt", "price": "£4"}


def test_a_flat_form_by_hand_wins_over_learned_paths():
    merged = merge_by_hand(NEW, learned_from_json({"title": "h1"}))
    assert apply(merged.wrapper, PAGE) == {"title": "Sharp"}
    assert merge_by_hand(NEW, merged) == merged
