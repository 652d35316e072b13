"""Orders of the hall on whether this table may help its players, which rated rounds can forbid.

Help means hints and the machine's help. The order is a small file beside the table's membership,
so that every process of a table can read it at any time, even if the hall cannot be reached. A
table that has left its hall is under no order.
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
    """The hall's last order on help."""

    n: int
    """The number of the ruling; one that is not newer than the kept one is ignored."""
    help: bool = True
    table: str = ""
    """Id of the table that the order is for; a table that joins again has another id."""
    order: Mapping[str, Any] = field(default_factory=dict)
    """Round, table, game and players, as the hall has them."""


def order_of(home: Path) -> Order | None:
    """Return the last order of this table's hall; ``None`` if there is none."""
    folder = home / FOLDER
    try:
        table = json.loads((folder / JOINED).read_text(encoding="utf-8"))["table"]
        order = Order(**json.loads((folder / FILE).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError, KeyError):
        return None
    return order if order.table == table else None


def help_is_off(home: Path) -> bool:
    """Say whether hints and the machine's help are off; cheap enough to call every time."""
    order = order_of(home)
    return order is not None and not order.help


def keep_order(home: Path, order: Order) -> bool:
    """Save an order if it is newer than the kept one; return whether it was saved."""
    last = order_of(home)
    if last is not None and last.n >= order.n:
        return False
    write_whole(home / FOLDER / FILE, json.dumps(asdict(order)))
    return True
