import random

import pytest

from winze.text.novelty import Novelty, hashes
from winze.text.signature import signature
from winze.text.simhash import NEAR_BITS, SimhashIndex, near, signed, simhash, sketch


def english(seed, count=400):
    rng = random.Random(seed)
    return " ".join(
        "".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(2, 9)))
        for _ in range(count)
    )


def chinese(seed, count=800):
    rng = random.Random(seed)
    return "".join(chr(0x4E00 + rng.randint(0, 5000)) for _ in range(count))


@pytest.mark.parametrize("text", [english, chinese])
def test_a_text_is_near_to_itself_with_little_changed_and_to_no_other(text):
    marks = [simhash(text(seed)) for seed in range(20)]
    changed = [simhash(f"{text(seed)} 12:30") for seed in range(20)]
    assert all(near(one, other) for one, other in zip(marks, changed, strict=True))
    pairs = [(one, other) for one in marks for other in marks if one != other]
    assert len(pairs) == 380
    assert not any(near(one, other) for one, other in pairs)


@pytest.mark.parametrize("text", [english, chinese])
def test_one_word_among_hundreds_is_most_often_near(text):
    rng = random.Random(1)
    close = 0
    for seed in range(40):
        whole = text(seed)
        place = rng.randrange(len(whole) - 4)
        close += near(simhash(whole), simhash(f"{whole[:place]}zz{whole[place + 2 :]}"))
    assert close >= 28


def test_case_digits_and_blanks_make_no_difference():
    text = english(1)
    assert simhash(text) == simhash(f"17 {text.upper()} 2024-05-01")


@pytest.mark.parametrize("text", ["", "x" * 99, "短" * 99, "\ud800"])
def test_short_texts_have_none(text):
    assert simhash(text) is None
    assert not near(simhash(text), simhash(text))


def test_dull_texts_have_marks_of_their_own():
    texts = ["x" * 1000, "ab " * 9000, "川菜" * 3000, "ab cd " * 500]
    marks = [simhash(text) for text in texts]
    assert None not in marks
    assert len(set(marks)) == len(texts)
    assert all(len(sketch(text).shingles) > 0 for text in texts)
    assert simhash("1 " * 300) is None


def test_long_texts_are_looked_at_at_both_ends():
    middle = english(2, 3000)
    assert simhash(f"{english(1)} {middle}") != simhash(f"{english(3)} {middle}")
    assert simhash(f"{middle} {english(1)}") != simhash(f"{middle} {english(3)}")


def test_the_index_finds_what_differs_in_three_bits():
    rng = random.Random(3)
    index = SimhashIndex()
    marks = [rng.getrandbits(64) for _ in range(500)]
    assert not any(index.add(mark) for mark in marks)
    for mark in marks:
        bits = rng.sample(range(64), NEAR_BITS)
        assert index.add(mark ^ sum(1 << bit for bit in bits))


def test_a_database_gets_signed_numbers():
    assert (signed(1 << 63), signed((1 << 63) - 1)) == (-(1 << 63), (1 << 63) - 1)


def test_novelty_tells_new_words_from_old_ones_by_family():
    novelty = Novelty()
    first, second = sketch(english(1)).shingles, sketch(english(2)).shingles
    assert novelty.share(first, "/a") == 1.0
    assert novelty.share(first, "/a") == 0.0
    assert novelty.share(first, "/b") == 1.0
    assert novelty.share(second, "/a") > 0.9
    assert novelty.share(sketch("2024").shingles, "/a") == 0.0


def test_novelty_forgets_what_is_long_ago():
    novelty = Novelty()
    old = sketch(english("old")).shingles
    novelty.share(old, "/a")
    for number in range(300):
        novelty.share(hashes(f"{number}/{place}" for place in range(2000)), "/b")
    assert novelty.share(old, "/a") > 0.8


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("a b", " a \n b ", True),
        ("a b", "a\u00a0b", True),
        ("a  b", "a b", True),
        ("a b ", "a b", True),
        ("a b", "ab", False),
        ("川 菜", "川\u3000菜", True),
    ],
)
def test_signatures_fold_white_space(one, other, same):
    assert (signature(one) == signature(other)) is same
