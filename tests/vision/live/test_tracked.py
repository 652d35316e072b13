"""Reading a table again and again: as right as a whole read, and only what has changed."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.scenes.games.film import FilmedTable, film_settings
from models.lab.scenes.games.positions import Played, played
from vision.core.request import ReadRequest
from vision.core.types import Detection, Detections
from vision.hexes import read as hex_read
from vision.live import follow
from vision.live.follow import boxes_around, changed_between, painted_on, shrunk
from vision.live.tracked import TrackedTable
from vision.read import read_cells, read_table

SIZE_PX = (960, 540)


def filmed(
    game: str, seed: int, first: int, last: int, size_px: tuple[int, int] = SIZE_PX
) -> tuple[FilmedTable, Played]:
    whole = played(game, "train", "greedy", seed)
    one = replace(whole, layouts=tuple(dict.fromkeys(whole.layouts))[first:last])
    settings = film_settings(seed, "train", game, size_px)
    camera = replace(settings.camera, elevation_deg=max(70.0, settings.camera.elevation_deg))
    settings = replace(settings, camera=replace(camera, aim=(0.0, 0.0)))
    return FilmedTable(settings, one.players, one.layouts[0], iter(one.layouts), 10.0), one


def contents(state) -> list[tuple[object, ...]]:
    return sorted(
        (e["tile"], str(e.get("at", e.get("cells"))), e.get("turns", 0), e.get("board", 0))
        for e in state.tiles
    )


def part_after_move(follower, table, layout):
    """Return what a follower says of the part that a move changed, and the picture of it."""
    before = next(table.quiet(0.1)).bgr
    follower.whole(before)
    follower.keep()
    list(table.visit((layout,)))
    after = next(table.quiet(0.1)).bgr
    return follower.part(after, changed_between(shrunk(before), shrunk(after))), after


@pytest.mark.parametrize(("game", "seed", "first"), [("carnival", 2, 16), ("snekagon", 2, 5)])
def test_new_tile_is_read_as_by_a_whole_look(game, seed, first):
    table, one = filmed(game, seed, first, first + 2)
    box = built_in_set(game)
    request = ReadRequest(box.lattice, box)
    tracked = TrackedTable(request)
    for shot in table.quiet(0.3):
        tracked.read(shot.bgr, shot.t)
    assert (tracked.wholes, tracked.parts, tracked.repeats) == (2, 0, 1)
    list(table.visit((one.layouts[1],)))

    shots = list(table.quiet(0.6))
    states = [tracked.read(shot.bgr, shot.t) for shot in shots]

    assert (tracked.wholes, tracked.parts, tracked.repeats) == (2, 4, 3)
    assert (
        contents(states[0]) == contents(states[-1]) == contents(read_table(shots[0].bgr, request))
    )


def test_boards_on_which_nothing_has_changed_are_not_read_again(monkeypatch):
    table, one = filmed("snekagon5g", 2, 4, 6, (1600, 900))
    box = built_in_set("snekagon5g")
    read: list[int] = []
    real = hex_read.cells_of

    def counted(pyramid, boards, tile_set, models):
        read.append(len(boards))
        return real(pyramid, boards, tile_set, models)

    monkeypatch.setattr(follow, "cells_of", counted)
    follower = follow.HexFollower(ReadRequest("hex", box))

    state, after = part_after_move(follower, table, one.layouts[1])

    assert 0 < read[1] < read[0]
    assert contents(state) == contents(read_table(after, follower.request))


def test_cards_on_which_nothing_has_changed_are_not_read_again(monkeypatch):
    table, one = filmed("carnival", 2, 16, 18)
    box = built_in_set("carnival")
    read: list[int] = []
    real = read_cells

    def counted(bgr, outlines, reader, profile):
        read.append(len(outlines))
        return real(bgr, outlines, reader, profile)

    monkeypatch.setattr(follow, "read_cells", counted)
    follower = follow.TileFollower(ReadRequest("square", box))

    state, after = part_after_move(follower, table, one.layouts[1])

    assert 0 < read[1] < read[0] / 2
    assert contents(state) == contents(read_table(after, follower.request))


def test_everything_is_looked_at_when_the_camera_was_knocked():
    table, _ = filmed("carnival", 2, 16, 17)
    box = built_in_set("carnival")
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    for shot in table.quiet(0.3):
        tracked.read(shot.bgr, shot.t)
    before = contents(tracked.read(shot.bgr, shot.t))
    list(table.knock())

    after = [tracked.read(shot.bgr, shot.t) for shot in table.quiet(0.3)]

    assert tracked.wholes >= 4
    assert contents(after[-1]) == before


def test_everything_is_looked_at_now_and_then():
    table, _ = filmed("snekagon", 2, 5, 6)
    box = built_in_set("snekagon")
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    shots = list(table.quiet(0.3))
    for moment in (0.0, 0.1, 0.2, 11.0, 11.1):
        tracked.read(shots[0].bgr, moment)

    assert (tracked.wholes, tracked.repeats) == (3, 2)


def test_everything_is_looked_at_now_and_then_though_one_tile_stays_unsure():
    table, _ = filmed("carnival", 2, 16, 17)
    box = built_in_set("carnival")
    request = ReadRequest(box.lattice, box)
    bgr = next(table.quiet(0.1)).bgr.copy()
    lit = np.asarray(read_table(bgr, request).tiles[-1]["outline"]).mean(axis=0)
    cv2.circle(bgr, tuple(int(v) for v in lit), 18, (255, 255, 255), -1)
    tracked = TrackedTable(request)
    states = [tracked.read(bgr, moment) for moment in (0.0, 0.1, 0.2)]
    assert len(states[-1].unsure) == 1
    assert (tracked.wholes, tracked.parts) == (2, 1)

    for moment in (11.0, 11.1):
        tracked.read(bgr, moment)

    assert (tracked.wholes, tracked.parts) == (3, 2)


def test_tiles_beside_the_table_are_left_out_until_one_is_laid_at_their_side():
    table, one = filmed("carnival", 2, 16, 17)
    box = built_in_set("carnival")
    shot = next(table.quiet(0.1))
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    every = tracked.read(shot.bgr, 0.0)
    tracked.leave_out([np.asarray(entry["outline"]) for entry in every.tiles])
    assert tracked.read(shot.bgr, 0.1).tiles == ()

    tracked = TrackedTable(ReadRequest(box.lattice, box))
    house = next(entry for entry in every.tiles if entry["tile"] == "house")
    tracked.leave_out([np.asarray(house["outline"])])

    assert contents(tracked.read(shot.bgr, 0.2)) == contents(every)
    assert len(one.layouts) == 1


def pictured(level: int = 120) -> np.ndarray:
    rng = np.random.default_rng(1)
    return np.clip(rng.normal(level, 6, (270, 480, 3)), 0, 255).astype(np.uint8)


def test_light_and_tint_are_no_change():
    old = pictured()
    new = np.clip(old * np.array([0.7, 0.8, 0.9]), 0, 255).astype(np.uint8)

    assert not changed_between(shrunk(old), shrunk(new)).any()


def test_change_is_found_where_it_is():
    old, new = pictured(), pictured()
    new[100:120, 200:230] = 30
    mask = changed_between(shrunk(old), shrunk(new))

    assert mask[110, 215]
    assert not mask[:90].any()
    left, top, right, bottom = boxes_around(mask, 10, (480, 270))[0]
    assert (left, top) < (200, 100) < (230, 120) < (right, bottom)


def test_boxes_that_meet_become_one():
    mask = np.zeros((270, 480), bool)
    mask[10:20, 10:20] = mask[10:20, 30:40] = mask[200:210, 400:410] = True

    assert sorted(boxes_around(mask, 8, (480, 270))) == [(2, 2, 49, 29), (392, 192, 419, 219)]


def test_change_is_found_after_the_light_was_off():
    old = pictured()
    dark = (old * 0.16).astype(np.uint8)
    new = old.copy()
    new[100:120, 200:230] = 30

    assert changed_between(shrunk(dark), shrunk(new))[110, 215]


def test_picture_most_of_which_looks_different_is_all_new():
    old, new = pictured(), pictured()
    new[:, 160:320] = 200
    new[:, 320:] = 60

    assert changed_between(shrunk(old), shrunk(new)).all()


def test_everything_is_looked_at_after_a_hand_that_seems_to_have_changed_nothing():
    table, _ = filmed("snekagon", 2, 5, 6)
    box = built_in_set("snekagon")
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    shots = list(table.quiet(0.3))
    for moment in (0.0, 0.1, 0.2):
        tracked.read(shots[0].bgr, moment)
    tracked.doubt()
    for moment in (0.3, 0.4):
        tracked.read(shots[0].bgr, moment)

    assert (tracked.wholes, tracked.repeats) == (3, 2)


def test_everything_is_looked_at_once_a_change_that_was_read_cannot_be_seen_any_more():
    # Carnival 31: in dim light a red card in place of a brown one was a change at one look only.
    table, _ = filmed("carnival", 2, 16, 17)
    box = built_in_set("carnival")
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    bgr = next(table.quiet(0.1)).bgr
    state = [tracked.read(bgr, moment) for moment in (0.0, 0.1)][-1]
    otherwise = bgr.copy()
    corners = np.asarray(state.tiles[-1]["outline"])
    cv2.fillPoly(otherwise, [corners.round().astype(np.int32)], bgr[0, 0].tolist())

    read = [tracked.read(picture, 0.2 + 0.1 * n) for n, picture in enumerate((otherwise, bgr, bgr))]

    assert contents(read[0]) != contents(state) == contents(read[-1])
    assert (tracked.wholes, tracked.parts, tracked.repeats) == (4, 1, 0)


def test_every_card_is_read_again_after_a_hand_that_changed_something(monkeypatch):
    # Carnival 10: in washed-out light a yellow card in place of a brown one was no change at all.
    table, one = filmed("carnival", 2, 16, 18)
    box = built_in_set("carnival")
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    for shot in table.quiet(0.4):
        tracked.read(shot.bgr, shot.t)
    read = [0, 0]

    def counted(bgr, outlines, reader, profile):
        read[-1] += len(outlines)
        return read_cells(bgr, outlines, reader, profile)

    monkeypatch.setattr(follow, "read_cells", counted)
    list(table.visit((one.layouts[1],)))
    tracked.doubt()
    for number, shot in enumerate(table.quiet(0.2)):
        read[number] = read[-1] = 0
        tracked.read(shot.bgr, shot.t)
        read[number] = read[-1]

    assert (tracked.wholes, tracked.parts) == (2, 2)
    assert read[0] >= len(one.layouts[1].cards) > 2 * read[1]


def test_card_that_reads_otherwise_after_a_hand_is_read_again_at_the_next_look(monkeypatch):
    # Carnival 14: noise made a brown corner a yellow one, and every later look took it over.
    table, one = filmed("carnival", 2, 16, 18)
    box = built_in_set("carnival")
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    for shot in table.quiet(0.4):
        tracked.read(shot.bgr, shot.t)

    def misread(bgr, outlines, reader, profile):
        readings = list(read_cells(bgr, outlines, reader, profile))
        tiles = [reading.guesses[0].tile for reading in readings]
        first = tiles.index("gift")
        other = next(n for n, tile in enumerate(tiles) if tile.endswith("/straight"))
        readings[first], readings[other] = readings[other], readings[first]
        return readings

    list(table.visit((one.layouts[1],)))
    tracked.doubt()
    shots = list(table.quiet(0.2))
    with monkeypatch.context() as noise:
        noise.setattr(follow, "read_cells", misread)
        wrong = tracked.read(shots[0].bgr, shots[0].t)

    right = read_table(shots[1].bgr, ReadRequest(box.lattice, box))
    assert contents(wrong) != contents(right)
    assert contents(tracked.read(shots[1].bgr, shots[1].t)) == contents(right)
    assert tracked.parts == 2


def test_looks_from_before_a_hand_do_not_count_for_what_it_has_left():
    # Carnival 42: the first look at a burnt card showed nothing, and no later one looked again.
    table, _ = filmed("carnival", 2, 16, 17)
    box = built_in_set("carnival")
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    bgr = next(table.quiet(0.1)).bgr
    for moment in (0.0, 0.1):
        tracked.read(bgr, moment)
    left = bgr.copy()
    cv2.circle(left, (60, 60), 12, (10, 10, 10), -1)

    tracked.doubt()
    for moment in (0.2, 0.3, 0.4, 0.5, 0.6):
        tracked.read(left, moment)

    assert (tracked.parts, tracked.repeats) == (4, 1)


def test_card_that_only_the_whole_picture_shows_is_read_after_a_hand(monkeypatch):
    table, one = filmed("carnival", 2, 16, 18)
    follower = follow.TileFollower(ReadRequest("square", built_in_set("carnival")))
    before = next(table.quiet(0.1)).bgr
    kept = contents(follower.whole(before))
    follower.keep()
    list(table.visit((one.layouts[1],)))
    after = next(table.quiet(0.1)).bgr
    changed = changed_between(shrunk(before), shrunk(after))
    lying = follower._kept and follower._kept.found

    monkeypatch.setattr(follow.TileFollower, "_detect", lambda *_: lying)

    assert contents(follower.part(after, changed)) == kept
    assert follower.part(after, changed, afresh=True) is None


def test_board_that_an_arm_hid_is_looked_for_when_the_arm_has_left():
    table, _ = filmed("snekagon5g", 2, 4, 5, (1600, 900))
    follower = follow.HexFollower(ReadRequest("hex", built_in_set("snekagon5g")))
    bgr = next(table.quiet(0.1)).bgr
    follower.whole(bgr)
    assert follower._last is not None
    *seen, hidden = follower._last
    follower._kept = tuple(seen)
    small = shrunk(bgr)
    came = painted_on([hidden.outline()], small.shape, small.shape[1] / bgr.shape[1])

    assert follower.part(bgr, came) is None


def test_tiles_beside_the_table_stay_left_out_when_the_camera_is_knocked():
    table, _ = filmed("carnival", 2, 16, 17)
    box = built_in_set("carnival")
    tracked = TrackedTable(ReadRequest(box.lattice, box))
    *_, seen = [tracked.read(shot.bgr, shot.t) for shot in table.quiet(0.2)]
    tracked.leave_out([np.asarray(entry["outline"]) for entry in (*seen.tiles, *seen.aside)])
    for shot in table.quiet(0.3):
        tracked.read(shot.bgr, shot.t)
    list(table.knock())
    tracked.forget()

    after = [tracked.read(shot.bgr, shot.t) for shot in table.quiet(0.3)]

    assert [state.tiles for state in after] == [()] * len(after)


STOCKS = [(100, 80), (150, 80), (210, 95), (80, 400), (850, 300), (700, 120)]
LAID = [(400, 250), (440, 250), (440, 290)]


def seen_at(places, size_px: tuple[int, int] = SIZE_PX) -> Detections:
    corners = [np.array([(-19, -19), (19, -19), (19, 19), (-19, 19)], float) + at for at in places]
    return Detections(size_px, "square", tuple(Detection(c, 0.9) for c in corners))


def following(stocks, laid) -> follow.TileFollower:
    """Return a follower that has seen tiles and left the stocks out."""
    follower = follow.TileFollower(ReadRequest("square", built_in_set("carnival")))
    follower._last = seen_at([*stocks, *laid])
    follower.leave_out([d.corners_px for d in seen_at(stocks).found])
    return follower


def turned(places, degrees: float, by: tuple[float, float]) -> list[tuple[float, float]]:
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    middle = np.array([480, 270])
    return [
        tuple(np.array([[c, -s], [s, c]]) @ (np.array(at) - middle) + middle + by) for at in places
    ]


def left(follower: follow.TileFollower, places) -> int:
    """Return how many of some places are seen as in play."""
    return len(follower._in_play(seen_at(places).found))


@pytest.mark.parametrize("laid", [[], LAID])
@pytest.mark.parametrize(("degrees", "by"), [(0, (70, -25)), (2.5, (-40, 30)), (-3, (12, 55))])
def test_stocks_are_found_again_wherever_a_knock_has_moved_the_view(laid, degrees, by):
    follower = following(STOCKS, laid)
    stocks, others = turned(STOCKS, degrees, by), turned(laid, degrees, by)

    follower._follow_beside(seen_at([*stocks[1:], *others]))

    assert left(follower, stocks) == 0
    assert left(follower, others) == len(laid)


def test_stocks_stay_stocks_while_the_camera_sinks_slowly():
    follower = following(STOCKS, LAID)
    follower.keep()
    for sunk_px in range(0, 54, 9):
        stocks, laid = (turned(places, 0, (0, sunk_px)) for places in (STOCKS, LAID))
        follower._follow_beside(seen_at([*stocks, *laid]))

    assert left(follower, turned(STOCKS, 0, (0, 45))) == 0


def test_tile_that_was_taken_from_the_stock_and_laid_is_in_play():
    follower = following(STOCKS[:3], [])
    laid = (500, 300)

    follower._follow_beside(seen_at([*STOCKS[:2], laid]))

    assert left(follower, [*STOCKS[:2], laid]) == 1


def test_stocks_stay_stocks_in_frames_of_another_size():
    follower = following(STOCKS, LAID)
    corners = [d.corners_px / 2 for d in seen_at([*STOCKS, *LAID]).found]
    half = Detections((480, 270), "square", tuple(Detection(c, 0.9) for c in corners))

    follower._follow_beside(half)

    assert len(follower._in_play(half.found)) == len(LAID)
