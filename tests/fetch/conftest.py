import pytest

from tests.fetch.server import running_site
from winze.fetch.client import Client
from winze.fetch.politeness import Politeness


@pytest.fixture
async def site():
    async with running_site() as running:
        yield running


@pytest.fixture
def client():
    """Make a client that is in no hurry only where a test asks for it."""

    def make(*, delay=0.0, concurrency=2, total=16, **options):
        options.setdefault("user_agent", "winze/0 (+test@a.example)")
        options.setdefault("backoff", 0.01)
        politeness = Politeness(delay=delay, concurrency=concurrency, total=total)
        return Client(politeness=politeness, **options)

    return make
