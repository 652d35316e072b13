"""A table in a hall: whether it is in one, the raised hand, and the hall's rulings.

A ruling needs no PIN: it is signed by the hall that this table joined, for this table alone, and
is about the game that is on. It stands in the table's own log as well.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, jsonify

from companion_app.help_orders import HELP_OFF, HELP_ON, Order, help_is_off, keep_order
from companion_app.live.match import Match
from companion_app.web.context import companion
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, NotFound, NotYours
from companion_app.web.serving.exchange import asked

blueprint = Blueprint("hall", __name__)
JOINED = Path("hall-table/hall.json")
"""In the folder of everything that is kept; ``hall.table.membership`` writes it."""


@blueprint.get("/api/hall")
@access.part_of("watching")
def in_a_hall() -> Response:
    """Return which hall this table is in, whether a hand is up, and whether help is refused."""
    joined = _joined()
    match = companion().now().match
    name = json.loads(joined.read_text(encoding="utf-8"))["name"] if joined.exists() else None
    return jsonify({
        "name": name, "hand": match is not None and _is_up(match), "help_off": help_is_off(_home()),
    })  # fmt: skip


@blueprint.post("/api/hall/hand")
@access.part_of("telling")
def hand() -> Response:
    """Call the arbiter (``raised``), or say that he is no longer needed."""
    raised = asked().get("raised")
    if not isinstance(raised, bool):
        raise BadRequest("raised is true or false")
    if not _joined().exists():
        raise NotFound(code="no-hall")
    companion().eye.ask("raise-hand", {"raised": raised})
    return jsonify({"hand": raised})


@blueprint.post("/api/hall/ruling")
@access.part_of("page")
def ruling() -> Response:
    """Do what the hall's arbiter decided; only what the hall has signed for this table."""
    do, number = _opened(asked().get("message"))
    if do.get("what") in (HELP_OFF, HELP_ON):
        _order_help(do, number)
        return jsonify({})
    told = {"what": str(do.get("what")), "key": do.get("key"), "n": number,
            "correct": do.get("move_n"), "move": do.get("move")}  # fmt: skip
    companion().eye.ask("ruling", told)
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


def _order_help(do: Mapping[str, Any], number: int) -> None:
    """Switch hints and the machine's help off, or on again; a game that is on keeps a record."""
    table = json.loads(_joined().read_text(encoding="utf-8"))["table"]
    said = do.get("order")
    order = dict(said) if isinstance(said, Mapping) else {}
    news = keep_order(_home(), Order(number, do["what"] == HELP_ON, table, order))
    match = companion().now().match
    if news and match is not None:
        told = {"what": str(do["what"]), "key": match.key, "n": number}
        companion().eye.ask("ruling", told)


def _is_up(match: Match) -> bool:
    hands = [line.body for line in match.store.lines(match.key) if line.kind == "hand"]
    return bool(hands) and hands[-1].get("raised") is True


def _home() -> Path:
    return companion().place.file.parent


def _joined() -> Path:
    return _home() / JOINED
