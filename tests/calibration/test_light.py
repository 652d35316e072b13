import numpy as np
import pytest

from calibration.light import light_from_sheet
from tests.calibration.drawn import SIZE_PX, VIEWS, seen, sheet_in


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
