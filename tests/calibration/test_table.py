import numpy as np
import pytest

from calibration.profile import Profile
from calibration.table import light_from_sheet, plane_from_sheet
from tests.calibration.drawn import SIZE_PX, TRUE_LENS, VIEWS, seen, sheet_in


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


@pytest.mark.parametrize("tint", [(0.0,) * 3, (0.03,) * 3, (5.0,) * 3, (0.2, 0.8, 0.8)])
def test_light_that_cannot_be_measured_is_none(tint):
    gray = seen(VIEWS[0])
    bgr = np.clip(gray[..., None] * np.array(tint), 0, 255).astype(np.uint8)

    assert light_from_sheet(bgr, sheet_in(gray)) is None


@pytest.mark.parametrize("view", VIEWS)
def test_sheet_gives_the_table_in_millimetres(view):
    sighting = sheet_in(seen(view))

    table = plane_from_sheet(sighting, TRUE_LENS)

    assert table.learnt_from == "sheet"
    assert table.residual_mm < 0.25
    mm = Profile(SIZE_PX, TRUE_LENS, table).mm(sighting.seen_px)
    assert mm == pytest.approx(sighting.board[:, :2], abs=0.8)
