"""To the renderer by the manifest alone, and back as a table state; nothing is rendered here."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.scenes.photoreal import PhotorealError, as_table, main, read_manifest, scene_file
from models.sheets import make_sheets


@pytest.fixture(scope="module")
def prints(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("print")
    make_sheets(built_in_set("snekagon"), folder)
    return folder


@pytest.fixture
def renderer(tmp_path: Path) -> Path:
    for name in ("env", "tex"):
        (tmp_path / "assets" / name).mkdir(parents=True)
    return tmp_path


def test_a_printed_set_is_known_from_its_manifest(prints):
    box, files = read_manifest(prints)
    manifest = json.loads((prints / "manifest.json").read_text("utf-8"))

    assert box.tile_set.pitch_mm == manifest["pitch_mm"]
    assert {"red/4/0+", "green/1", "board"} <= box.faces.keys()
    assert all(files[name].is_file() for name in box.faces)
    width = box.faces["red/1"].size_mm()[0]
    assert width == pytest.approx(manifest["pitch_mm"], rel=0.06)


def test_a_scene_file_has_every_tile_with_its_picture(prints, renderer, tmp_path):
    box, files = read_manifest(prints)

    scene, truth = scene_file(3, "train", "snekagon", box, files, renderer, tmp_path, (640, 480))

    assert len(scene["items"]) == len(truth["entries"])
    assert all(Path(item["texture"]).is_file() for item in scene["items"])
    assert scene["camera"]["resolution"] == [640, 480]
    assert 45 <= scene["camera"]["elevation_deg"] <= 90
    json.dumps(scene)


def test_a_flipped_tile_has_its_picture_mirrored(prints, renderer, tmp_path):
    box, files = read_manifest(prints)
    flipped: list[dict[str, Any]] = []
    for seed in range(20):
        scene, _ = scene_file(seed, "train", "snekagon", box, files, renderer, tmp_path, None)
        flipped = [i for i in scene["items"] if i["texture"].endswith(".flipped.png")]
        if flipped:
            break
    mirrored = cv2.imread(flipped[0]["texture"])
    plain = cv2.imread(str(files[flipped[0]["label"]]))

    assert mirrored is not None
    assert plain is not None
    assert np.abs(mirrored[:, ::-1].astype(int) - plain).mean() < 3


def test_labels_become_a_table_state():
    truth = {
        "game": "carnival", "set": "carnival",
        "entries": [
            {"role": "tile", "tile": "house", "at": [0, 0], "turns": 0},
            {"role": "aside", "tile": "gift"},
            {"role": "clutter"},
        ],
    }  # fmt: skip
    corners = [[0, 9], [9, 9], [9, 0], [0, 0]]
    label = {"corners_px": corners, "in_frame": 1.0, "visible": 1.0}
    hidden = {**label, "visible": 0.1}
    labels = {"resolution": [640, 480], "camera": {}, "items": [label, hidden, label]}

    table = as_table(truth, labels, "one.jpg")

    assert table["tiles"][0]["outline"] == [[0, 0], [9, 0], [9, 9], [0, 9]]
    assert table["tiles"][0]["tile"] == "house"
    assert table["aside"] == []


def test_a_folder_without_a_manifest_or_a_renderer_is_named(tmp_path, capsys):
    with pytest.raises(PhotorealError, match="snake-eye print"):
        read_manifest(tmp_path)
    arguments = ["--renderer", str(tmp_path), "--game", "carnival", "--out", str(tmp_path / "out")]

    assert main(arguments) == 2
    assert "render_scene.py" in capsys.readouterr().err
