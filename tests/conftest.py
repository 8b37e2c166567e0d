"""Fixtures that more than one part's tests need."""

from pathlib import Path

import pytest

from tests.services import postgres_server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A real PostgreSQL on a spare port; its address."""
    with postgres_server() as address:
        yield address


@pytest.fixture
def data() -> Path:
    """Real pages and sites with ground truth, where this machine has them."""
    folder = Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("no folder ../shared/data with real pages here")
    return folder
