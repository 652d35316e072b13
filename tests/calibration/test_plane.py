import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.errors import PatternError
from calibration.light import light_from_sheet
from calibration.plane import plane_from_outlines, plane_from_sheet
from calibration.profile import Profile
from tests.calibration.drawn import SIZE_PX, TRUE_LENS, VIEWS, View, seen, sheet_in

TILE_MM = 45.0


def outline_mm(centre, turn_deg, corners=4, across_mm=TILE_MM):
    radius = across_mm / np.sqrt(2 if corners == 4 else 3)
    angles = np.radians(turn_deg) + 2 * np.pi * np.arange(corners) / corners
    return np.asarray(centre) + radius * np.column_stack([np.cos(angles), np.sin(angles)])


def seen_outlines(view, tiles_mm):
    """Return N x K x 2 pixels of tiles on the table, through the bending lens."""
    to_px = view.straight_from_mm(TRUE_LENS)
    flat = np.concatenate(tiles_mm)
    mapped = np.column_stack([flat, np.ones(len(flat))]) @ to_px.T
    straight = mapped[:, :2] / mapped[:, 2:]
    return TRUE_LENS.seen_px(straight).reshape(len(tiles_mm), -1, 2)


def loose_tiles(rng, count, corners=4):
    centres = rng.uniform((-40, -20), (220, 260), (count, 2))
    return [outline_mm(c, rng.uniform(0, 360), corners) for c in centres]


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def profile_with(table):
    return Profile(SIZE_PX, TRUE_LENS, table)


@pytest.mark.parametrize("view", VIEWS)
def test_sheet_gives_the_table_in_millimetres(view):
    sighting = sheet_in(seen(view))

    table = plane_from_sheet(sighting, TRUE_LENS)

    assert table.learnt_from == "sheet"
    assert table.residual_mm < 0.25
    mm = profile_with(table).mm(sighting.seen_px)
    assert mm == pytest.approx(sighting.board[:, :2], abs=0.8)


@pytest.mark.parametrize("corners", [4, 6])
@pytest.mark.parametrize("seed", range(6))
def test_loose_tiles_give_the_table_in_millimetres(seed, corners):
    rng = np.random.default_rng(seed)
    tiles = loose_tiles(rng, 14, corners)
    view = View(tuple(rng.uniform(-40, 40, 2)), rng.uniform(0, 360), 520)
    corners_px = seen_outlines(view, tiles) + rng.normal(0, 0.4, (14, corners, 2))

    table = plane_from_outlines(corners_px, TILE_MM, lens=TRUE_LENS)

    centres = np.array([tile.mean(axis=0) for tile in tiles])
    found = profile_with(table).mm(seen_outlines(view, [c[None] for c in centres]).reshape(-1, 2))
    true = distances(centres)
    assert np.abs(distances(found) - true).max() < 0.03 * true.max()
    assert table.residual_mm < 1.5


def test_stray_outlines_hardly_move_the_table():
    rng = np.random.default_rng(3)
    tiles = loose_tiles(rng, 12)
    view = View((30, -10), 20, 520)
    corners_px = seen_outlines(view, tiles)
    stray = seen_outlines(view, [outline_mm((50, 60), 10, across_mm=70), outline_mm((9, 9), 0) * 2])

    table = plane_from_outlines(np.concatenate([corners_px, stray]), TILE_MM, lens=TRUE_LENS)

    sides = np.linalg.norm(
        np.diff(profile_with(table).mm(corners_px.reshape(-1, 2)).reshape(12, 4, 2), axis=1), axis=2
    )
    assert sides == pytest.approx(np.full(sides.shape, TILE_MM), rel=0.03)


def test_order_of_corners_does_not_matter():
    tiles = [outline_mm((60, 60), 12), outline_mm((140, 90), 50), outline_mm((90, 170), 80)]
    corners_px = seen_outlines(View((20, 20), 0, 500), tiles)
    mixed = corners_px.copy()
    mixed[0] = mixed[0][::-1]
    mixed[1] = np.roll(mixed[1], 2, axis=0)

    one = plane_from_outlines(corners_px, TILE_MM, lens=TRUE_LENS)
    other = plane_from_outlines(mixed, TILE_MM, lens=TRUE_LENS)

    assert (one.residual_mm, other.residual_mm) == pytest.approx((0, 0), abs=0.05)


def test_outlines_of_nothing_are_an_error():
    rng = np.random.default_rng(1)
    with pytest.raises(PatternError, match="no tiles"):
        plane_from_outlines(np.zeros((0, 4, 2)), TILE_MM)
    with pytest.raises(PatternError, match="no tiles of one size"):
        plane_from_outlines(rng.uniform(0, 900, (9, 4, 2)), TILE_MM)
    with pytest.raises(ValueError, match="but got"):
        plane_from_outlines(np.zeros((3, 5, 2)), TILE_MM)


@given(st.integers(0, 10_000))
def test_any_outlines_end_in_a_plane_or_a_sentence(seed):
    rng = np.random.default_rng(seed)
    corners = rng.normal(300, rng.uniform(0, 300), (int(rng.integers(1, 5)), 4, 2))
    if rng.random() < 0.3:
        corners[:, 1] = corners[:, 0]

    try:
        table = plane_from_outlines(corners, TILE_MM)
    except PatternError:
        return
    assert np.isfinite(table.mm_from_px).all()


def test_light_is_measured_on_the_sheets_white():
    gray = seen(VIEWS[0], noise=0.5)
    tint, across = np.array([0.55, 0.75, 0.85]), np.linspace(0.8, 1.1, SIZE_PX[0])
    bgr = np.clip(gray[..., None] * tint * across[None, :, None], 0, 255).astype(np.uint8)

    light = light_from_sheet(bgr, sheet_in(gray))

    assert light is not None
    blue, green, red = light.white_bgr
    assert (blue / green, red / green) == pytest.approx((0.55 / 0.75, 0.85 / 0.75), abs=0.03)
    assert light.gains_bgr == pytest.approx((0.75 / 0.55, 1, 0.75 / 0.85), abs=0.05)
    assert light.slope == pytest.approx((0.31, 0), abs=0.06)
