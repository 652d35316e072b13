"""To the renderer by the manifest alone, and back as a table state; nothing is rendered here."""

import json
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.evaluate.cases import rendered_boards
from models.lab.scenes.photoreal.__main__ import main
from models.lab.scenes.photoreal.boards import hidden_cells, places_mm, projected
from models.lab.scenes.photoreal.scene import (
    PhotorealError,
    as_table,
    read_manifest,
    scene_file,
)
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
        "game": "carnival",
        "set": "carnival",
        "entries": [
            {"role": "tile", "tile": "house", "at": [0, 0], "turns": 0},
            {"role": "aside", "tile": "gift"},
            {"role": "clutter"},
        ],
    }
    corners = [[0, 9], [9, 9], [9, 0], [0, 0]]
    label = {"corners_px": corners, "in_frame": 1.0, "visible": 1.0}
    hidden = {**label, "visible": 0.1}
    labels = {"resolution": [640, 480], "camera": {}, "items": [label, hidden, label]}

    table = as_table(truth, labels, "one.jpg")

    assert table["tiles"][0]["outline"] == [[0, 0], [9, 0], [9, 9], [0, 9]]
    assert table["tiles"][0]["tile"] == "house"
    assert table["aside"] == []


def test_cells_under_a_hand_are_told_hidden(prints, renderer, tmp_path):
    box, files = read_manifest(prints)
    _, truth = scene_file(3, "train", "snekagon", box, files, renderer, tmp_path, (640, 480))
    (plane,) = truth["planes"]
    camera = {
        "matrix": [[900, 0, 319.5], [0, 900, 239.5], [0, 0, 1]],
        "translation": [0, 0, 900],
        "distortion_k1k2p1p2k3": [0.0] * 5,
        "rotation": np.diag([1, -1, -1]).tolist(),
    }
    ids = np.full((480, 640), plane["own"][0])
    left, top = projected(camera, places_mm(plane, np.array([[0.0, 0.0]])))[0].round().astype(int)
    ids[top - 12 : top + 12, left - 12 : left + 12] = 0

    hidden = {tuple(h["cell"]): h["hidden"] for h in hidden_cells(plane, camera, ids)}
    board = {"board": 0, "outline": [], "plane": plane, "hidden": hidden_cells(plane, camera, ids)}
    (seen,) = rendered_boards({"camera": camera, "boards": [board]})

    assert hidden[0, 0] == 1
    assert len(hidden) < 8
    assert seen.hidden[0, 0] == 1
    assert seen.hidden[5, 0] == 0
    assert seen.px(np.array([[0.0, 0.0]]))[0] == pytest.approx([left, top], abs=0.6)


def test_a_table_that_is_there_is_not_rendered_again(prints, renderer, tmp_path):
    (renderer / "render_scene.py").write_text("raise SystemExit('must not be run')")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "snekagon-train-000007.json").write_text("{}")

    assert (
        main(
            [
                "--renderer",
                str(renderer),
                "--game",
                "snekagon",
                "--prints",
                str(prints),
                "--out",
                str(tmp_path / "out"),
                "--seed",
                "7",
                "--count",
                "1",
            ]
        )
        == 0
    )


def test_a_folder_without_a_manifest_or_a_renderer_is_named(tmp_path, capsys):
    with pytest.raises(PhotorealError, match="snake-eye print"):
        read_manifest(tmp_path)
    arguments = ["--renderer", str(tmp_path), "--game", "carnival", "--out", str(tmp_path / "out")]

    assert main(arguments) == 2
    assert "render_scene.py" in capsys.readouterr().err
