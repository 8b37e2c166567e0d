import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text

from winze.errors import WinzeError
from winze.store.database import MIGRATIONS, SCHEMA, open_store, writing
from winze.store.schema import metadata


def test_the_migrations_lead_to_the_schema(engine):
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []


def test_p4_finds_its_table_by_its_own_names(engine):
    with engine.connect() as connection:
        names = connection.execute(text("select * from url_index")).keys()
    assert {"url", "type", "update_time", "has_crawl", "error_code", "weight"} <= set(names)


def test_a_failed_transaction_leaves_nothing(engine):
    with pytest.raises(RuntimeError), writing(engine) as connection:
        connection.execute(text("insert into site (name) values ('shop')"))
        raise RuntimeError
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from site")).scalar() == 0


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("oracle9://x", "not a database URL"),
        ("/dev/null/store.db", "cannot be written"),
        ("postgresql://u:secret@127.0.0.1:1/x", r"u:\*\*\*@127.*refused"),
    ],
)
def test_a_store_out_of_reach_is_one_line_without_the_password(address, says):
    with pytest.raises(WinzeError, match=says) as caught:
        open_store(address)
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_schema_is_the_newest_migration():
    assert ScriptDirectory(str(MIGRATIONS)).get_current_head() == SCHEMA
