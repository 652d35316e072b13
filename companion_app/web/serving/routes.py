"""The table of access: roles, the parts of a page that each may use, the addresses of each part.

``access.toml`` holds the rows, of the page at a table and of the hall's page. The guards, the
OpenAPI document, the tables of SECURITY and the tests read them here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

ROLES = ("watcher", "seat", "host")
"""All roles at a table in ascending order; each includes the rights of those before it."""
WATCHER, SEAT, HOST = ROLES
ARBITER = "arbiter"
HALL_ROLES = (WATCHER, ARBITER)


@dataclass(frozen=True)
class Part:
    """A group of addresses with the same access rule."""

    name: str
    least: str
    """The lowest role with access, unless the host set another."""
    about: str
    settable: bool = False
    public: bool = False
    """Whether the pages of other sites may read it."""
    by_code: bool = False
    """Whether its callers send no token of the page, and prove that they know a code instead."""


@dataclass(frozen=True)
class Route:
    """An address, what may be sent with it, and the part that it belongs to."""

    method: str
    address: str
    part: Part
    about: str = ""
    """What it answers or does; empty for pages, which are not part of the interface."""
    takes: Mapping[str, str] = field(default_factory=dict)
    """The type of every field or query parameter, and after a colon what it is."""
    files: bool = False
    """Whether it takes a form with a file; all others take only JSON."""


Table = Mapping[tuple[str, str], Route]
"""All routes of a page, by method and address; an address that is not listed is for nobody."""


def read_table(document: Mapping[str, Any]) -> Table:
    """Return the routes that a document lists by their parts."""
    table = {}
    for name, rows in document.items():
        part = Part(name, **{key: value for key, value in rows.items() if key != "routes"})
        for call, row in rows["routes"].items():
            method, address = call.split()
            table[method, address] = Route(method, address, part, **row)
    return table


def parts_of(table: Table) -> dict[str, Part]:
    """Return the parts of a page, by name."""
    return {route.part.name: route.part for route in table.values()}


_DOCUMENT = tomllib.loads((files(__package__) / "access.toml").read_text(encoding="utf-8"))
TABLE = read_table(_DOCUMENT["table"])
"""Access to the page at a table."""
HALL = read_table(_DOCUMENT["hall"])
"""Access to the hall's page."""
PARTS = parts_of(TABLE)


def reaches(role: str, least: str) -> bool:
    """Say whether a role at a table includes the rights of another one."""
    return ROLES.index(role) >= ROLES.index(least)
