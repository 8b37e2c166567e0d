"""Sites, runs, leases and learned models in the store."""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Mapping
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from winze.errors import BusyError
from winze.store import schema
from winze.store.database import insert_new, insert_or_update

#: How long a lease holds without being renewed (seconds).
LEASE_SECONDS = 60.0


def site_id(connection: Connection, name: str) -> int:
    """Return the number of a site, giving it one at first sight."""
    insert_new(connection, schema.site, [{"name": name}])
    query = select(schema.site.c.id).where(schema.site.c.name == name)
    return int(connection.execute(query).scalar_one())


def begin_run(
    connection: Connection, site: int, verb: str, now: float, *, robots_ignored: bool = False
) -> int:
    """Note that a run began; return its number."""
    row = {"site_id": site, "verb": verb, "started_at": now, "robots_ignored": robots_ignored}
    statement = insert(schema.run).values(row).returning(schema.run.c.id)
    return int(connection.execute(statement).scalar_one())


def end_run(
    connection: Connection, run: int, now: float, reason: str, counters: Mapping[str, Any]
) -> None:
    """Note why a run ended and what it did."""
    values = {"ended_at": now, "stop_reason": reason, "counters": json.dumps(dict(counters))}
    connection.execute(update(schema.run).where(schema.run.c.id == run).values(values))


def last_runs(connection: Connection, site: int, number: int = 5) -> list[dict[str, Any]]:
    """Return the newest runs of a site, newest first, as plain rows."""
    table = schema.run
    query = select(table).where(table.c.site_id == site).order_by(table.c.id.desc()).limit(number)
    return [dict(row._mapping) for row in connection.execute(query)]


def save_model(connection: Connection, site: int, name: str, blob: bytes, now: float) -> None:
    """Keep a learned model's bytes under a name."""
    row = {"site_id": site, "name": name, "blob": blob, "updated_at": now}
    insert_or_update(connection, schema.model, row, key=("site_id", "name"))


def load_model(connection: Connection, site: int, name: str) -> bytes | None:
    """Return a model's bytes, or None if none was kept."""
    table = schema.model.c
    query = select(table.blob).where(table.site_id == site, table.name == name)
    blob = connection.execute(query).scalar()
    return None if blob is None else bytes(blob)


def take_lease(connection: Connection, name: str, now: float) -> None:
    """Take or renew the lease of this name for this process.

    Raises BusyError while a living process has it. A process of this machine that is no more
    (kill -9) has lost its leases at once; one elsewhere loses them after LEASE_SECONDS.
    """
    owner, table = _owner(), schema.lease
    row = connection.execute(select(table).where(table.c.name == name)).first()
    if row is not None and row.owner != owner and row.until > now and _lives(row.owner):
        raise BusyError(f"{name}: process {row.owner} is at work on it; wait for it or stop it")
    values = {"name": name, "owner": owner, "until": now + LEASE_SECONDS}
    insert_or_update(connection, table, values, key=("name",))


def give_back_lease(connection: Connection, name: str) -> None:
    """Let another process have the lease."""
    table = schema.lease
    connection.execute(delete(table).where(table.c.name == name, table.c.owner == _owner()))


def _owner() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _lives(owner: str) -> bool:
    host, _, pid = owner.rpartition(":")
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
