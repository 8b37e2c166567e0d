import os
import socket
import subprocess
import sys

import pytest
from sqlalchemy import insert

from winze.errors import BusyError
from winze.store import runs, schema
from winze.store.database import writing


@pytest.mark.parametrize(
    ("owner", "until", "free"),
    [
        (f"{socket.gethostname()}:{os.getpid()}", 100.0, True),
        (f"{socket.gethostname()}:{os.getppid()}", 100.0, False),
        (f"{socket.gethostname()}:{os.getppid()}", 5.0, True),
        ("elsewhere:1", 100.0, False),
        ("elsewhere:1", 5.0, True),
    ],
)
def test_a_lease_of_a_living_owner_is_kept(engine, owner, until, free):
    with writing(engine) as connection:
        row = {"name": "shop", "owner": owner, "until": until}
        connection.execute(insert(schema.lease).values(row))
        if free:
            runs.take_lease(connection, "shop", now=10.0)
        else:
            with pytest.raises(BusyError, match="shop: process"):
                runs.take_lease(connection, "shop", now=10.0)


def test_a_killed_process_has_lost_its_lease(engine):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    with writing(engine) as connection:
        row = {"name": "shop", "owner": f"{socket.gethostname()}:{dead.pid}", "until": 100.0}
        connection.execute(insert(schema.lease).values(row))
        runs.take_lease(connection, "shop", now=10.0)
        runs.give_back_lease(connection, "shop")
        runs.take_lease(connection, "shop", now=11.0)


def test_models_and_runs_are_kept(engine):
    with writing(engine) as connection:
        site = runs.site_id(connection, "shop")
        assert runs.load_model(connection, site, "links") is None
        runs.save_model(connection, site, "links", b"\x00old", now=1.0)
        runs.save_model(connection, site, "links", b"\x00new", now=2.0)
        assert runs.load_model(connection, site, "links") == b"\x00new"
        run = runs.begin_run(connection, site, "crawl", 1.0)
        runs.end_run(connection, run, 2.0, "done", {"pages": 3})
        (row,) = runs.last_runs(connection, site)
        assert (row["stop_reason"], row["counters"]) == ("done", '{"pages": 3}')
