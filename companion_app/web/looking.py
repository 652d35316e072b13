"""Frames of the camera looked at for the page: read, judged, learnt from. Done by the hands.

Everything here is called in a worker with plain data and returns plain data; only there are the
libraries loaded that read pictures.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion_app.line.ends import Still
from companion_app.web.place import Place
from companion_app.web.serving.errors import WebError
from engine.games import game_named
from engine.record import find_set
from engine.tiles import TileSet

if TYPE_CHECKING:
    from calibration.profile import Profile
    from vision import TableState

Doc = dict[str, Any]
FOR_AN_EVENING = frozenset({"dark", "blur"})
"""One picture may be read surely in spite of these; who sets a camera up had better mend them."""
Box = tuple[float, float, float, float]
"""Left, top, width and height as shares of the picture."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The box that is meant to lie on the table."""

    place: Place
    game: str
    name: str

    def box(self) -> TileSet:
        """Return it."""
        return find_set(game_named(self.game), self.name, self.place.set_folders)


# --- what lies there -----------------------------------------------------------------------------


def read_still(wanted: Wanted, still: Still) -> Doc:
    """Return the table state of a frame, what is unsure and what is to be changed."""
    from companion_app.live.reading import plain
    from vision import ReadRequest, read_table, table_state_to_json

    box = wanted.box()
    state = plain(read_table(still.bgr(), ReadRequest(box.lattice, box)))
    return {"table": table_state_to_json(state), "unsure": len(state.unsure),
            "advice": sorted({one.what for one in state.quality.advice})}  # fmt: skip


# --- whether the picture will do -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """What is to be said about a picture."""

    size_px: tuple[int, int]
    ok: bool
    tiles: int
    advice: tuple[tuple[str, Box | None], ...] = ()
    """What is wrong, each with its place; ``None`` for the whole picture."""


def checked(wanted: Wanted | None, profile_file: Path, still: Still) -> Check:
    """Return what is to be said about a frame."""
    state = _read(still, wanted.box() if wanted is not None else None)
    width, height = state.size_px
    advice: list[tuple[str, Box | None]] = []
    for one in state.quality.advice:
        place = None
        if one.box is not None:
            left, top, wide, high = one.box
            place = (left / width, top / height, wide / width, high / height)
        advice.append((one.what, place))
    profile = _profile(profile_file)
    if profile is not None and _hangs_differently(profile, still.bgr()):
        advice.append(("moved", None))
    ready = state.quality.ok and not any(what in FOR_AN_EVENING for what, _ in advice)
    return Check(state.size_px, ready, len(state.tiles) + len(state.unsure), tuple(advice))


def _read(still: Still, box: TileSet | None) -> TableState:
    """Read a picture as a box, or as whatever shape of tile it shows more of."""
    from vision import ReadRequest, read_table

    bgr = still.bgr()
    if box is not None:
        return read_table(bgr, ReadRequest(box.lattice, box))
    found = [read_table(bgr, ReadRequest(shape)) for shape in ("square", "hex")]
    return max(found, key=lambda state: len(state.tiles))


def _hangs_differently(profile: Profile, bgr: Any) -> bool:
    from calibration.moved import movement_since

    across, down = bgr.shape[1] / profile.size_px[0], bgr.shape[0] / profile.size_px[1]
    if abs(across / down - 1) > 0.01:
        return True
    return movement_since(profile, bgr).verdict == "moved"


# --- calibrating ---------------------------------------------------------------------------------


def calibrated(profile_file: Path) -> Doc | None:
    """Return in short what was learnt about a camera; nothing where it was not calibrated."""
    profile = _profile(profile_file)
    return None if profile is None else _in_short(profile)


def learnt(photos: Sequence[bytes], still: Still, profile_file: Path) -> tuple[bytes, Doc]:
    """Learn a camera from photos of the sheet and one more; keep it.

    Returns:
        The last photo, packed, and in short what was learnt.

    Raises:
        WebError: there is no sheet in the last one, or the profile cannot be kept.
    """
    import cv2
    import numpy as np

    from calibration.errors import CalibrationError
    from calibration.learn import Photo, learn_profile
    from calibration.pattern import Pattern
    from calibration.profile_file import save_profile

    before = [cv2.imdecode(np.frombuffer(one, np.uint8), cv2.IMREAD_COLOR) for one in photos]
    taken = [Photo(f"{number}", bgr, (bgr.shape[1], bgr.shape[0]))
             for number, bgr in enumerate([*before, still.bgr()])]  # fmt: skip
    found = learn_profile(taken, Pattern())
    if found.profile is None or any(name == taken[-1].name for name, _ in found.left_out):
        raise WebError(code="no-sheet")
    try:
        save_profile(found.profile, profile_file)
    except (CalibrationError, OSError) as error:
        raise WebError(str(error), code="not-kept") from error
    packed = cv2.imencode(".png", taken[-1].bgr)[1].tobytes()
    return packed, _in_short(found.profile) | {"pictures": max(1, found.used)}


def _profile(file: Path) -> Profile | None:
    from calibration.errors import CalibrationError
    from calibration.profile_file import load_profile

    try:
        return load_profile(file)
    except CalibrationError:
        return None


def _in_short(profile: Profile) -> Doc:
    lens = profile.lens
    return {"pictures": max(1, lens.used) if lens is not None else 1,
            "table": profile.table is not None,
            "rms_px": None if lens is None or lens.rms_px is None
            else round(float(lens.rms_px), 2)}  # fmt: skip


def sheet(paper: str) -> bytes:
    """Return the calibration sheet to print."""
    import tempfile

    from models.sheets.calibration import calibration_sheet
    from models.sheets.paper import sheet_of

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sheet.pdf"
        calibration_sheet(file, "Snake Eye", sheet_of(paper))
        return file.read_bytes()


# --- the check-up --------------------------------------------------------------------------------


def examined(home: Path, kind: str, trouble: str, still: Still | None) -> Doc:
    """Return what doctor says of the machine, and of a camera by its newest frame."""
    from companion_app.doctor import diagnose, report
    from companion_app.doctor_camera import Seen
    from companion_app.doctor_machine import Machine

    bgr = still.bgr() if still is not None else None
    return report(diagnose(Machine(home), Seen(kind, bgr, trouble=trouble)))
