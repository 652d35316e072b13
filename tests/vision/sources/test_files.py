import cv2
import numpy as np
import pillow_heif
import pytest
from PIL import Image

from vision.sources import SourceError
from vision.sources.files import FolderSource, VideoSource


def picture(value: int) -> np.ndarray:
    return np.full((48, 64, 3), value, np.uint8)


def test_folder_gives_its_pictures_in_the_order_of_their_names(tmp_path):
    for name, value in (("frame10.png", 30), ("frame9.png", 20), ("frame1²3.png", 10)):
        cv2.imwrite(str(tmp_path / name), picture(value))
    (tmp_path / "notes.txt").write_text("no picture")

    frames = list(FolderSource(tmp_path).frames())

    assert [frame.bgr[0, 0, 0] for frame in frames if frame] == [10, 20, 30]
    assert [frame.taken_at_s for frame in frames if frame] == pytest.approx([0, 0.1, 0.2])


def test_frames_a_second_set_the_clock_of_a_folder(tmp_path):
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture(number))

    times = [f.taken_at_s for f in FolderSource(tmp_path, 2.0).frames() if f]

    assert times == [0, 0.5, 1.0]


def test_picture_that_cannot_be_read_is_a_missing_frame(tmp_path):
    cv2.imwrite(str(tmp_path / "1.png"), picture(1))
    (tmp_path / "2.png").write_bytes(b"\x89PNG torn")
    (tmp_path / "3.png").write_bytes(b"")
    cv2.imwrite(str(tmp_path / "4.png"), picture(4))

    frames = list(FolderSource(tmp_path).frames())

    assert [frame is None for frame in frames] == [False, True, True, False]
    assert frames[3] is not None and frames[3].taken_at_s == pytest.approx(0.3)


def test_folder_gives_pictures_of_phones_upright(tmp_path):
    stored = Image.fromarray(picture(50))
    exif = Image.Exif()
    exif[0x0112] = 6
    stored.save(tmp_path / "1.jpg", exif=exif.tobytes())
    pillow_heif.from_pillow(stored).save(tmp_path / "2.heic")

    shapes = [frame.bgr.shape for frame in FolderSource(tmp_path).frames() if frame]

    assert shapes == [(64, 48, 3), (48, 64, 3)]


def test_folder_without_pictures_is_refused(tmp_path):
    with pytest.raises(SourceError, match="no picture"):
        FolderSource(tmp_path)
    with pytest.raises(SourceError, match="cannot be read"):
        FolderSource(tmp_path / "nowhere")


def test_closed_folder_stops(tmp_path):
    for number in range(3):
        cv2.imwrite(str(tmp_path / f"{number}.png"), picture(number))
    source = FolderSource(tmp_path)
    frames = source.frames()
    next(frames)
    source.close()

    assert list(frames) == []


def test_video_gives_every_frame_with_its_time(tmp_path):
    file = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 20, (64, 48))
    for number in range(6):
        writer.write(picture(number * 40))
    writer.release()

    source = VideoSource(file)
    frames = [frame for frame in source.frames() if frame]
    source.close()

    assert len(frames) == 6
    assert frames[5].taken_at_s == pytest.approx(0.25)


def test_file_that_is_no_video_is_refused(tmp_path):
    (tmp_path / "film.avi").write_bytes(b"no film")
    with pytest.raises(SourceError, match="no video that can be read"):
        VideoSource(tmp_path / "film.avi")
    with pytest.raises(SourceError, match="there is no video"):
        VideoSource(tmp_path / "other.avi")
