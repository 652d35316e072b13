"""How a table was read, written down stage by stage."""

import cv2
import numpy as np
import pytest

from companion_app.cli.main import main
from engine.setfile import built_in_set
from models.lab.scenes.scene import make_scene, scene_from
from models.lab.scenes.settings import draw_settings, without_disturbance
from vision.core.request import ReadRequest
from vision.core.types import Detection, Detections
from vision.read import read_table
from vision.trace import drawn_of, traced


@pytest.fixture(scope="module")
def photo(tmp_path_factory):
    path = tmp_path_factory.mktemp("photo") / "easy.png"
    settings = without_disturbance(draw_settings(3, "held-out", "schlangennest", (800, 600)))
    cv2.imwrite(str(path), scene_from(settings).bgr)
    return path


def test_every_stage_is_a_picture_and_a_line(photo, tmp_path, capsys):
    status = main(["read", str(photo), "--game", "schlangennest", "--trace", str(tmp_path)])

    lines = (tmp_path / "trace.txt").read_text("utf-8").splitlines()
    pictures = sorted(path.name for path in tmp_path.glob("*.jpg"))
    assert status == 0
    assert len(lines) == len(pictures) > 10
    assert {"detect", "classify", "faint", "whole-bigs", "layout"} <= {
        name[3:].removesuffix(".jpg") for name in pictures
    }
    assert capsys.readouterr().out


def test_of_several_pictures_each_has_its_own_folder(photo, tmp_path, capsys):
    other = tmp_path / "other.png"
    other.write_bytes(photo.read_bytes())

    main(
        [
            "read",
            str(photo),
            str(other),
            "--game",
            "schlangennest",
            "--trace",
            str(tmp_path / "out"),
        ]
    )

    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["easy", "other"]
    assert capsys.readouterr().out


def test_folder_that_cannot_be_written_is_named(photo, tmp_path, capsys):
    (tmp_path / "file").write_text("")

    status = main(
        [
            "read",
            str(photo),
            "--game",
            "schlangennest",
            "--trace",
            str(tmp_path / "file" / "inside"),
        ]
    )

    assert status == 2
    assert "cannot be written" in capsys.readouterr().err


def test_hex_table_is_traced_too(tmp_path):
    bgr = np.asarray(make_scene(7, "held-out", "snekagon").bgr, np.uint8)

    with traced(tmp_path):
        read_table(bgr, ReadRequest("hex", built_in_set("snekagon")))

    text = (tmp_path / "trace.txt").read_text("utf-8")
    assert "boards: 1 outlines" in text
    assert "pieces:" in text


def test_nothing_is_written_when_nobody_asks(photo, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    main(["read", str(photo), "--game", "schlangennest"])

    assert list(tmp_path.iterdir()) == []
    assert capsys.readouterr().out


def test_outlines_are_found_in_whatever_a_stage_gives():
    square = np.array([(0.0, 0), (9, 0), (9, 9), (0, 9)])
    one = Detection(square, 0.9)

    assert [drawn.confidence for drawn in drawn_of([Detections((9, 9), "square", (one,))])] == [0.9]
    assert list(drawn_of(None)) == []
