"""Whether the hall lets this table help its players: hints and the machine's help, in rated rounds.

The order is a small file beside the table's membership, so that every process of a table can look
it up at once, with the hall there or not. A table that has left its hall is under no order.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from companion_app.whole_file import write_whole

FOLDER, FILE, JOINED = "hall-table", "order.json", "hall.json"
HELP_OFF, HELP_ON = "help-off", "help-on"


@dataclass(frozen=True, slots=True)
class Order:
    """What the hall said last."""

    n: int
    """The number of the ruling; an older one changes nothing any more."""
    help: bool = True
    table: str = ""
    """Whom it was said to: who joins anew is another table."""
    order: Mapping[str, Any] = field(default_factory=dict)
    """Round, table, game and players, as the hall has them."""


def order_of(home: Path) -> Order | None:
    """Return what the hall that this table is in said last of its help."""
    folder = home / FOLDER
    try:
        table = json.loads((folder / JOINED).read_text(encoding="utf-8"))["table"]
        order = Order(**json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return order if order.table == table else None


def help_is_off(home: Path) -> bool:
    """Say whether hints and the machine's help are refused here; cheap enough to ask each time."""
    order = order_of(home)
    return order is not None and not order.help


def keep_order(home: Path, order: Order) -> bool:
    """Keep what the hall said; an order that is older than the last one is not kept."""
    last = order_of(home)
    if last is not None and last.n >= order.n:
        return False
    write_whole(home / FOLDER / FILE, json.dumps(asdict(order)))
    return True
