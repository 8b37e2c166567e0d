"""Opening a store: SQLite by default, PostgreSQL by URL; brought to the newest schema."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, Table, create_engine, event, inspect
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DatabaseError, NoSuchModuleError

from winze.errors import WinzeError

#: How long a writer waits for another one's transaction (milliseconds).
BUSY_TIMEOUT_MS = 30_000

#: The newest migration (a test holds it to the folder's).
SCHEMA = "0003"

#: Where the migrations lie.
MIGRATIONS = Path(__file__).parent / "migrations"


def open_store(address: str) -> Engine:
    """Open a store by SQLAlchemy URL or file path and bring its schema up to date.

    Raises WinzeError, in one line, when it cannot be reached or its driver is missing.
    """
    with _one_line(address):
        engine = _engine(address)
        _migrate(engine)
    return engine


def found_schema(address: str) -> str | None:
    """Return the schema version of a store, which is not changed; None if there is no store yet.

    Raises WinzeError as `open_store` does.
    """
    path = make_url(address).database if address.startswith("sqlite") else address
    if "://" not in (path or "") and not Path(path or "").is_file():
        return None
    with _one_line(address):
        engine = _engine(address)
        try:
            with engine.connect() as connection:
                return _version(connection)
        finally:
            engine.dispose()


@contextmanager
def _one_line(address: str) -> Iterator[None]:
    """Turn what goes wrong on the way to a store into one line."""
    try:
        yield
    except (ArgumentError, NoSuchModuleError) as error:
        raise WinzeError(f"store {_hidden(address)}: not a database URL: {error}") from error
    except ModuleNotFoundError as error:
        raise WinzeError(
            f"store {_hidden(address)}: needs {error.name}: pip install 'winze[postgres]'"
        ) from error
    except OSError as error:
        raise WinzeError(
            f"store {_hidden(address)}: cannot be written: {error.strerror}"
        ) from error
    except DatabaseError as error:
        reason = str(error.orig).strip().splitlines()[0]
        raise WinzeError(f"store {_hidden(address)}: {reason}") from error


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """Open a write transaction that takes its lock at once.

    A deferred SQLite transaction that turns to writing fails when another process writes
    (319 of 600 in a trial); an immediate one waits its turn.
    """
    with engine.connect() as connection:
        if engine.dialect.name == "sqlite":
            connection.exec_driver_sql("begin immediate")
        try:
            yield connection
        except BaseException:
            connection.rollback()
            raise
        connection.commit()


def insert_new(connection: Connection, table: Table, rows: list[dict[str, Any]]) -> None:
    """Insert rows, passing over those whose unique key is there already."""
    if rows:
        insert = _insert(connection, table).on_conflict_do_nothing()
        connection.execute(insert, rows)


def insert_or_update(
    connection: Connection, table: Table, row: dict[str, Any], *, key: tuple[str, ...]
) -> None:
    """Insert a row, or give the row of the same key these values."""
    insert = _insert(connection, table).values(row)
    values = {name: insert.excluded[name] for name in row if name not in key}
    connection.execute(insert.on_conflict_do_update(index_elements=list(key), set_=values))


def _insert(connection: Connection, table: Table) -> sqlite.Insert | postgresql.Insert:
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    return postgresql.insert(table)


def _engine(address: str) -> Engine:
    if "://" not in address:
        Path(address).parent.mkdir(parents=True, exist_ok=True)
        address = f"sqlite:///{address}"
    url = make_url(address)
    if url.drivername == "postgresql":
        url = url.set(drivername="postgresql+psycopg")
    engine = create_engine(url)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _set_up_sqlite(connection: Any, _: object) -> None:
    """Leave transactions to `writing`, and let readers read while one writes."""
    connection.isolation_level = None
    connection.execute(f"pragma busy_timeout = {BUSY_TIMEOUT_MS}")
    connection.execute("pragma journal_mode = wal")
    connection.execute("pragma synchronous = normal")
    connection.execute("pragma foreign_keys = on")


def _migrate(engine: Engine) -> None:
    """Bring the schema to SCHEMA, unless it is there already."""
    with engine.connect() as connection:
        found = _version(connection)
    if found == SCHEMA:
        return
    if found is not None and found > SCHEMA:
        raise WinzeError(
            f"store {engine.url.render_as_string()}: has schema {found}, newer than this Winze's"
            f" {SCHEMA}: update Winze"
        )
    # Imported here: a fifth of the time that a command takes to start.
    from alembic import command  # noqa: PLC0415
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with writing(engine) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


def _version(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    found = connection.exec_driver_sql("select version_num from alembic_version").scalar()
    return None if found is None else str(found)


def _hidden(address: str) -> str:
    """Return the address without its password."""
    return make_url(address).render_as_string(hide_password=True) if "://" in address else address
