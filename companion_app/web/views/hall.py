"""A table in a hall: whether it is in one, the raised hand, and the hall's rulings.

A ruling needs no PIN: it is signed by the hall that this table joined, for this table alone, and
is about the game that is on. It stands in the table's own log as well.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify

from companion_app.live.match import Match
from companion_app.web.context import asked, companion
from companion_app.web.desk import Desk
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound, NotYours

blueprint = Blueprint("hall", __name__)
JOINED = Path("hall-table/hall.json")
"""In the folder of everything that is kept; ``hall.table.membership`` writes it."""


@blueprint.get("/api/hall")
@access.part_of("watching")
def in_a_hall() -> Response:
    """Return which hall this table is in, and whether a hand is up."""
    joined = _joined()
    match = companion().desk.match
    name = json.loads(joined.read_text(encoding="utf-8"))["name"] if joined.exists() else None
    return jsonify({"name": name, "hand": match is not None and _is_up(match)})


@blueprint.post("/api/hall/hand")
@access.part_of("telling")
def hand() -> Response:
    """Call the arbiter (``raised``), or say that he is no longer needed."""
    raised = asked().get("raised")
    if not isinstance(raised, bool):
        raise BadRequest("raised is true or false")
    if not _joined().exists():
        raise NotFound(code="no-hall")
    desk = companion().desk
    with desk.lock:
        _raise(desk, _on(desk), raised)
    return jsonify({"hand": raised})


@blueprint.post("/api/hall/ruling")
@access.part_of("page")
def ruling() -> Response:
    """Do what the hall's arbiter decided; only what the hall has signed for this table."""
    do, number = _opened(asked().get("message"))
    desk = companion().desk
    with desk.lock:
        match = _on(desk)
        if do.get("key") != match.key:
            raise BadRequest(code="other-game")
        deed = _DEEDS.get(str(do.get("what")))
        if deed is None:
            raise BadRequest("an unknown ruling")
        match.note("ruling", {"what": do["what"], "ruling": number})
    deed(desk)
    return jsonify({})


def _opened(message: Any) -> tuple[Mapping[str, Any], int]:
    """Return what a ruling says and its number; refuse what the hall has not signed."""
    if not _joined().exists():
        raise NotFound(code="no-hall")
    from companion_app.hall.errors import BadMessageError
    from companion_app.hall.line.keys import public_from_text
    from companion_app.hall.line.message import from_bytes, opened, topic_to
    from companion_app.hall.table.membership import MembershipFiles

    member = MembershipFiles(_home()).membership()
    assert member is not None
    try:
        data = base64.b64decode(str(message), validate=True)
        topic = topic_to(member.hall, member.table)
        said = from_bytes(opened(public_from_text(member.hall_key), topic, data))
        return dict(said["do"]), int(said["ruling"])
    except (BadMessageError, ValueError, KeyError, TypeError) as error:
        raise NotYours(code="not-the-hall") from error


def _overrule(desk: Desk) -> None:
    pending = desk.referee.pending if desk.referee else None
    if pending is None:
        raise NotFound(code="cannot-be")
    desk.tell({"overrule": pending.n})


_DEEDS: Mapping[str, Callable[[Desk], None]] = {
    "overrule": _overrule,
    "lift": Desk.take_foul_back,
    "take-back": Desk.take_back,
    "end": Desk.end,
    "lower-hand": lambda desk: _raise(desk, _on(desk), False),
}


def _raise(desk: Desk, match: Match, raised: bool) -> None:
    match.note("hand", {"raised": raised})
    desk.emit({"event": "settings"})


def _is_up(match: Match) -> bool:
    hands = [line.body for line in match.store.lines(match.key) if line.kind == "hand"]
    return bool(hands) and hands[-1].get("raised") is True


def _on(desk: Desk) -> Match:
    match = desk.match
    if match is None:
        raise NotFound(code="no-game")
    return match


def _home() -> Path:
    return companion().desk.store.path.parent


def _joined() -> Path:
    return _home() / JOINED
