import pickle

import pytest

from winze.judge.verifier import Verifier, jaccard, learn_verifier
from winze.parse.html import Tree

ITEM = (
    "<body><div class=head><a href=/>h</a></div><div class=item><h1>{0}</h1><p class=price>{0}</p>"
    "<ul class=facts><li><b>x</b></li></ul></div></body>"
)
LIST = (
    "<body><div class=head><a href=/>h</a></div><table class=list><tr><td><a href=/1>{0}</a></td>"
    "</tr></table></body>"
)


def paths(template, text="1"):
    return Tree(template.format(text)).tag_paths()


def sets(count, common, own):
    """So many sets of tag paths with `common` paths shared and `own` of their own."""
    return [
        frozenset([*(f"c{i}" for i in range(common)), *(f"{n}-{i}" for i in range(own))])
        for n in range(count)
    ]


def test_pages_of_the_examples_template_are_targets():
    verifier = learn_verifier([paths(ITEM), paths(ITEM, "2")], [paths(LIST)])
    assert verifier.holds(paths(ITEM, "another"))
    assert not verifier.holds(paths(LIST, "another"))
    assert not verifier.holds(frozenset())


@pytest.mark.parametrize(
    ("one", "other", "similarity"),
    [("", "", 0.0), ("a", "", 0.0), ("ab", "ab", 1.0), ("abc", "bcd", 0.5)],
)
def test_jaccard(one, other, similarity):
    assert jaccard(frozenset(one), frozenset(other)) == similarity


def test_the_nearest_example_counts():
    verifier = Verifier(0.5, (frozenset("ab"), frozenset("xyz")))
    assert verifier.similarity(frozenset("xyz")) == 1.0


def test_the_threshold_lies_between_examples_and_background():
    examples = [frozenset("abcdefgh"), frozenset("abcdefgi")]  # similarity 7/9
    far = learn_verifier(examples, [frozenset("z")]).threshold
    near = learn_verifier(examples, [frozenset("abcdef")]).threshold
    assert far == pytest.approx(7 / 18, abs=1e-3)
    assert far < near < 7 / 9


def test_one_example_is_enough():
    verifier = learn_verifier([paths(ITEM)], [paths(LIST)])
    assert verifier.holds(paths(ITEM, "2"))
    assert not verifier.holds(paths(LIST))


def test_no_example_is_an_error():
    with pytest.raises(ValueError, match="needs an example page"):
        learn_verifier([], [paths(LIST)])


def test_more_pages_part_what_the_start_page_could_not():
    item = [f"i{n}" for n in range(20)]
    example = frozenset(item)
    varied = [frozenset(item[: 14 + n % 5]) for n in range(10)]  # targets: similarity 0.7 to 0.9
    others = [frozenset([*item[:12], f"o{n}"]) for n in range(10)]  # 0.57
    start = frozenset(["s", *item[:18]])  # the start page looks much like a target
    first = learn_verifier([example, example], [start])
    refined = learn_verifier([example, example], [start, *others], varied)
    assert not all(map(first.holds, varied))
    assert all(map(refined.holds, varied))
    assert not any(map(refined.holds, others))


def test_pages_of_the_same_form_that_are_mixed_leave_the_threshold_alone():
    example = frozenset("abcdefghij")
    same = [frozenset("abcdefgh")] * 10 + [frozenset("abcdz")] * 10
    first = learn_verifier([example, example], [frozenset("z")])
    mixed = learn_verifier([example, example], [frozenset("z"), *same[::2]], same[1::2])
    assert mixed.threshold == pytest.approx(first.threshold, abs=0.3)
    assert mixed.examples == first.examples


def test_a_verifier_travels_to_another_process():
    verifier = learn_verifier(sets(2, 8, 1), sets(1, 1, 5))
    assert pickle.loads(pickle.dumps(verifier)) == verifier
