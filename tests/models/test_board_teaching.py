"""Boards that owners teach: wooden blocks on a wooden board, found, learnt and read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.draw.hexes import outline
from engine.placement import Layout
from engine.setfile import built_in_set
from models.lab.evaluate.taught.wood import GAME_SEED, lesson_layout, owner_map, photograph
from models.teaching.board_fit import fit_board
from models.teaching.board_lessons import board_examples, check_learnt
from models.teaching.errors import TeachingError
from models.teaching.examples import Examples, joined
from models.teaching.labels import Label, parse_labels
from models.teaching.shelf import refused
from models.teaching.store import Kept, game_file, with_new
from models.teaching.teach import Lesson, teach
from vision.classify.taught import find_taught, wanted
from vision.core.errors import ModelError, OutdatedError
from vision.hexes.cells import CELLS, turned_cell
from vision.hexes.pieces import pieces_of
from vision.hexes.plane import HexBoard, plane_of
from vision.hexes.taught.boards import board_kinds, find_taught_board
from vision.hexes.taught.reader import BoardReader
from vision.intake.picture import Picture

BOX = built_in_set("snekagon")
SIZE_PX = (1024, 768)
LESSON, OTHER = 3, 22


def photo(layout: Layout, seed: int):
    jpeg = photograph(layout, SIZE_PX, seed)
    return np.asarray(cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)


def labels_of(layout: Layout, turn: int = 0, shift: tuple[int, int] = (0, 0)) -> list[Label]:
    return [
        Label(
            piece.tile,
            cells=tuple(
                (q + shift[0], r + shift[1])
                for q, r in (turned_cell(cell, turn) for cell in piece.cells)
            ),
        )
        for piece in sorted(layout.pieces)
    ]


@pytest.fixture(scope="module")
def lesson():
    """A photograph of all tiles on the board."""
    bgr = photo(lesson_layout(LESSON), LESSON)
    return Picture(bgr, (bgr.shape[1], bgr.shape[0]))


@pytest.fixture(scope="module")
def board(lesson) -> HexBoard:
    found = find_taught_board(lesson.bgr)
    assert found is not None
    return found


@pytest.fixture
def found_once(board, monkeypatch):
    """The board of the lesson was found before: only what is made of its labels is asked."""
    monkeypatch.setattr("models.teaching.board_lessons.find_taught_board", lambda _: board)


@pytest.fixture(scope="module")
def examples(lesson):
    return board_examples(lesson, labels_of(lesson_layout(LESSON)), BOX, None, "one.jpg")


@pytest.fixture(scope="module")
def reader(examples) -> BoardReader:
    return fit_board(examples, BOX, np.random.default_rng(1)).reader


def looks_of(examples) -> dict[str, float]:
    """Return how bright each kind is on the whole."""
    return {
        kind: round(
            float(
                np.mean(
                    [
                        p.mean()
                        for p, tile in zip(examples.patches, examples.tiles, strict=True)
                        if tile == kind
                    ]
                )
            ),
            3,
        )
        for kind in set(examples.tiles)
    }


def tiles_on(bgr, reader):
    board = find_taught_board(bgr)
    assert board is not None
    pieces, splits = pieces_of([reader.read(bgr, board)], BOX, False)
    return {(p.piece.tile, frozenset(p.piece.cells)) for p in pieces}, splits


@pytest.mark.parametrize("level", [0, 128, 255])
def test_a_blank_picture_has_no_board(level):
    assert find_taught_board(np.full((480, 640, 3), level, np.uint8)) is None


@pytest.mark.parametrize("seed", [OTHER, GAME_SEED])
def test_an_empty_wooden_board_is_found_and_bare(reader, seed):
    bgr = photo(Layout(), seed)

    board = find_taught_board(bgr)
    assert board is not None
    reading = reader.read(bgr, board)

    assert board.unsteady == 0
    assert {int(shares.argmax()) for shares in reading.contents.values()} == {0}
    assert max(reading.hidden.values()) < 0.5


def test_tiles_are_read_on_another_table_in_another_light(reader):
    layout = lesson_layout(OTHER)

    found, splits = tiles_on(photo(layout, OTHER), reader)

    truth = {(piece.tile, frozenset(piece.cells)) for piece in layout.pieces}
    turned = [
        {(t, frozenset(turned_cell(c, k) for c in cells)) for t, cells in found} for k in range(6)
    ]
    assert truth in turned
    assert not splits


def test_a_hand_on_the_board_hides_cells(lesson, board, reader):
    covered = lesson.bgr.copy()
    at = board.px(plane_of([(0, 0)]))[0]
    cv2.circle(covered, (int(at[0]), int(at[1])), int(board.cell_px()), (255, 60, 255), -1)

    reading = reader.read(covered, board)

    assert reading.hidden[(0, 0)] > 0.5
    assert sum(share > 0.5 for share in reading.hidden.values()) < 8


@pytest.mark.usefixtures("found_once")
@pytest.mark.parametrize(("turn", "shift"), [(2, (0, 0)), (5, (3, -7))])
def test_labels_may_count_cells_in_any_turn_and_from_anywhere(lesson, examples, turn, shift):
    labels = labels_of(lesson_layout(LESSON), turn, shift)

    again = board_examples(lesson, labels, BOX, None, "one.jpg")

    assert sorted(again.tiles) == sorted(examples.tiles)
    assert looks_of(again) == looks_of(examples)


@pytest.mark.usefixtures("found_once")
def test_labels_by_outline_are_laid_on_the_cells_that_they_go_round(lesson, board, examples):
    layout = lesson_layout(LESSON)

    found = [
        board_examples(
            lesson,
            [
                Label(label.tile, outline_px=board.px(np.array(outline(label.cells, 1.0))))
                for label in labels_of(layout, turn)
            ],
            BOX,
            None,
            "one.jpg",
        )
        for turn in range(6)
    ]

    assert all(sorted(one.tiles) == sorted(examples.tiles) for one in found)
    assert sum(looks_of(one) == looks_of(examples) for one in found) == 1


@pytest.mark.usefixtures("found_once")
def test_a_tile_on_cells_that_it_cannot_cover_is_named(lesson):
    labels = labels_of(lesson_layout(LESSON))
    wrong = [
        replace(label, tile="red/4/00") if label.tile == "red/4/++" else label for label in labels
    ]

    with pytest.raises(TeachingError, match=r"red/4/00 is said to lie on .* cannot cover"):
        board_examples(lesson, wrong, BOX, None, "one.jpg")


def test_a_photo_without_a_board_is_refused():
    bare = Picture(np.full((480, 640, 3), 90, np.uint8), (640, 480))

    with pytest.raises(TeachingError, match="no whole board is seen"):
        board_examples(bare, labels_of(lesson_layout(LESSON)), BOX, None, "one.jpg")


@pytest.mark.parametrize("kind", board_kinds(BOX))
def test_what_no_photo_shows_is_asked_for(examples, kind):
    rest = examples.some([n for n, tile in enumerate(examples.tiles) if tile != kind])

    with pytest.raises(TeachingError, match="no photo shows"):
        check_learnt(rest, BOX)


def test_hex_tiles_of_several_cells_need_a_game_with_a_board(tmp_path):
    data = {"photos": {"a.jpg": [{"tile": "snake", "cells": [[0, 0], [1, 0]]}]}}
    lesson = Lesson("mine", "hex", tmp_path, parse_labels(data, "hex"))

    with pytest.raises(TeachingError, match="snake covers several cells"):
        teach(lesson, tmp_path / "sets")


def test_a_taught_board_is_kept_and_found_again(tmp_path, lesson):
    cv2.imwrite(str(tmp_path / "one.png"), lesson.bgr)
    names = {tile: owner for owner, (tile, _) in owner_map().items()}
    entries = [
        {"tile": names[label.tile], "cells": [list(c) for c in label.cells]}
        for label in labels_of(lesson_layout(LESSON))
    ]
    labels = parse_labels({"photos": {"one.png": entries}}, "hex")

    report = teach(
        Lesson("wood", "hex", tmp_path, labels, "snekagon", owner_map()), tmp_path / "sets"
    )

    box = find_taught("wood", (tmp_path / "sets",))
    assert report["missing"] == report["left_out"] == report["not_found"] == []
    assert box is not None
    assert box.reader is None
    assert box.board is not None
    assert (box.tile_set.name, box.tile_set.game) == ("wood", "snekagon")
    _refuses_damage(tmp_path / "sets")


def _refuses_damage(folder: Path) -> None:
    path = folder / "wood.json"
    manifest = json.loads(path.read_text("utf-8"))
    for key, value in (("names", ["empty", "red"]), ("names", ["red", "green"]), ("known", -1)):
        path.write_text(json.dumps({**manifest, key: value}), encoding="utf-8")
        with pytest.raises(ModelError, match="damaged"):
            find_taught("wood", (folder,))


def test_a_reader_with_arrays_of_another_size_is_refused(reader):
    arrays = reader.arrays()

    with pytest.raises(ValueError, match="arrays of"):
        BoardReader.of(reader.names, {**arrays, "means": arrays["means"][:, :4]}, 1.0)
    with pytest.raises(ValueError, match="no numbers"):
        BoardReader.of(reader.names, {**arrays, "sides": arrays["sides"] * np.nan}, 1.0)


def test_every_cell_is_said_something_about(reader, lesson, board):
    reading = reader.read(lesson.bgr, board)

    assert set(reading.contents) == set(CELLS)
    assert all(abs(shares.sum() - 1) < 1e-9 for shares in reading.contents.values())


# --- Snekagon 5G is not taught ---


def test_boards_with_clay_are_not_taught(tmp_path):
    labels = parse_labels({"photos": {"a.jpg": [{"tile": "red/1", "cells": [[0, 0]]}]}}, "hex")

    with pytest.raises(TeachingError) as raised:
        teach(Lesson("tin", "hex", tmp_path, labels, "snekagon5g"), tmp_path / "sets")

    assert str(raised.value) == (
        "boards of Snekagon 5G cannot be taught: Snake Eye reads its printed boards; print them "
        "with 'snake-eye print snekagon5g'"
    )
    assert not (tmp_path / "sets").exists()


def test_a_board_with_clay_that_was_taught_before_is_told_by_name_and_stays(tmp_path):
    manifest = wanted("tin") | {"board": True, "game": "snekagon5g", "file": "tin-12345678.npz"}
    (tmp_path / "tin.json").write_text(json.dumps(manifest))
    (tmp_path / "tin.toml").write_text(game_file("tin", "snekagon5g"))

    said = refused(tmp_path)

    assert said == {
        "tin.json": "tin is a taught board of Snekagon 5G, which is not read any more: play with "
        "printed boards; its files stay as they are"
    }
    # A backup with it is taken back.
    assert refused(tmp_path, outdated=False) == {}
    assert (tmp_path / "tin.json").exists()
    with pytest.raises(OutdatedError, match="tin is a taught board of Snekagon 5G"):
        find_taught("tin", (tmp_path,))


# --- What photographs give ---


def test_an_empty_list_of_labels_is_a_bare_board(lesson, tmp_path):
    labels = parse_labels({"photos": {"a.jpg": [], "b.jpg": [{"tile": "unknown"}]}}, "hex")
    bare = photo(Layout(), LESSON)

    cut = board_examples(Picture(bare, (bare.shape[1], bare.shape[0])), (), BOX, None, "a.jpg")

    assert labels.bare == {"a.jpg"}
    assert set(cut.tiles) == {"empty"}


def test_every_photo_keeps_bare_cells_however_many_there_are(examples):
    many = joined([replace_photos(examples, f"{number}.jpg") for number in range(12)])

    kept = with_new(None, Kept(many)).examples

    assert len(kept) < len(many)
    for number in range(12):
        assert any(
            tile == "empty" and photo == f"{number}.jpg"
            for tile, photo in zip(kept.tiles, kept.photos, strict=True)
        )


def replace_photos(examples: Examples, name: str) -> Examples:
    return Examples(examples.patches, examples.tiles, examples.turns, (name,) * len(examples))
