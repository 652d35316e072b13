"""One cluster a test process, one empty database a test; the same tests on both databases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.companion_app.hall import cluster as clusters

if TYPE_CHECKING:
    from companion_app.hall.store.hall_store import HallStore

NEEDED = ("sqlalchemy", "alembic", "psycopg", "cryptography")
_numbers = count(1)


class NotInstalled(pytest.Module):
    """A file of tests that cannot be loaded here."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """Say why."""
        pytest.skip("the extra `hall` is not installed", allow_module_level=True)


def pytest_pycollect_makemodule(
    module_path: Path, parent: pytest.Collector
) -> pytest.Module | None:
    """Leave these tests out where what only the hall needs is not installed."""
    if all(find_spec(library) for library in NEEDED):
        return None
    made: pytest.Module = NotInstalled.from_parent(parent, path=module_path)
    return made


@pytest.fixture(scope="session")
def cluster() -> Iterator[clusters.Cluster]:
    """Return a PostgreSQL cluster."""
    if why := clusters.why_not():
        pytest.skip(why)
    with clusters.Cluster() as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return the address of an empty database, of each kind in turn."""
    from companion_app.hall.store.database import address_of

    if request.param == "sqlite":
        return address_of(None, tmp_path)
    made = request.getfixturevalue("cluster").new_database(f"hall{next(_numbers)}")
    return address_of(made, tmp_path)


@pytest.fixture
def store(address: str) -> Iterator[HallStore]:
    """Return the store of an empty hall."""
    from companion_app.hall.store.database import open_engine
    from companion_app.hall.store.hall_store import HallStore

    made = HallStore(open_engine(address))
    yield made
    made.close()


@pytest.fixture
def small_store(tmp_path: Path) -> Iterator[HallStore]:
    """Return the store of an empty hall, on SQLite."""
    from companion_app.hall.store.database import address_of, open_engine
    from companion_app.hall.store.hall_store import HallStore

    made = HallStore(open_engine(address_of(None, tmp_path)))
    yield made
    made.close()
