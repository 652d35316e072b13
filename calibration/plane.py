"""The table plane, from the printed sheet lying on it."""

from __future__ import annotations

import cv2
import numpy as np

from calibration.errors import PatternError
from calibration.profile import Lens, TablePlane
from calibration.sighting import Sighting


def plane_from_sheet(sighting: Sighting, lens: Lens) -> TablePlane:
    """Return the plane that the sheet lies on, from its corners in the picture.

    Raises:
        PatternError: the corners do not lie on a plane.
    """
    straight = lens.straight_px(sighting.seen_px)
    board_mm = sighting.board[:, :2]
    mm_from_px, _ = cv2.findHomography(straight, board_mm)
    if mm_from_px is None:
        raise PatternError("the sheet was seen, but not flat; lay it on the table and try again")
    mapped = cv2.perspectiveTransform(straight.reshape(-1, 1, 2), mm_from_px).reshape(-1, 2)
    residual = float(np.sqrt(((mapped - board_mm) ** 2).sum(axis=1).mean()))
    return TablePlane(mm_from_px, "sheet", residual)
