"""Live sources: a webcam that goes and comes, pictures handed in, the newest frame only."""

import threading
from itertools import count, islice

import cv2
import numpy as np
import pytest

from vision.core.types import Frame
from vision.sources import SourceError
from vision.sources.newest import NewestFrames, PushedSource
from vision.sources.webcam import WebcamSource

PICTURE = np.zeros((4, 4, 3), np.uint8)


class FakeCamera:
    """A camera that gives so many frames and is gone then."""

    def __init__(self, frames: int, opens: bool = True) -> None:
        self.left, self.opens, self.released = frames, opens, False

    def isOpened(self):  # noqa: N802
        return self.opens

    def read(self):
        self.left -= 1
        return (True, PICTURE) if self.left >= 0 else (False, None)

    def set(self, what, value):
        return True

    def release(self):
        self.released = True


def webcam(*cameras: FakeCamera, patient: bool = False) -> WebcamSource:
    waiting = list(cameras)
    ticks = count()
    return WebcamSource(
        0, open_camera=lambda _: waiting.pop(0), clock=lambda: float(next(ticks)),
        sleep=lambda _: None, patient=patient,
    )  # fmt: skip


def test_unplugged_webcam_is_told_and_found_again():
    gone = FakeCamera(2)
    source = webcam(gone, FakeCamera(0, opens=False), FakeCamera(2))

    frames = list(islice(source.frames(), 6))

    assert [frame is None for frame in frames] == [False, False, True, True, False, False]
    assert gone.released


def test_clock_of_a_webcam_goes_on_while_it_is_away():
    frames = list(islice(webcam(FakeCamera(1), FakeCamera(1)).frames(), 3))

    assert frames[0] is not None and frames[2] is not None
    assert frames[2].taken_at_s > frames[0].taken_at_s


def test_webcam_that_is_not_there_is_refused_at_once():
    with pytest.raises(SourceError, match="no camera webcam:0"):
        webcam(FakeCamera(0, opens=False))


def test_webcam_that_is_not_there_yet_is_waited_for_by_the_patient(caplog):
    missing = FakeCamera(0, opens=False)
    source = webcam(missing, missing, FakeCamera(2), patient=True)

    frames = list(islice(source.frames(), 4))

    assert [frame is None for frame in frames] == [True, True, False, False]
    assert [record.getMessage() for record in caplog.records] == [
        "there is no camera webcam:0; plug one in, or try another number", "webcam:0 is there",
    ]  # fmt: skip


def test_closed_webcam_ends():
    source = webcam(FakeCamera(9))
    frames = source.frames()
    next(frames)
    source.close()

    assert list(frames) == []


def jpeg(value: int) -> bytes:
    return cv2.imencode(".png", np.full((4, 4, 3), value, np.uint8))[1].tobytes()


def test_only_the_newest_pushed_picture_is_given():
    source = PushedSource()
    for value in (1, 2, 3):
        assert source.push(jpeg(value))
    frame = next(source.frames())

    assert frame is not None and frame.bgr[0, 0, 0] == 3


@pytest.mark.parametrize("data", [b"", b"no picture", b"\xff\xd8\xff torn"])
def test_what_is_no_picture_is_refused(data):
    assert not PushedSource().push(data)


def test_closed_phone_ends():
    source = PushedSource()
    source.close()

    assert list(source.frames()) == []


class Steps:
    """A source that gives frames when it is let."""

    live = True

    def __init__(self) -> None:
        self.given = threading.Semaphore(0)
        self.taken = threading.Semaphore(0)
        self.closed = False

    def frames(self):
        for number in count():
            self.given.acquire()
            if self.closed:
                return
            yield Frame(PICTURE, float(number))
            self.taken.release()

    def close(self):
        self.closed = True
        self.given.release()


def test_slow_reader_sees_the_newest_frame_and_no_queue():
    steps = Steps()
    newest = NewestFrames(steps)
    frames = newest.frames()
    steps.given.release()
    first = next(frames)
    for _ in range(5):
        steps.given.release()
        steps.taken.acquire()
    # The frame after the last taken one is stored when the source asks for the next.
    steps.taken.acquire()
    second = next(frames)
    newest.close()

    assert first is not None and first.taken_at_s == 0.0
    assert second is not None and second.taken_at_s >= 4.0
    assert newest.dropped >= 3


def test_source_that_breaks_tells_why():
    class Broken:
        live = True

        def frames(self):
            yield Frame(PICTURE, 0.0)
            raise RuntimeError("unplugged for good")

        def close(self):
            pass

    newest = NewestFrames(Broken())
    frames = [frame for frame in newest.frames() if frame is not None]

    assert len(frames) <= 1
    assert str(newest.failure) == "unplugged for good"
