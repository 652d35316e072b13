"""What the hands do with camera frames for the page: read, check, calibrate and diagnose.

Every function runs in a worker process with plain data in and out. Vision libraries are imported
inside the functions, so that only workers load them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from companion_app.doctor_machine import Finding, Machine
from companion_app.line.commands import Still
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
"""Advice that does not prevent a sure reading of one picture, but that should be followed when
setting up a camera for a whole evening."""
Box = tuple[float, float, float, float]
"""Left, top, width and height as shares of the picture."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """The box that is meant to lie on the table."""

    place: Place
    game: str
    name: str

    def box(self) -> TileSet:
        """Return the tile set."""
        return find_set(game_named(self.game), self.name, self.place.set_folders)


# --- reading -------------------------------------------------------------------------------------


def read_still(wanted: Wanted, still: Still) -> Doc:
    """Return the table state of a frame, the number of unsure tiles, and advice."""
    from companion_app.live.reading import plain
    from vision import ReadRequest, read_table, table_state_to_json

    box = wanted.box()
    state = plain(read_table(still.bgr(), ReadRequest(box.lattice, box)))
    return {
        "table": table_state_to_json(state),
        "unsure": len(state.unsure),
        "advice": sorted({one.what for one in state.quality.advice}),
    }


# --- checking the picture ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """The result of checking whether a picture is good enough."""

    size_px: tuple[int, int]
    ok: bool
    tiles: int
    advice: tuple[tuple[str, Box | None], ...] = ()
    """Each problem with its box in the picture; ``None`` for the whole picture."""


def checked(wanted: Wanted | None, profile_file: Path, still: Still) -> Check:
    """Check whether a frame is good enough, and whether the camera moved since calibration."""
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
    """Read a picture with a tile set; without one, with the tile shape that finds more tiles."""
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
    return movement_since(profile, bgr) == "moved"


# --- calibrating ---------------------------------------------------------------------------------


def calibrated(profile_file: Path) -> Doc | None:
    """Return a summary of a camera's profile; ``None`` where it is not calibrated."""
    profile = _profile(profile_file)
    return None if profile is None else _in_short(profile)


def learnt(photos: Sequence[bytes], still: Still, profile_file: Path) -> tuple[bytes, Doc]:
    """Calibrate a camera from earlier photos of the sheet and a new frame; save the profile.

    Returns:
        The new frame as PNG, and a summary of the profile.

    Raises:
        WebError: the new frame shows no sheet, or the profile cannot be saved.
    """
    import cv2
    import numpy as np

    from calibration.errors import CalibrationError
    from calibration.learn import Photo, learn_profile
    from calibration.pattern import Pattern
    from calibration.profile_file import save_profile

    before = [cv2.imdecode(np.frombuffer(one, np.uint8), cv2.IMREAD_COLOR) for one in photos]
    taken = [
        Photo(f"{number}", bgr, (bgr.shape[1], bgr.shape[0]))
        for number, bgr in enumerate([*before, still.bgr()])
    ]
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
    return {
        "pictures": max(1, lens.used) if lens is not None else 1,
        "table": profile.table is not None,
        "rms_px": None if lens is None or lens.rms_px is None else round(float(lens.rms_px), 2),
    }


# --- the check-up --------------------------------------------------------------------------------


def examined(home: Path, kind: str, still: Still | None) -> list[Finding]:
    """Return what doctor finds on the machine, and on a camera by its newest frame."""
    from companion_app.doctor import diagnose
    from companion_app.doctor_camera import Seen

    bgr = still.bgr() if still is not None else None
    return diagnose(Machine(home), Seen(kind, bgr, lost=bool(kind) and bgr is None))
