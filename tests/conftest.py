"""What every test shares: the same random choices each time, and a data folder of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# The same examples on every machine: what passes tonight passes in CI. There is no deadline, since
# a Pi is slow and that is no fault; and no database, since it would remember one machine's luck.
settings.register_profile("snake-eye", derandomize=True, deadline=None, database=None)
settings.load_profile("snake-eye")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what needs a Raspberry Pi where there is none."""
    model = Path("/proc/device-tree/model")
    if model.exists() and "Raspberry" in model.read_text():
        return
    for item in items:
        if item.get_closest_marker("pi"):
            item.add_marker(pytest.mark.skip(reason="needs a Raspberry Pi"))


@pytest.fixture(scope="session", autouse=True)
def own_data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep tests away from the games of whoever runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SNAKE_EYE_HOME", str(tmp_path_factory.mktemp("home")))
        yield
