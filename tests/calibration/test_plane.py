import pytest

from calibration.plane import plane_from_sheet
from calibration.profile import Profile
from tests.calibration.drawn import SIZE_PX, TRUE_LENS, VIEWS, seen, sheet_in


@pytest.mark.parametrize("view", VIEWS)
def test_sheet_gives_the_table_in_millimetres(view):
    sighting = sheet_in(seen(view))

    table = plane_from_sheet(sighting, TRUE_LENS)

    assert table.learnt_from == "sheet"
    assert table.residual_mm < 0.25
    mm = Profile(SIZE_PX, TRUE_LENS, table).mm(sighting.seen_px)
    assert mm == pytest.approx(sighting.board[:, :2], abs=0.8)
