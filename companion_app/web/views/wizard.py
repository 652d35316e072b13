"""The wizard's camera: found, shown, judged, chosen, calibrated."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify, request

from calibration.errors import CalibrationError
from calibration.learn import Learnt, Photo, learn_profile
from calibration.pattern import Pattern
from calibration.profile import Profile
from calibration.profile_file import save_profile
from companion_app.web.camera import kind_of
from companion_app.web.checking import Check
from companion_app.web.context import asked, camera, companion, speech
from companion_app.web.game_asked import record_asked
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, WebError
from companion_app.web.speech import Speech
from engine.games import GAMES
from engine.record import Record
from vision import Frame

blueprint = Blueprint("wizard", __name__)
MOST_PHOTOS = 8
"""Of the sheet, kept until the camera is another one; more teach the lens nothing."""
PAPERS = ("a4", "letter")


# --- seeing --------------------------------------------------------------------------------------


@blueprint.get("/api/camera")
@access.part_of("watching")
def see() -> Response:
    """Say which camera it is, whether its picture will do, and what to change where."""
    one, words = camera(), speech({})
    begun = _begun()
    waits = words.page("camera-waits-phone" if one.kind == "phone" else "camera-waits")
    try:
        frame = one.frame(begun)
    except WebError as error:
        # The page must still be able to offer another one.
        frame, waits = None, f"{words.page(f'error-{error.code}')} {error.detail}"
    answer: dict[str, Any] = {
        "source": one.name,
        "kind": one.kind,
        "name": source_in_words(one.name, words),
        "sources": [{"source": name, "kind": kind_of(name), "name": source_in_words(name, words)}
                    for name in one.sources() if kind_of(name) != "recorded"],
        "seen": frame is not None,
        "ready": False,
        "text": waits,
        "advice": [],
        "calibrated": _profile_to_json(one.profile()),
    }  # fmt: skip
    if frame is not None:
        box = begun.tile_set if begun is not None else None
        check = companion().checker.check(frame, box, one.profile())
        answer |= _check_to_json(check, words)
    return jsonify(answer)


def _begun() -> Record | None:
    """Return the game that the picture is judged for: asked for, or on right now."""
    if request.args.get("game") in GAMES:
        listed = request.args.get("players")
        return record_asked({"game": request.args["game"], "set": request.args.get("set"),
                             "players": listed.split(",") if listed else None})  # fmt: skip
    match = companion().desk.match
    return match.record() if match is not None and companion().desk.is_fed else None


def _check_to_json(check: Check, words: Speech) -> dict[str, Any]:
    said = "camera-ready" if check.tiles else "camera-ready-bare"
    if check.advice:
        said = "camera-will-do" if check.ok else "camera-change"
    return {
        "size": list(check.size_px),
        "tiles": check.tiles,
        "ready": check.ok,
        "text": words.page(said, n=check.tiles),
        "advice": [
            {"what": what, "text": words.page(f"camera-{what}"), "box": list(box) if box else None}
            for what, box in check.advice
        ],
    }  # fmt: skip


def source_in_words(name: str, words: Speech) -> str:
    """Return what a source is called on the page."""
    kind, _, number = name.partition(":")
    if kind == "webcam":
        return words.page("source-webcam", n=int(number or 0) + 1)
    if kind in ("pi", "phone", "demo", "recorded"):
        return words.page(f"source-{kind}")
    return words.page("source-file", name=Path(number or name).name)


# --- choosing ------------------------------------------------------------------------------------


@blueprint.post("/api/camera")
@access.must_be_host
def choose() -> Response:
    """Take another camera: one of those found, a phone, or the demo table."""
    name = asked().get("source")
    if not isinstance(name, str) or name not in camera().sources():
        raise BadRequest("source is none of those found")
    camera().choose(name)
    companion().photos.clear()
    companion().settings.change(source=name)
    return jsonify({"source": name})


# --- calibrating ---------------------------------------------------------------------------------


@blueprint.post("/api/camera/calibrate")
@access.must_be_host
def calibrate() -> Response:
    """Take a picture of the sheet on the table, and learn the camera from all taken so far."""
    photos = companion().photos
    frame = camera().frame()
    if frame is None:
        raise WebError(code="no-frame")
    learnt = learn_profile([*photos, _photo(frame, len(photos))], Pattern())
    if learnt.profile is None:
        raise WebError(code="no-sheet")
    last = f"{len(photos)}"
    if any(name == last for name, _ in learnt.left_out):
        raise WebError(code="no-sheet")
    photos.append(_photo(frame, len(photos)))
    del photos[:-MOST_PHOTOS]
    try:
        save_profile(learnt.profile, camera().profile_file())
    except (CalibrationError, OSError) as error:
        raise WebError(str(error), code="not-kept") from error
    return jsonify({"calibrated": _profile_to_json(learnt.profile, learnt)})


@blueprint.post("/api/camera/forget")
@access.must_be_host
def forget() -> Response:
    """Forget what was learnt about this camera."""
    companion().photos.clear()
    camera().profile_file().unlink(missing_ok=True)
    return jsonify({"calibrated": None})


@blueprint.get("/api/sheet.pdf")
@access.part_of("watching")
def sheet() -> Response:
    """Return the calibration sheet to print."""
    from models.sheets.calibration import calibration_sheet
    from models.sheets.paper import sheet_of

    paper = request.args.get("paper", "a4")
    if paper not in PAPERS:
        raise BadRequest("paper is a4 or letter")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sheet.pdf"
        calibration_sheet(file, "Snake Eye", sheet_of(paper))
        answer = Response(file.read_bytes(), mimetype="application/pdf")
    answer.headers["Content-Disposition"] = 'inline; filename="snake-eye-sheet.pdf"'
    return answer


def _photo(frame: Frame, number: int) -> Photo:
    return Photo(f"{number}", frame.bgr, (frame.bgr.shape[1], frame.bgr.shape[0]))


def _profile_to_json(profile: Profile | None, learnt: Learnt | None = None) -> Any:
    if profile is None:
        return None
    lens = profile.lens
    rms = lens.rms_px if lens is not None else None
    used = learnt.used if learnt is not None else (lens.used if lens is not None else 1)
    return {"pictures": max(1, used), "table": profile.table is not None,
            "rms_px": None if rms is None else round(float(rms), 2)}  # fmt: skip
