"""Evidence: a reading is held against the printed face, and is never surer than that allows."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.training.shipped_reader import prints
from vision.classify import embedding, features
from vision.classify.embedding import described_count
from vision.classify.evidence import (
    NAMES,
    Evidence,
    Trees,
    in_company,
    load_trees,
    rows_of,
    taught_evidence,
    taught_trees,
    write_taught,
)
from vision.classify.faces import FACE_PX, SEEN, Faces, Prints, faces_of_prints, slopes_of
from vision.classify.reading import CellGuess, CellReading
from vision.classify.taught_looks import TaughtReader, make_reader
from vision.core.crop import PATCH_PX
from vision.core.errors import ModelError
from vision.core.files import TRAINED
from vision.core.types import QUARTERS, UNKNOWN_TILE, Look
from vision.layout.play import NUMBERS as PLAY_NAMES

GAMES = ("schlangennest", "sssnake", "carnival")


@cache
def printed(game: str) -> tuple[np.ndarray, list[tuple[str, int]]]:
    """The prints of a box's cards of one cell as patches, and what they are."""
    every = prints(built_in_set(game))
    bigs = {tile for tile, cell in every if cell}
    cells = [(tile, cell) for tile, cell in every if tile not in bigs]
    return np.stack([every[one] for one in cells]), cells


@cache
def evidence_of(game: str) -> Evidence:
    """The evidence of a box that was taught from its prints."""
    patches, cells = printed(game)
    return taught_evidence(Prints(patches, tuple(tile for tile, _ in cells), (0,) * len(cells)))


@cache
def reader_of(game: str) -> TaughtReader:
    """A reader that knows the looks of a box."""
    looks = [Look(tile, 0, turns) for tile, _ in printed(game)[1] for turns in range(QUARTERS)]
    project = np.zeros((described_count(), 1), np.float32)
    return make_reader(
        built_in_set(game), looks, project, np.zeros((len(looks), 1), np.float32), 1.0, 1.0
    )


@pytest.mark.parametrize("game", GAMES)
def test_every_printed_face_is_most_like_itself(game):
    faces = evidence_of(game).faces
    patches, cells = printed(game)
    looks = [Look(tile, cell) for tile, cell in cells]

    for number, patch in enumerate(patches):
        fits = faces.fits([slopes_of(patch)] * len(looks), [(look,) for look in looks])
        alike = [fit.alike for fit in fits]
        assert max(alike) == alike[number] > 0.8


def stump(names: list[int], lower: list[int], higher: list[int]) -> Trees:
    return Trees(
        -1.0,
        np.array([0], np.int32),
        np.array(names, np.int32),
        np.array([0.5, 0.0, 0.0]),
        np.array(lower, np.int32),
        np.array(higher, np.int32),
        np.array([0.0, -2.0, 3.0]),
    )


def test_trees_add_the_log_odds_of_their_leaves():
    rows = np.zeros((2, len(NAMES)), np.float32)
    rows[1, 4] = 0.7

    shares = stump([4, -1, -1], [1, 0, 0], [2, 0, 0]).shares(rows)

    assert shares == pytest.approx([1 / (1 + np.exp(3.0)), 1 / (1 + np.exp(-2.0))])


def test_trees_that_go_round_in_circles_are_refused():
    arrays = stump([4, -1, -1], [0, 0, 0], [2, 0, 0]).arrays("ours_")

    with pytest.raises(ValueError, match="circles"):
        Trees.of(arrays, "ours_")


def test_a_taught_box_is_held_against_its_photographs():
    patches, cells = printed("schlangennest")
    own = Prints(patches, tuple(tile for tile, _ in cells), (0,) * len(cells))

    faces = faces_of_prints(own)

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


# --- trees ---------------------------------------------------------------------------------------


def leaf(odds: float) -> Trees:
    """Return trees that say the same of everything: so many log-odds."""
    return Trees(
        odds,
        np.array([0], np.int32),
        np.array([-1], np.int32),
        np.array([0.0]),
        np.array([0], np.int32),
        np.array([0], np.int32),
        np.array([0.0]),
    )


def test_each_tree_is_followed_to_its_leaf_however_deep_and_at_its_limit_to_the_lower_side():
    # The first tree asks number 0, then number 4; the second is a leaf.
    trees = Trees(
        -1.0,
        np.array([0, 5], np.int32),
        np.array([0, -1, 4, -1, -1, -1], np.int32),
        np.array([0.5, 0.0, 0.25, 0.0, 0.0, 0.0]),
        np.array([1, 0, 3, 0, 0, 0], np.int32),
        np.array([2, 0, 4, 0, 0, 0], np.int32),
        np.array([9.0, -2.0, 9.0, 3.0, 1.0, 0.25]),
    )
    rows = np.zeros((4, len(NAMES)), np.float32)
    rows[:, 0] = 0.5, 0.6, 0.6, 0.6
    rows[:, 4] = 0.9, 0.2, 0.25, 0.3

    shares = trees.shares(rows)

    odds = np.array([-2.75, 2.25, 2.25, 0.25])
    assert shares == pytest.approx(1 / (1 + np.exp(-odds)))
    assert shares.dtype == np.float32
    again = Trees.of(trees.arrays("x_"), "x_")
    assert (again.shares(rows) == shares).all()
    assert isinstance(again.start, float)
    assert sorted(trees.arrays()) == sorted(vars(trees))


@pytest.mark.parametrize("name", [0, 1, 4])
@pytest.mark.parametrize("higher", [0, 3])
def test_trees_that_lead_back_or_out_of_their_nodes_are_refused(name, higher):
    with pytest.raises(ValueError, match=r"^a tree goes round in circles$"):
        Trees.of(stump([name, -1, -1], [1, 0, 0], [higher, 0, 0]).arrays())


# --- readings, weighed ---------------------------------------------------------------------------


def logit(share: float) -> float:
    return float(np.log(share / (1 - share)))


def weighed_by(ours: float, tile: float, *readings: CellReading) -> list[CellReading]:
    """Return readings of printed faces of Sssnake after evidence that says the same of all."""
    reader = reader_of("sssnake")
    evidence = replace(evidence_of("sssnake"), ours=leaf(ours), tile=leaf(tile))
    patches, _ = printed("sssnake")
    return evidence.weighed(reader, patches[: len(readings)], readings, [48.0] * len(readings))


def straight(sure: float, **more: Any) -> CellReading:
    guesses = (CellGuess("straight", 0, 0, sure), CellGuess("curve", 0, 1, sure / 8))
    return replace(CellReading(guesses, far=0.25), **more)


def test_reading_is_made_as_sure_as_its_evidence_and_all_its_guesses_by_the_same_factor():
    (said,) = weighed_by(logit(0.6), logit(0.1), straight(0.8, odd=True))

    assert [guess.confidence for guess in said.guesses] == pytest.approx([0.6, 0.075])
    assert [(g.tile, g.cell, g.turns) for g in said.guesses] == [
        ("straight", 0, 0),
        ("curve", 0, 1),
    ]
    assert (said.why, said.odd, said.far) == (None, True, 0.25)


def test_reading_that_its_evidence_would_make_surer_stays_as_it_is():
    plain, exact = straight(0.4), straight(0.5)

    assert weighed_by(logit(0.6), logit(0.1), plain)[0] is plain
    assert weighed_by(0.0, logit(0.1), exact)[0] is exact


@pytest.mark.parametrize(
    ("ours", "tile", "why"),
    [(0.4, 0.49, UNKNOWN_TILE), (0.4, 0.5, None), (0.5, 0.1, None), (0.2, 0.9, None)],
)
def test_what_is_likelier_no_tile_of_the_box_than_one_is_called_unknown(ours, tile, why):
    (said,) = weighed_by(logit(ours), logit(tile), straight(0.8))

    assert said.best == pytest.approx(ours)
    assert said.why == why


def test_readings_that_are_doubted_already_are_not_weighed():
    strange = straight(0.8, why=UNKNOWN_TILE)

    said = weighed_by(logit(0.6), logit(0.1), strange, straight(0.8))

    assert said[0] is strange
    assert said[1].best == pytest.approx(0.6)
    assert weighed_by(0.0, 0.0, strange) == [strange]


def test_reading_of_a_tile_without_a_face_is_not_weighed():
    reader = reader_of("sssnake")
    own = evidence_of("sssnake")
    kept = [n for n, (tile, _) in enumerate(own.faces.cells) if tile != "straight"]
    faces = Faces(
        tuple(own.faces.cells[n] for n in kept),
        own.faces.pictures[kept],
        own.faces.looks,
        own.faces.numbers,
    )
    patches, _ = printed("sssnake")
    readings = [straight(0.8), CellReading((CellGuess("curve", 0, 0, 0.8),))]

    said = Evidence(faces, leaf(0.0), leaf(0.0), 0.8).weighed(reader, patches[:2], readings, None)

    assert said[0] is readings[0]
    assert said[1].best == pytest.approx(0.5)


def test_each_reading_is_weighed_by_the_width_of_its_own_patch():
    # These trees ask for nothing but how wide a patch was: more than 32 pixels, or not.
    wide = stump([NAMES.index("wide"), -1, -1], [1, 0, 0], [2, 0, 0])
    wide = replace(wide, limits=np.array([np.log(32.5), 0.0, 0.0]))
    reader, evidence = reader_of("sssnake"), evidence_of("sssnake")
    patches, _ = printed("sssnake")
    readings = [straight(0.99, why=UNKNOWN_TILE), straight(0.99), straight(0.99)]
    own = replace(evidence, ours=wide, tile=wide)

    said = own.weighed(reader, patches[:3], readings, [20.0, 20.0, 40.0])
    unknown = own.weighed(reader, patches[:3], readings, None)

    low, high = 1 / (1 + np.exp(3.0)), 1 / (1 + np.exp(-2.0))
    assert [one.best for one in said] == pytest.approx([0.99, low, high])
    assert [one.best for one in unknown] == pytest.approx([0.99, high, high])


def corner_said_to_be(*guesses: tuple[str, float], **more: Any) -> CellReading:
    """Return the reading of the yellow corner's printed face after Carnival's own evidence."""
    reader, evidence = reader_of("carnival"), evidence_of("carnival")
    patches, cells = printed("carnival")
    patch = patches[cells.index(("yellow/corner", 0))][None]
    said = CellReading(tuple(CellGuess(tile, 0, 0, sure) for tile, sure in guesses), far=0.2)
    return evidence.weighed(reader, patch, [replace(said, **more)], [40.0])[0]


def test_second_guess_is_taken_where_its_face_is_the_one_that_is_seen():
    said = corner_said_to_be(("log/corner", 0.9), ("yellow/corner", 0.08), ("red/corner", 0.01))

    assert [guess.tile for guess in said.guesses] == ["yellow/corner", "log/corner", "red/corner"]
    assert said.best > 0.9
    assert said.why is None
    assert sum(guess.confidence for guess in said.guesses) <= 1
    assert said.guesses[1].confidence == pytest.approx(90 * said.guesses[2].confidence)


def test_first_guess_stays_where_its_own_face_is_seen_or_neither_is():
    own = corner_said_to_be(("yellow/corner", 0.6), ("log/corner", 0.3))
    neither = corner_said_to_be(("house", 0.6), ("gift", 0.3))

    assert own.guesses[0].tile == "yellow/corner"
    assert neither.guesses[0].tile == "house"
    assert neither.best < 0.5


# --- what is known about a patch -----------------------------------------------------------------


def known(readings: list[CellReading], patches: np.ndarray, across: list[float] | None = None):
    """Return what is known about patches of Sssnake, by name."""
    faces, reader = evidence_of("sssnake").faces, reader_of("sssnake")
    rows = rows_of(faces, reader, patches, readings, across)
    assert rows.dtype == np.float32
    assert rows.shape == (len(patches), len(NAMES))
    return dict(zip(NAMES, rows.T, strict=True))


def test_a_row_begins_with_how_sure_and_how_far_a_reading_is():
    patches, _ = printed("sssnake")
    readings = [straight(0.9, far=0.5), straight(1.0, far=0.0), straight(0.0, far=2.0)]

    row = known(readings, patches[:3])

    sure = np.log([9.0, (1 - 1e-6) / 1e-6, 1e-6 / (1 - 1e-6)])
    assert row["sure"] == pytest.approx(sure, rel=1e-4)
    assert row["far"] == pytest.approx(np.log([0.5, 1e-3, 2.0]), rel=1e-5)


def test_width_counts_up_to_a_limit_and_is_the_limit_where_nobody_knows_it():
    patches, _ = printed("sssnake")
    readings = [straight(0.9)] * 3

    assert known(readings, patches[:3], [32.0, 64.0, 100.0])["wide"] == pytest.approx(
        np.log([32.0, 64.0, 64.0])
    )
    assert known(readings, patches[:3])["wide"] == pytest.approx(np.log([64.0] * 3))


def test_a_patch_is_held_against_the_looks_it_is_said_to_be_and_against_all_others():
    faces, reader = evidence_of("sssnake").faces, reader_of("sssnake")
    patches, cells = printed("sssnake")
    number = cells.index(("curve", 0))
    picked = patches[[number, number]]
    right = CellReading((CellGuess("curve", 0, 0, 0.9), CellGuess("straight", 0, 0, 0.1)))
    wrong = CellReading((CellGuess("straight", 0, 0, 0.9),))

    row = known([right, wrong], picked)

    cosines, slopes = faces.cosines(picked), [slopes_of(patch) for patch in picked]
    groups = [reader.members["curve", 0, 0], reader.members["straight", 0, 0]]
    own = np.array([[look in group for look in faces.looks] for group in groups])
    best = [cosines[n][own[n]].max() for n in (0, 1)]
    rival = [cosines[n][~own[n]].max() for n in (0, 1)]
    alike = np.array([fit.alike for fit in faces.fits(slopes, groups)])
    second = np.array([fit.alike for fit in faces.fits(slopes, [groups[1], ()])])
    assert row["cosine"] == pytest.approx(best, abs=1e-5)
    assert row["cosine_margin"] == pytest.approx(np.subtract(best, rival), abs=1e-5)
    assert row["alike"] == pytest.approx(alike, abs=1e-5)
    assert row["alike_margin"] == pytest.approx(alike - second, abs=1e-5)
    assert second[1] == 0
    assert row["cosine_margin"][0] > 0 > row["cosine_margin"][1]
    rows = np.array([[look in group for look, _ in faces.coarse[0]] for group in groups])
    seen = faces.seen(picked, faces.fits(slopes, groups), rows)
    for name, column in zip(SEEN, seen.T, strict=True):
        assert row[name] == pytest.approx(column, abs=1e-5), name


def test_light_is_told_by_what_is_clipped_how_far_apart_dark_and_bright_are_and_how_steep():
    split = np.zeros((PATCH_PX, PATCH_PX, 3), np.uint8)
    split[:, PATCH_PX // 2 :] = 255
    level = np.full_like(split, 250)
    below = level.copy()
    below[..., 2] = 249
    tall = np.ascontiguousarray(split.transpose(1, 0, 2))

    row = known([straight(0.9)] * 4, np.stack([split, level, below, tall]))

    assert row["clipped"] == pytest.approx([0.5, 1.0, 0.0, 0.5])
    assert row["contrast"] == pytest.approx(np.log([259.0, 4.0, 4.0, 259.0]), rel=1e-5)
    assert row["blur"] == pytest.approx([255 / 259, 0.0, 0.0, 0.0], rel=1e-5)


# --- files ---------------------------------------------------------------------------------------


def written_to(folder: Path, name: str) -> tuple[str, dict[str, Any], dict[str, np.ndarray]]:
    """Return a manifest as it was written and as it is read, and the arrays beside it."""
    text = (folder / f"evidence_{name}.json").read_text("utf-8")
    with np.load(folder / f"evidence_{name}.npz", allow_pickle=False) as arrays:
        return text, json.loads(text), {key: arrays[key] for key in arrays.files}


def test_evidence_of_taught_boxes_is_written_without_faces(tmp_path):
    own = evidence_of("sssnake")
    write_taught(own.ours, own.tile, 0.75, tmp_path, {"boxes": 3})

    _, manifest, arrays = written_to(tmp_path, "taught")

    assert manifest == {
        "format": "snake-eye/evidence",
        "version": 2,
        "set": "taught",
        "embedding": embedding.VERSION,
        "features": features.VERSION,
        "names": list(NAMES),
        "file": "evidence_taught.npz",
        "sha256": sha256((tmp_path / "evidence_taught.npz").read_bytes()).hexdigest(),
        "figures": {"boxes": 3},
    }
    assert float(arrays["share"]) == 0.75
    assert (arrays["ours_values"] == own.ours.values).all()
    assert (arrays["tile_values"] == own.tile.values).all()


def test_taught_box_is_weighed_by_its_photographs_and_by_what_all_taught_boxes_share():
    patches, cells = printed("schlangennest")
    own = Prints(patches[:3], tuple(tile for tile, _ in cells[:3]), (0, 0, 0))

    evidence = taught_evidence(own)

    assert evidence.faces.cells == tuple((tile, 0) for tile, _ in cells[:3])
    assert (evidence.ours, evidence.tile, evidence.share) == taught_trees()


# --- trees by their name -------------------------------------------------------------------------


def test_trees_are_loaded_by_their_name_and_the_features_that_they_were_fitted_on(tmp_path):
    shares = load_trees("play", PLAY_NAMES).shares(np.zeros((1, len(PLAY_NAMES))))

    assert 0.0 < shares[0] < 1.0
    with pytest.raises(ModelError, match="says numbers"):
        load_trees("play", PLAY_NAMES[1:])
    (tmp_path / "play.json").write_bytes((TRAINED / "islands.json").read_bytes())
    with pytest.raises(ModelError, match='says format "snake-eye/islands"'):
        load_trees("play", PLAY_NAMES, tmp_path)
    with pytest.raises(ModelError, match=r"no trained model at .*absent\.json"):
        load_trees("absent", PLAY_NAMES)
