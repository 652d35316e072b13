"""Writes the tables of access into SECURITY: ``python -m tests.access``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from flask import Flask

from companion_app.web.serving.routes import HALL, HALL_ROLES, ROLES, TABLE, Table

SECURITY = Path(__file__).parent.parent / "deploy/SECURITY.md"
TABLES = {"part of the page": (ROLES, TABLE), "part of the hall's page": (HALL_ROLES, HALL)}


def written(text: str) -> str:
    """Return the text of SECURITY with its tables as the table of access has them."""
    for title, (roles, table) in TABLES.items():
        rows = rf"(?m)^\| address \| {title} \|.*\n(?:\|.*\n)+"
        made = _rows(title, roles, table)
        text = re.sub(rows, lambda _, made=made: made, text)  # type: ignore[misc]
    return text


def _rows(title: str, roles: Sequence[str], table: Table) -> str:
    lines = [["address", title, *roles], ["---"] * (2 + len(roles))]
    for route in table.values():
        least = roles.index(route.part.least)
        marks = ["yes" if number >= least else "no" for number in range(len(roles))]
        lines.append([f"`{route.method} {route.address}`", route.part.name, *marks])
    return "".join(f"| {' | '.join(cells)} |\n".replace(" --- ", "---") for cells in lines)


def served_by(app: Flask) -> set[tuple[str, str]]:
    """Return the method and address of all that an application answers."""
    return {
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }


if __name__ == "__main__":
    SECURITY.write_text(written(SECURITY.read_text(encoding="utf-8")), encoding="utf-8")
