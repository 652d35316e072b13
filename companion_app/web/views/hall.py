"""Views of a table in a hall: membership, the raised hand, and the hall's rulings.

A ruling needs no PIN: the hall that this table joined has signed it for this table only, and it is
about the running game. It is written to the table's own log as well.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from companion_app.help_orders import HELP_OFF, HELP_ON, Order, help_is_off, keep_order
from companion_app.live.log_line import last_of
from companion_app.web.context import companion
from companion_app.web.serving.errors import NotFound, NotYours
from companion_app.web.serving.exchange import Doc, Views, asked, told

views = Views("hall", __name__)
JOINED = Path("hall-table/hall.json")
"""The membership file in the home folder; ``hall.table.membership`` writes it."""


@views.reads("/api/hall")
def in_a_hall() -> Doc:
    """Return the hall of this table, whether its hand is raised, and whether help is off."""
    match = companion().now().match
    lines = match.store.lines(match.key) if match is not None else []
    return {
        "name": _membership()["name"] if _joined().exists() else None,
        "hand": last_of("hand", lines).get("raised") is True,
        "help_off": help_is_off(companion().home),
    }


@views.changes("/api/hall/hand", "telling")
def hand() -> Doc:
    """Call the arbiter (``raised``), or withdraw the call."""
    raised = told("raised", bool, "raised is true or false")
    if not _joined().exists():
        raise NotFound(code="no-hall")
    companion().eye.ask("raise-hand", {"raised": raised})
    return {"hand": raised}


@views.changes("/api/hall/ruling", "page")
def ruling() -> Doc:
    """Carry out a ruling of the hall's arbiter; only one that the hall signed for this table."""
    do, number = _opened(asked().get("message"))
    if do.get("what") in (HELP_OFF, HELP_ON):
        _order_help(do, number)
    else:
        said = {
            "what": str(do.get("what")),
            "key": do.get("key"),
            "n": number,
            "correct": do.get("move_n"),
            "move": do.get("move"),
            "number": do.get("number"),
            "foul": do.get("foul"),
        }
        companion().eye.ask("ruling", said)
    return {}


def _opened(message: Any) -> tuple[Mapping[str, Any], int]:
    """Return the content and number of a ruling; refuse one that the hall has not signed."""
    if not _joined().exists():
        raise NotFound(code="no-hall")
    from companion_app.hall.errors import BadMessageError
    from companion_app.hall.line.keys import public_from_text
    from companion_app.hall.line.message import from_bytes, opened, topic_to
    from companion_app.hall.table.membership import MembershipFiles

    member = MembershipFiles(companion().home).membership()
    assert member is not None
    try:
        data = base64.b64decode(str(message), validate=True)
        topic = topic_to(member.hall, member.table)
        said = from_bytes(opened(public_from_text(member.hall_key), topic, data))
        return dict(said["do"]), int(said["ruling"])
    except (BadMessageError, ValueError, KeyError, TypeError) as error:
        raise NotYours(code="not-the-hall") from error


def _order_help(do: Mapping[str, Any], number: int) -> None:
    """Switch hints and the machine's help off or on; a running game logs it as a ruling."""
    said = do.get("order")
    order = Order(
        number,
        do["what"] == HELP_ON,
        _membership()["table"],
        dict(said) if isinstance(said, Mapping) else {},
    )
    news = keep_order(companion().home, order)
    if not news:
        return
    companion().hub.publish({"event": "settings"})
    match = companion().now().match
    if match is not None:
        companion().eye.ask("ruling", {"what": str(do["what"]), "key": match.key, "n": number})


def _joined() -> Path:
    return companion().home / JOINED


def _membership() -> Doc:
    return dict(json.loads(_joined().read_text(encoding="utf-8")))
