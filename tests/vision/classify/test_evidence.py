"""Evidence: a reading is held against the printed face, and is never surer than that allows."""

from __future__ import annotations

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from vision.classify.evidence import (
    NAMES,
    Evidence,
    Trees,
    file_names,
    in_company,
    load_evidence,
    write_evidence,
)
from vision.classify.faces import FACE_PX, SEEN, Prints, faces_of_prints, slopes_of
from vision.classify.reader import CellGuess, CellReading, shipped_reader
from vision.core.crop import PATCH_PX
from vision.core.errors import ModelError
from vision.core.types import UNKNOWN_TILE, Look

GAMES = ("schlangennest", "sssnake", "carnival")


def enlarged(picture: np.ndarray) -> np.ndarray:
    return cv2.resize(picture, (PATCH_PX, PATCH_PX), interpolation=cv2.INTER_CUBIC)


def evidence_of(game: str) -> Evidence:
    evidence = shipped_reader(game).evidence
    assert evidence is not None
    return evidence


def printed(game: str) -> tuple[np.ndarray, list[tuple[str, int]]]:
    """The faces of a box as patches, and what they are."""
    faces = evidence_of(game).faces
    return np.stack([enlarged(picture) for picture in faces.pictures]), list(faces.cells)


@pytest.mark.parametrize("game", GAMES)
def test_every_printed_face_is_most_like_itself(game):
    faces = evidence_of(game).faces
    patches, cells = printed(game)
    looks = [Look(tile, cell) for tile, cell in cells]

    for number, patch in enumerate(patches):
        fits = faces.fits([slopes_of(patch)] * len(looks), [(look,) for look in looks])
        alike = [fit.alike for fit in fits]
        assert max(alike) == alike[number] > 0.8


@pytest.mark.parametrize("game", GAMES)
def test_printed_faces_are_read_as_surely_as_without_evidence(game):
    reader = shipped_reader(game)
    patches, cells = printed(game)
    across = [48.0] * len(patches)

    with_it, without = (
        one.read(patches, across) for one in (reader, replace(reader, evidence=None))
    )

    for (tile, cell), weighed, plain in zip(cells, with_it, without, strict=True):
        if plain.best >= 0.98 and plain.guesses[0].tile == tile:
            assert (weighed.guesses[0].tile, weighed.guesses[0].cell) == (tile, cell)
            assert weighed.best >= 0.9


@pytest.mark.parametrize("game", GAMES)
def test_bands_and_letters_that_are_no_tiles_are_not_named_surely(game):
    band = np.full((PATCH_PX, PATCH_PX, 3), 235, np.uint8)
    cv2.rectangle(band, (0, 22), (PATCH_PX, 42), (60, 60, 200), -1)
    letter = np.full((PATCH_PX, PATCH_PX, 3), 225, np.uint8)
    cv2.putText(letter, "R", (16, 48), cv2.FONT_HERSHEY_SIMPLEX, 1.4, (30, 30, 160), 4)
    cloth = np.zeros((PATCH_PX, PATCH_PX, 3), np.uint8)
    cloth[:, ::8], cloth[:, 1::8] = (40, 140, 220), (40, 140, 220)

    readings = shipped_reader(game).read(np.stack([band, letter, cloth]), [48.0] * 3)

    assert all(reading.best < 0.9 for reading in readings)


def test_evidence_makes_no_reading_surer():
    reader = shipped_reader("carnival")
    rng = np.random.default_rng(3)
    patches = rng.integers(0, 255, (12, PATCH_PX, PATCH_PX, 3)).astype(np.uint8)

    plain = replace(reader, evidence=None)
    pairs = zip(reader.read(patches), plain.read(patches), strict=True)

    assert all(weighed.best <= plain.best for weighed, plain in pairs)


def stump(names: list[int], lower: list[int], higher: list[int]) -> Trees:
    return Trees(
        -1.0, np.array([0], np.int32), np.array(names, np.int32), np.array([0.5, 0.0, 0.0]),
        np.array(lower, np.int32), np.array(higher, np.int32), np.array([0.0, -2.0, 3.0]),
    )  # fmt: skip


def test_trees_add_the_log_odds_of_their_leaves():
    rows = np.zeros((2, len(NAMES)), np.float32)
    rows[1, 4] = 0.7

    shares = stump([4, -1, -1], [1, 0, 0], [2, 0, 0]).shares(rows)

    assert shares == pytest.approx([1 / (1 + np.exp(3.0)), 1 / (1 + np.exp(-2.0))])


def test_trees_that_go_round_in_circles_are_refused():
    arrays = stump([4, -1, -1], [0, 0, 0], [2, 0, 0]).arrays("ours_")

    with pytest.raises(ValueError, match="circles"):
        Trees.of(arrays, "ours_")


def test_what_is_written_is_what_is_loaded(tmp_path):
    box = built_in_set("sssnake")
    own = evidence_of("sssnake")
    write_evidence(own, box, tmp_path, {"rows": 1})
    rows = np.random.default_rng(0).normal(0, 1, (20, len(NAMES))).astype(np.float32)

    loaded = load_evidence(box, tmp_path)

    assert loaded is not None
    assert (loaded.faces.pictures == own.faces.pictures).all()
    assert loaded.faces.looks == own.faces.looks
    assert (loaded.ours.shares(rows) == own.ours.shares(rows)).all()
    assert (loaded.tile.shares(rows) == own.tile.shares(rows)).all()


def test_evidence_of_another_box_or_with_missing_arrays_is_refused(tmp_path):
    box = built_in_set("sssnake")
    own = evidence_of("sssnake")
    write_evidence(own, box, tmp_path, {})
    with pytest.raises(ModelError, match="evidence_schlangennest"):
        load_evidence(built_in_set("schlangennest"), tmp_path)

    path = tmp_path / file_names("sssnake")[0]
    manifest = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**manifest, "faces": manifest["faces"][1:]}), "utf-8")
    with pytest.raises(ModelError, match="do not fit"):
        load_evidence(box, tmp_path)


def test_a_taught_box_is_held_against_its_photographs():
    patches, cells = printed("schlangennest")
    prints = Prints(patches, tuple(tile for tile, _ in cells), (0,) * len(cells))

    faces = faces_of_prints(prints)

    assert faces.pictures.shape == (len(cells), FACE_PX, FACE_PX, 3)
    best = faces.cosines(np.ascontiguousarray(np.rot90(patches, -1, axes=(1, 2)))).argmax(axis=1)
    assert [faces.looks[n] for n in best] == [Look(tile, 0, 1) for tile, _ in cells]


def seen_of(game: str, patch: np.ndarray, look: Look) -> dict[str, float]:
    faces = evidence_of(game).faces
    fits = faces.fits([slopes_of(patch)], [(look,)])
    own = np.array([[one == look for one, _ in faces.coarse[0]]])
    return dict(zip(SEEN, faces.seen(patch[None], fits, own)[0].tolist(), strict=True))


def test_nothing_of_a_printed_face_is_burnt_and_light_on_it_is_noticed():
    patches, cells = printed("sssnake")
    look = Look(*cells[0])
    dim = (patches[0] * 0.7).astype(np.uint8)
    spotted = dim.copy()
    cv2.circle(spotted, (PATCH_PX // 2, PATCH_PX // 2), 20, (255, 255, 255), -1)

    plain, burnt = seen_of("sssnake", dim, look), seen_of("sssnake", spotted, look)

    assert plain["burnt"] == 0
    assert plain["printed"] > 0.95
    assert burnt["burnt"] > 0.3
    assert burnt["seen"] < plain["seen"]
    assert burnt["apart"] < plain["apart"]
    assert burnt["lit"] > plain["lit"]


@pytest.mark.parametrize("game", GAMES)
def test_faces_that_light_has_burnt_are_not_read_surely(game):
    patches, _ = printed(game)
    for patch in patches:
        cv2.circle(patch, (PATCH_PX // 2, PATCH_PX // 2), 27, (255, 255, 255), -1)

    readings = shipped_reader(game).read(patches, [48.0] * len(patches))

    assert all(reading.best < 0.8 for reading in readings)


def reading_at(confidence: float, why: str | None = None) -> CellReading:
    return CellReading((CellGuess("red/head", 0, 0, confidence),), why)


def test_a_lone_tile_among_many_other_things_is_doubted_unless_its_evidence_carries_it():
    others = [reading_at(0.01, UNKNOWN_TILE)] * 20

    doubted = in_company([reading_at(0.95), *others], 0.8)[0]
    carried = in_company([reading_at(0.9999), *others], 0.8)[0]

    assert doubted.best < 0.8
    assert carried.best >= 0.9


def test_a_first_move_on_a_bare_table_counts_as_much_as_ever():
    first = [reading_at(0.95)]

    assert in_company(first, 0.8) == first
    assert in_company([], 0.8) == []


def test_one_strange_thing_beside_many_tiles_changes_next_to_nothing():
    tiles = [reading_at(0.95)] * 20

    assert in_company([*tiles, reading_at(0.01, UNKNOWN_TILE)], 0.8)[0].best > 0.94
