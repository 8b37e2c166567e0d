"""Fixtures that more than one part's tests need."""

from pathlib import Path

import pytest

from bench.site_graphs import data_folder
from tests.services import postgres_server


@pytest.fixture(scope="session")
def postgres(tmp_path_factory):
    """A real PostgreSQL on a spare port; its address."""
    with postgres_server() as address:
        yield address


@pytest.fixture
def data() -> Path:
    """Real pages and sites with ground truth, where this machine has them."""
    folder = data_folder()
    if not folder.is_dir():
        pytest.skip("no folder with real pages here: ../shared/data, or name one in WINZE_DATA")
    return folder
