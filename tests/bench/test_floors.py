import json

from bench.floors import FLOORS, below, real_figures, shop_figures


def test_the_demo_shop_keeps_its_floor():
    floors = json.loads(FLOORS.read_text("utf-8"))
    assert below({"papers p1": shop_figures()}, floors) == []


def test_real_pages_keep_their_floors(data):
    measured = real_figures(data)
    floors = json.loads(FLOORS.read_text("utf-8"))
    assert measured.keys() == floors.keys() - {"papers p1"}
    assert below(measured, floors) == []
