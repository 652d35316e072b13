"""Live sources: a webcam that goes and comes, the newest frame only."""

import threading
from itertools import count, islice

import numpy as np
import pytest

from vision.core.types import Frame
from vision.sources import FrameSource, SourceError
from vision.sources.files import VideoSource
from vision.sources.newest import NewestFrames
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
        0,
        open_camera=lambda _: waiting.pop(0),
        clock=lambda: float(next(ticks)),
        sleep=lambda _: None,
        patient=patient,
    )


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
        "there is no camera webcam:0; plug one in, or try another number",
        "webcam:0 is there",
    ]


def test_closed_webcam_ends():
    source = webcam(FakeCamera(9))
    frames = source.frames()
    next(frames)
    source.close()

    assert list(frames) == []


class BusyCamera(FakeCamera):
    """A camera that takes its time for a picture, and notes whether it was released meanwhile."""

    def __init__(self) -> None:
        super().__init__(1)
        self.reading = threading.Event()
        self.gone = threading.Event()
        self.torn = False

    def get(self, what):
        return 0.0

    def read(self):
        self.reading.set()
        self.torn = self.gone.wait(0.2)
        return super().read()

    def release(self):
        super().release()
        self.gone.set()


def opened_video(camera: BusyCamera, tmp_path, monkeypatch) -> VideoSource:
    (tmp_path / "film.avi").touch()
    monkeypatch.setattr("cv2.VideoCapture", lambda _name: camera)
    return VideoSource(tmp_path / "film.avi")


@pytest.mark.parametrize("kind", ["webcam", "video"])
def test_camera_is_not_released_while_another_thread_reads_it(kind, tmp_path, monkeypatch):
    camera = BusyCamera()
    source: FrameSource = (
        webcam(camera) if kind == "webcam" else opened_video(camera, tmp_path, monkeypatch)
    )
    reader = threading.Thread(target=lambda: next(source.frames()))
    reader.start()
    camera.reading.wait()

    source.close()
    reader.join()

    assert camera.released
    assert not camera.torn


def test_webcam_that_comes_back_after_it_was_closed_is_released():
    back = FakeCamera(9)
    cameras = [FakeCamera(0), back]

    def open_camera(_number):
        camera = cameras.pop(0)
        if camera is back:
            source.close()
        return camera

    source = WebcamSource(open_camera=open_camera, sleep=lambda _: None)

    assert list(source.frames()) == [None]
    assert back.released


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
