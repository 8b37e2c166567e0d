import pytest

from winze.learn.url_filters import (
    MOST_DIRECTORIES,
    MOST_DRAWN,
    Observation,
    learn_url_filters,
    next_audit,
    same_form,
)

ROOT = "http://s.example"
ITEMS = [f"{ROOT}/movie/title-{chr(97 + n % 26)}{n}" for n in range(200)]
PAGES = [f"{ROOT}/movie/page/{n}" for n in range(2, 12)]
FLAT = [f"{ROOT}/docs/15/{'sql' if n < 30 else 'libpq'}-{n}.html" for n in range(300)]


def audited(observed, known, examples, truth, likelihoods=None):
    """Draw until all is clear, as the survey does."""
    observed, drawn = list(observed), 0
    while True:
        seen = {one.url for one in observed}
        waiting = [url for url in known if url not in seen]
        url = next_audit(observed, waiting, examples, likelihoods=likelihoods)
        if url is None:
            filters = learn_url_filters(observed, waiting, examples, likelihoods=likelihoods)
            return filters, drawn
        observed.append(Observation(url, truth(url), drawn=True))
        drawn += 1


def test_urls_decide_where_the_examples_form_is_a_form_of_targets():
    seen = [Observation(url, is_target=True) for url in ITEMS[:30]]
    seen += [Observation(url, is_target=False, links=ITEMS[:40], weight=1) for url in PAGES[:3]]
    filters, drawn = audited(seen, ITEMS + PAGES, ITEMS[:2], lambda url: url in ITEMS)
    assert filters.decided_by == "url"
    assert [url for url in ITEMS + PAGES if filters.targets[0].matches(url)] == ITEMS
    assert drawn == MOST_DRAWN
    assert [url for url in ITEMS + PAGES if filters.directories[0].matches(url)] == PAGES
    assert filters.precision == 1.0


def test_pages_decide_where_targets_share_a_flat_directory_though_only_targets_were_fetched():
    """The order fetches likely targets first: their share among the fetched proves nothing."""
    seen = [Observation(url, is_target=True) for url in FLAT[:25]]
    filters, drawn = audited(seen, FLAT, FLAT[:2], lambda url: url in FLAT[:30])
    assert filters.decided_by == "page"
    assert filters.targets == ()
    assert drawn <= 6
    assert filters.precision < 0.5


def test_the_first_word_of_a_slug_is_no_pattern():
    seen = [Observation(url, is_target="sql" in url) for url in FLAT[::4]]
    filters, drawn = audited(seen, FLAT, FLAT[:2], lambda url: "sql" in url)
    assert (filters.decided_by, drawn) == ("page", 0)


def test_the_link_models_doubt_saves_the_audit():
    seen = [Observation(url, is_target=True) for url in FLAT[:25]]
    likely = dict.fromkeys(FLAT[25:], 0.1)
    filters, drawn = audited(seen, FLAT, FLAT[:2], lambda url: False, likely)
    assert (filters.decided_by, drawn) == ("page", 0)


def test_one_unlucky_draw_does_not_condemn_a_form():
    seen = [Observation(url, is_target=True) for url in ITEMS[:30]]
    order = []

    def truth(url):
        order.append(url)
        return len(order) != 1

    filters, drawn = audited(seen, ITEMS, ITEMS[:2], truth)
    assert filters.decided_by == "url"
    assert drawn == MOST_DRAWN


def test_targets_of_two_forms_give_two_patterns():
    shows = [f"{ROOT}/series/{n}.html" for n in range(50)]
    seen = [Observation(url, is_target=True) for url in ITEMS[:20] + shows[:20]]
    filters = learn_url_filters(seen, ITEMS + shows, ITEMS[:2])
    assert filters.decided_by == "url"
    assert len(filters.targets) == 2


def test_pages_decide_where_many_targets_lie_outside_the_examples_form():
    mixed = [f"{ROOT}/misc/{n}/{n}" for n in range(40)]
    seen = [Observation(url, is_target=True) for url in ITEMS[:20]]
    seen += [Observation(url, is_target=n % 2 == 0) for n, url in enumerate(mixed)]
    assert learn_url_filters(seen, ITEMS + mixed, ITEMS[:2]).decided_by == "page"


def test_nothing_fetched_but_examples_is_enough_to_answer():
    filters = learn_url_filters([], [], ITEMS[:2])
    assert filters.decided_by == "page"
    assert (filters.targets, filters.weight_threshold) == ((), 1)


def test_directories_that_lead_to_targets_come_first_then_the_largest():
    help_pages = [f"{ROOT}/help/topic/{n}" for n in range(60)]
    seen = [Observation(url, is_target=True) for url in ITEMS[:10]]
    seen.append(Observation(PAGES[0], is_target=False, links=ITEMS[:30]))
    seen.append(Observation(help_pages[0], is_target=False, links=help_pages))
    filters = learn_url_filters(seen, ITEMS + PAGES + help_pages, ITEMS[:2])
    assert filters.directories[0].matches(PAGES[5])
    assert filters.directories[1].matches(help_pages[5])
    assert not any(pattern.matches(ITEMS[3]) for pattern in filters.directories)


def test_ten_directories_at_most():
    sections = [f"{ROOT}/s{chr(97 + n)}x/{k}/{'y/' * n}" for n in range(15) for k in range(9)]
    seen = [Observation(url, is_target=True) for url in ITEMS[:10]]
    assert len(learn_url_filters(seen, sections, ITEMS[:2]).directories) == MOST_DIRECTORIES


def test_the_threshold_is_the_rounded_mean_weight():
    seen = [Observation(url, is_target=True, weight=n % 4) for n, url in enumerate(ITEMS[:40])]
    assert learn_url_filters(seen, ITEMS, ITEMS[:2]).weight_threshold == 2


@pytest.mark.parametrize(
    ("urls", "examples", "same"),
    [
        (ITEMS + PAGES, ITEMS[:2], set(ITEMS)),
        (PAGES, ITEMS[:2], set()),
        (ITEMS, [], set()),
    ],
)
def test_same_form(urls, examples, same):
    assert same_form(urls, examples) == same
