import pytest

from winze.urls.families import DEPTH, KEY_SETS, SECTIONS, Families, names_date

HOST = "http://shop.example"


@pytest.mark.parametrize(
    ("path", "family"),
    [
        ("", "shop.example"),
        ("/", "shop.example"),
        ("/p", "shop.example/p"),
        ("/p/17", "shop.example/p/#"),
        ("/p/17?b=2&a=1&a=3", "shop.example/p/#?a&b"),
        ("/2024-03/5/", "shop.example/date/#"),
        ("/a/a/a/", "shop.example/a/(again)"),
        ("/b/c/b/c/x", "shop.example/b/c/word/(again)"),
        # Numbers that stand there twice are a date.
        ("/2024/03/03/03/story", "shop.example/#/#/#/#/word"),
        ("/a/b/c/d/e/f/g/h/i", "shop.example/a/b/c/d/e/f/g/word/..."),
    ],
)
def test_families_are_shapes(path, family):
    families = Families()
    assert families.of(HOST + path) == family
    # Once more, with the directory remembered.
    assert families.of(HOST + path) == family


def test_a_place_with_many_words_is_folded_for_all():
    families = Families()
    names = ["".join(chr(97 + int(digit)) for digit in str(n)) for n in range(100, 100 + SECTIONS)]
    told = {families.of(f"{HOST}/{name}/1") for name in names}
    assert len(told) == SECTIONS
    assert families.of(f"{HOST}/another/1") == "shop.example/word/#"
    assert families.of(f"{HOST}/{names[0]}/1") == "shop.example/word/#"


def test_a_path_with_many_key_sets_is_one_family():
    families = Families()
    found = [families.of(f"{HOST}/f?c{n}=1") for n in range(KEY_SETS + 40)]
    assert len(set(found)) == KEY_SETS + 1
    assert families.of(f"{HOST}/f?c0=1") == "shop.example/f?*"
    again = Families(families.folded())
    assert again.of(f"{HOST}/f?c0=1") == "shop.example/f?*"
    assert again.of(f"{HOST}/g?c0=1") == "shop.example/g?c0"


def test_ever_deeper_paths_are_few_families():
    families = Families()
    deep = {families.of(HOST + "".join(f"/{n}x{n}" for n in range(depth))) for depth in range(99)}
    assert len(deep) == DEPTH + 2


@pytest.mark.parametrize(
    ("path", "dated"),
    [
        ("/2024/3", True),
        ("/cal/2024-03-05", True),
        ("/cal/2101/7", True),
        ("/?d=20240305", True),
        ("/cal?year=2024&month=3", True),
        ("/p/2024", False),
        ("/p/20241305", False),
        ("/p/120240305", False),
        ("/p/1850/3", False),
    ],
)
def test_dates_are_told_from_numbers(path, dated):
    assert names_date(HOST + path) is dated


def test_a_port_is_no_date():
    assert not names_date("http://127.0.0.1:2024/3")
