"""Which devices are cameras: those that take pictures and convert none."""

from __future__ import annotations

from companion_app.found_cameras import found_cameras

CAMERA, DECODER, NOTES = 0x04200001, 0x04208001, 0x04A00000


def test_decoders_and_notes_of_cameras_are_no_cameras(tmp_path):
    told = {"video0": CAMERA, "video1": NOTES, "video10": DECODER, "video2": CAMERA, "video-x": 1}
    for name in told:
        (tmp_path / name).touch()

    found = found_cameras(tmp_path, lambda device: told[device.name])

    assert [name for name in found if name != "pi"] == ["webcam:0", "webcam:2"]


def test_file_that_is_no_device_is_no_camera(tmp_path):
    (tmp_path / "video0").touch()

    assert [name for name in found_cameras(tmp_path) if name != "pi"] == []
