"""Pictures and truths: the same from the same seed, and true to each other."""

import json
from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.scenes.arrange import arrange
from models.lab.scenes.camera.truth import truth_of
from models.lab.scenes.games.positions import table_at
from models.lab.scenes.scene import Scene, camera_for, make_scene, painted, scene_from
from models.lab.scenes.settings import GAMES, SUBJECTS, draw_settings, without_disturbance
from models.lab.scenes.world.faces import set_faces
from models.lab.scenes.world.lattices import hex_pose
from models.lab.scenes.world.things import Lathe

SMALL = (640, 480)


def clear_scene(seed: int, game: str, size=(1280, 960)) -> Scene:
    settings = without_disturbance(draw_settings(seed, "train", game, size))
    camera = replace(settings.camera, elevation_deg=75.0, height_mm=600.0)
    light = replace(settings.light, ambient=0.8, unevenness=0.0)
    prints = replace(settings.print, pale=0.0, streaks=0.0)
    return scene_from(replace(settings, camera=camera, light=light, print=prints))


@pytest.mark.parametrize("subject", SUBJECTS)
def test_equal_seeds_give_equal_bytes_and_others_do_not(subject):
    one, same, other = (make_scene(seed, "held-out", subject, SMALL) for seed in (3, 3, 4))

    assert one.jpeg == same.jpeg
    assert one.truth == same.truth
    assert one.jpeg != other.jpeg
    assert one.bgr.shape == (480, 640, 3)


@pytest.mark.parametrize("game", GAMES)
def test_truth_holds_what_the_engine_laid(game):
    settings = without_disturbance(draw_settings(8, "train", game, SMALL))
    scene = scene_from(settings)
    table = table_at(game, "train", settings.play, 8, settings.fullness, settings.foul)
    layout = table.layout
    laid = sorted([c.tile for c in layout.cards] + [p.tile for p in layout.pieces])

    assert sorted(entry["tile"] for entry in scene.truth["tiles"]) == laid
    assert len(scene.truth["clay"]) == len(table.layout.clay)
    assert all(entry["visible"] == 1 for entry in scene.truth["tiles"])
    assert scene.truth["format"] == "snake-eye/table"
    json.dumps(scene.truth)


@pytest.mark.parametrize("game", ["schlangennest", "carnival"])
def test_a_tile_cut_out_by_its_outline_shows_its_face(game):
    scene = clear_scene(5, game)
    faces = set_faces(game)
    for entry in scene.truth["tiles"]:
        square = np.array([(0, 0), (64, 0), (64, 64), (0, 64)], np.float32) - np.float32(0.5)
        cut = cv2.getPerspectiveTransform(np.array(entry["outline"], np.float32), square)
        seen = cv2.warpPerspective(scene.bgr, cut, (64, 64), flags=cv2.INTER_AREA)
        face = faces[entry["tile"]].levels[0][8:-8, 8:-8, :3]
        drawn = cv2.resize(face, (64, 64), interpolation=cv2.INTER_AREA)

        assert np.corrcoef(seen.ravel(), drawn.ravel())[0, 1] > 0.75, entry["tile"]


@pytest.mark.parametrize("game", ["schlangennest", "sssnake"])
def test_turns_say_how_the_print_is_turned_against_the_lattice(game):
    truth = clear_scene(6, game).truth
    tiles = [t for t in truth["tiles"] if "/" not in t["tile"] or game != "sssnake"]
    periods = {name: kind.period for name, kind in built_in_set(game).kinds.items()}
    right: dict[tuple[int | None, int], list[float]] = {}
    for tile in tiles:
        a, b = np.array(tile["outline"][0]), np.array(tile["outline"][1])
        turned = np.degrees(np.arctan2(*(b - a)[::-1])) - 90 * tile["turns"]
        step = 90 * periods[tile["tile"]]
        right.setdefault((tile.get("field"), step), []).append(turned % step)
    for (_, step), angles in right.items():
        spread = (np.array(angles) - angles[0] + step / 2) % step - step / 2

        assert np.abs(spread).max() < 25


def test_nothing_is_said_of_tables_without_tiles():
    for seed in range(8):
        truth = make_scene(seed, "train", "nothing", SMALL).truth

        assert truth["tiles"] == []
        assert truth["aside"] == []


def test_a_cup_on_a_tile_hides_it_and_a_cut_tile_is_cut():
    settings = without_disturbance(draw_settings(12, "train", "schlangennest", SMALL))
    top = arrange(settings)
    camera = camera_for(settings, top.extent_mm)
    first = top.items[0]
    cup = Lathe(first.x_mm, first.y_mm, ((0, 30), (80, 34)), (200, 200, 200), (20, 30, 60))
    hidden = truth_of(top, painted(settings, replace(top, lathes=(cup,)), camera))["tiles"]
    past = replace(settings, camera=replace(settings.camera, fill=1.2, aim=(0.05, 0.05)))
    cut = scene_from(past).truth["tiles"]

    assert hidden[0]["visible"] < 0.7
    assert not hidden[0]["cut"]
    assert any(t["cut"] and t["in_frame"] < 1 for t in cut)
    assert all(0 <= t["visible"] <= t["in_frame"] <= 1 for t in (*hidden, *cut))


def test_one_tile_a_cell_and_cells_side_by_side_lie_a_pitch_apart():
    top = arrange(without_disturbance(draw_settings(12, "train", "schlangennest")))
    at = {tuple(i.truth["at"]): np.array([i.x_mm, i.y_mm]) for i in top.items}
    cards = draw_settings(12, "train", "schlangennest").cards
    step = cards.size_mm + cards.gap_mm
    room = 2 * cards.shift_mm + cards.drift_mm + 1

    assert len(at) == len(top.items)
    for (x, y), place in at.items():
        if (x + 1, y) in at:
            assert abs(np.linalg.norm(at[x + 1, y] - place) - step) <= room


@pytest.mark.parametrize("kind", ["2", "3/0", "3/+", "4/0+", "4/++", "4/+-"])
@pytest.mark.parametrize("turns", range(6))
@pytest.mark.parametrize("flipped", [False, True])
def test_a_hex_tile_is_found_however_it_lies(kind, turns, flipped):
    cells = built_in_set("snekagon")[f"red/{kind}"].cells
    laid = [(-q - r, r) if flipped else (q, r) for q, r in cells]
    for _ in range(turns):
        laid = [(-r, q + r) for q, r in laid]
    laid = sorted((q + 2, r - 1) for q, r in laid)

    at, turned, mirrored = hex_pose(cells, laid)

    again = [(-q - r, r) if mirrored else (q, r) for q, r in cells]
    for _ in range(turned):
        again = [(-r, q + r) for q, r in again]
    assert sorted((at[0] + q, at[1] + r) for q, r in again) == laid


def test_fouls_change_the_table():
    changed = [
        table_at(game, "train", "random", seed, 0.7, foul=True).layout
        != table_at(game, "train", "random", seed, 0.7, foul=False).layout
        for game in GAMES
        for seed in range(2)
    ]

    assert np.mean(changed) > 0.8
