import pytest

from winze.frontier.weight import follows_links, page_weight, weight_threshold


@pytest.mark.parametrize(
    ("parent", "on_topic", "links", "weight"),
    [(0, False, False, 1), (3, False, False, 4), (3, True, False, 0), (3, False, True, 0)],
)
def test_weight_counts_pages_since_the_topic(parent, on_topic, links, weight):
    assert page_weight(parent, on_topic=on_topic, links_to_target=links) == weight


def test_papers_figure_3_with_threshold_2():
    # page 1 is off topic at weight 1 below the start; its child at weight 2 is a dead end
    assert follows_links(page_weight(0, on_topic=False, links_to_target=False), threshold=2)
    assert not follows_links(page_weight(1, on_topic=False, links_to_target=False), threshold=2)
    assert follows_links(page_weight(1, on_topic=True, links_to_target=False), threshold=2)


@pytest.mark.parametrize(
    ("weights", "threshold"), [([], 1), ([0, 0, 0], 1), ([1, 2], 2), ([1, 1, 2], 1), ([3, 3], 3)]
)
def test_threshold_is_the_rounded_mean_and_never_stops_all(weights, threshold):
    assert weight_threshold(weights) == threshold
