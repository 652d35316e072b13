"""The table of access: roles, the parts of a page that each may use, the addresses of each part.

``access.toml`` holds the rows, of the page at a table and of the hall's page. The guards, the
OpenAPI document, the tables of SECURITY and the tests read them here.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

ROLES = ("watcher", "seat", "host")
"""All roles at a table in ascending order; each includes the rights of those before it."""
WATCHER, SEAT, HOST = ROLES
ARBITER = "arbiter"


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


@dataclass(frozen=True)
class Access:
    """The table of one page."""

    roles: Sequence[str]
    parts: Mapping[str, Part]
    routes: Mapping[tuple[str, str], Route]
    """All routes by method and address."""

    def route(self, method: str, address: str) -> Route:
        """Return a route; an address that is not listed is for the highest role alone."""
        methods = (method,) if method in ("GET", "POST") else ("GET", "POST")
        listed = (self.routes.get((known, address)) for known in methods)
        return next(filter(None, listed), Route(method, address, self._closed))

    @property
    def _closed(self) -> Part:
        return next(part for part in self.parts.values() if part.least == self.roles[-1])


def read_access(document: Mapping[str, Any], roles: Sequence[str]) -> Access:
    """Return the table that a document holds."""
    parts = {
        name: Part(name, **{key: value for key, value in rows.items() if key != "routes"})
        for name, rows in document.items()
    }
    routes = [
        Route(method, address, parts[name], **row)
        for name, rows in document.items()
        for (method, address), row in ((call.split(), row) for call, row in rows["routes"].items())
    ]
    by_address = {(route.method, route.address): route for route in routes}
    return Access(roles, parts, by_address)


_DOCUMENT = tomllib.loads((files(__package__) / "access.toml").read_text(encoding="utf-8"))
TABLE = read_access(_DOCUMENT["table"], ROLES)
"""Access to the page at a table."""
HALL = read_access(_DOCUMENT["hall"], (WATCHER, ARBITER))
"""Access to the hall's page."""
PARTS = TABLE.parts


def reaches(role: str, least: str) -> bool:
    """Say whether a role at a table includes the rights of another one."""
    return ROLES.index(role) >= ROLES.index(least)
