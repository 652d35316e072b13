"""Networks run wherever a reading does: in threads, in forked processes, by as many threads."""

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import cv2
import numpy as np
import pytest

from vision.core.errors import ModelError
from vision.core.files import TRAINED, Runner, blob_of

FILE = TRAINED / "hex_placer.onnx"
GRAY = np.full((128, 128, 3), 90, np.uint8)


@pytest.fixture(scope="module")
def runner() -> Runner:
    return Runner(FILE.read_bytes(), FILE.name)


_shared: list[Runner] = []


def _in_a_child(_: int) -> list[float]:
    """Run what the parent has loaded, as a forked process finds it."""
    return list(_shared[0].run(blob_of([GRAY])).ravel().tolist())


@pytest.mark.parametrize("data", [b"", b"no network", FILE.read_bytes()[:5000]], ids=len)
def test_data_that_are_no_network_are_refused(data):
    with pytest.raises(ModelError, match=r"broken\.onnx holds no network"):
        Runner(data, "broken.onnx")


def test_several_threads_may_run_one_network(runner):
    blob = blob_of([GRAY])

    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda _: runner.run(blob), range(6)))

    assert all(np.array_equal(one, found[0]) for one in found)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork"
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_forked_process_runs_what_its_parent_has_run(runner):
    threads = cv2.getNumThreads()
    cv2.setNumThreads(2)
    here = runner.run(blob_of([GRAY])).ravel()
    _shared[:] = [runner]
    try:
        with ProcessPoolExecutor(1, multiprocessing.get_context("fork")) as pool:
            there = pool.submit(_in_a_child, 0).result(timeout=60)
    finally:
        cv2.setNumThreads(threads)

    assert there == pytest.approx(here.tolist())


def test_it_says_the_same_with_any_number_of_threads(runner):
    threads = cv2.getNumThreads()
    found = []
    for count in (1, 2):
        cv2.setNumThreads(count)
        found.append(runner.run(blob_of([GRAY])))
    cv2.setNumThreads(threads)

    assert np.allclose(found[0], found[1], atol=1e-4)
