from contextlib import contextmanager

import pytest

from tests.hard.crawls import Site, write_site
from tests.hard.server import NOT_FOUND, HostileServer


@pytest.fixture
def served(tmp_path):
    """Serve a behaviour and write a plan for it; gives server and site."""

    @contextmanager
    def serve(behave, *, robots=NOT_FOUND, **options):
        with HostileServer(behave, robots) as server:
            site: Site = write_site(tmp_path / "site", server.url, **options)
            yield server, site

    return serve
