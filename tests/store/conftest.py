"""Every test of the store runs on SQLite and on PostgreSQL."""

import pytest
from sqlalchemy import text

from winze.store.database import open_store, writing


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request, tmp_path):
    if request.param == "sqlite":
        store = open_store(str(tmp_path / "store.db"))
    else:
        address = request.getfixturevalue("postgres")
        store = open_store(address)
        with writing(store) as connection:
            connection.execute(text("drop schema public cascade"))
            connection.execute(text("create schema public"))
        store.dispose()
        store = open_store(address)
    yield store
    store.dispose()
