"""Views for setting up the table: cameras, calibration, https, what lies there."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from flask import Blueprint, Response, request

from companion_app.hands.work import LOOK
from companion_app.line.commands import EyeCommands
from companion_app.line.standing import kind_of
from companion_app.listening import written
from companion_app.refusal import Refusal
from companion_app.web import frames, looking
from companion_app.web.context import companion, speech
from companion_app.web.drawing.table import table_in_words
from companion_app.web.game_asked import record_asked
from companion_app.web.looking import Check, Wanted
from companion_app.web.serving import guard
from companion_app.web.serving.errors import BadRequest, NotFound, TooLarge, WebError
from companion_app.web.serving.exchange import Doc, a_file, asked, told
from companion_app.web.speech import Speech
from engine.errors import EngineError
from engine.game import Start
from engine.games import GAMES
from engine.placement import Layout
from engine.record import Record, layout_to_json, parse_table

views = Blueprint("wizard", __name__)
MOST_PHOTOS = 8
"""Photos of the calibration sheet kept for the current camera; more do not improve the lens."""
JUDGED_S = 1.5
"""How long the check of a picture is cached, in seconds: nobody reacts faster."""
LARGEST_BYTES = 12 << 20
"""The largest picture of a phone; a JPEG of the best quality has 8 MB."""
PICTURES, PICTURES_WINDOW_S = 45, 10.0
"""Rate limit for a phone's pictures: more than about four a second do not help the referee."""


# --- seeing --------------------------------------------------------------------------------------


@views.get("/api/camera")
def see() -> Doc:
    """Return the camera, whether its picture is good enough, and advice with places."""
    name, words = frames.source(), speech({})
    begun = _begun()
    waits = words.page("camera-waits-phone" if kind_of(name) == "phone" else "camera-waits")
    check = None
    try:
        check = _checked(name, begun)
    except Refusal as error:
        if error.code != "no-camera":
            raise
        # Do not fail here: the page must still be able to offer another camera.
        waits = f"{words.page(f'error-{error.code}')} {error.detail}"
    answer: Doc = {
        "source": name,
        "kind": kind_of(name),
        "name": source_in_words(name, words),
        "sources": [
            {"source": name, "kind": kind_of(name), "name": source_in_words(name, words)}
            for name in companion().eye.ask(EyeCommands.sources)
            if kind_of(name) != "recorded"
        ],
        "seen": check is not None,
        "ready": False,
        "text": waits,
        "advice": [],
        "calibrated": frames.profile_in_short(),
    }
    if check is not None:
        answer |= _check_to_json(check, words)
    return answer


def _checked(name: str, begun: Record | None) -> Check | None:
    """Return the check of the camera's picture; ``None`` where there is no picture."""
    one, wanted = companion(), None
    if begun is not None:
        wanted = Wanted(one.place, begun.game.facts.name, begun.tile_set.name)

    def judge() -> Check | None:
        frame = frames.newest(begun)
        if frame is None:
            return None
        return one.hands.do(LOOK, looking.checked, wanted, frames.profile(), frame)

    return one.checker.answer(JUDGED_S, judge, (name, wanted))


def _begun() -> Record | None:
    """Return the game that the picture is checked for: the requested one, or the running one."""
    if request.args.get("game") in GAMES:
        listed = request.args.get("players")
        return record_asked(
            {
                "game": request.args["game"],
                "set": request.args.get("set"),
                "players": listed.split(",") if listed else None,
            }
        )
    now = companion().now()
    return now.match.record() if now.match is not None and now.standing.is_fed else None


def _check_to_json(check: Check, words: Speech) -> Doc:
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
    }


def source_in_words(name: str, words: Speech) -> str:
    """Return the name of a source on the page."""
    kind, _, number = name.partition(":")
    if kind == "webcam":
        return words.page("source-webcam", n=int(number or 0) + 1)
    if kind in ("pi", "phone", "demo"):
        return words.page(f"source-{kind}")
    return words.page("source-file", name=Path(number or name).name)


# --- choosing ------------------------------------------------------------------------------------


@views.post("/api/camera")
def choose() -> Doc:
    """Choose another source: a camera that was found, a phone, or the demo table."""
    name = told("source", str, "source is none of those found")
    companion().eye.ask(EyeCommands.choose, name)
    companion().photos.clear()
    companion().settings.change(source=name)
    return {"source": name}


# --- calibrating ---------------------------------------------------------------------------------


@views.post("/api/camera/calibrate")
def calibrate() -> Doc:
    """Take a picture of the calibration sheet, and calibrate with all pictures taken so far."""
    photos = companion().photos
    frame = frames.newest()
    if frame is None:
        raise WebError(code="no-frame")
    packed, learnt = companion().hands.do(
        LOOK, looking.learnt, list(photos), frame, frames.profile()
    )
    photos.append(packed)
    del photos[:-MOST_PHOTOS]
    return {"calibrated": learnt}


@views.post("/api/camera/forget")
def forget() -> Doc:
    """Delete the profile of this camera."""
    companion().photos.clear()
    frames.profile().unlink(missing_ok=True)
    return {"calibrated": None}


# --- a phone as the camera -----------------------------------------------------------------------


@views.post("/api/camera/picture")
def picture() -> Doc:
    """Receive a phone's picture: a live frame (the body) or one photo (multipart, ``photo``)."""
    guard.limit("picture", PICTURES, PICTURES_WINDOW_S)
    if companion().eye.standing().source != "phone":
        raise WebError(code="other-camera")
    photo = request.files.get("photo")
    if (request.content_length or 0) > LARGEST_BYTES:
        raise TooLarge
    data = photo.stream.read() if photo is not None else request.get_data()
    if not data:
        raise BadRequest("send a picture")
    return {"size": companion().eye.ask(EyeCommands.phone_picture, data, photo is not None)}


@views.post("/api/https")
def https() -> Doc:
    """Serve the page over https as well, which a live camera needs; return its address."""
    offer = companion().https
    if offer is None:
        raise WebError(code="no-https")
    try:
        port = offer.start()
    except OSError as error:
        raise WebError(str(error), code="no-https") from error
    host = urlsplit(request.host_url).hostname or "localhost"
    return {"address": f"https://{written(host, port)}/", "authority": "/api/authority.pem"}


@views.get("/api/authority.pem")
def authority() -> Response:
    """Return the CA certificate that makes a phone trust this machine's https."""
    offer = companion().https
    if offer is None or not offer.authority.is_file():
        raise NotFound
    return a_file(offer.authority.read_bytes(), "application/x-x509-ca-cert", "snake-eye.pem")


def _advice(seen: Mapping[str, Any], words: Speech) -> list[str]:
    return [words.page(f"camera-{what}") for what in seen["advice"]]


# --- a game that already lies there --------------------------------------------------------------


@views.post("/api/table")
def table() -> Doc:
    """Read the table as it lies, to take up a game in its middle."""
    record = record_asked(asked())
    seen = frames.read(frames.newest(record), record)
    written = seen["table"]
    words = speech({})
    layout, _ = parse_table(record.game, record.tile_set, written)
    lying = layout_to_json(layout)
    return {
        "table": {"format": written["format"], "version": written["version"], **lying},
        "tiles": len(layout.placements()),
        "unsure": seen["unsure"],
        "advice": _advice(seen, words),
        "svg": table_in_words(
            record.tile_set, layout, record.start.players, words, record.game.facts.title
        ),
        **_taken_up(record, layout, words),
    }


def _taken_up(record: Record, layout: Layout, words: Speech) -> dict[str, Any]:
    """Return whether a game can start from a layout, and the rules that the layout breaks."""
    game = record.game
    start = Start(record.start.players, record.start.options, layout, midgame=True)
    try:
        position = game.opening(start, record.tile_set)
    except EngineError as error:
        return {"broken": [str(error)], "possible": False}
    broken = [words.violation(game.facts.name, one) for one in game.inspect(position)]
    return {"broken": broken, "possible": True}
