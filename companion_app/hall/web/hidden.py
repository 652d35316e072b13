"""Names of players who do not want them shown in the hall."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from companion_app.hall.store.hall_store import HallStore

Doc = dict[str, Any]


def hidden_names(store: HallStore) -> frozenset[str]:
    """Return the hidden names, case-folded."""
    return frozenset(json.loads(store.fact("hidden") or "[]"))


def hide_name(store: HallStore, name: str, hidden: bool = True) -> None:
    """Show a player by his colour from now on, or by his name again."""
    names = set(hidden_names(store))
    (names.add if hidden else names.discard)(name.casefold())
    store.keep_fact("hidden", json.dumps(sorted(names)))


def without_hidden(document: Mapping[str, Any], hidden: frozenset[str]) -> Doc:
    """Return a standing in which hidden names are empty."""
    if not hidden or "players" not in document:
        return dict(document)
    players = [
        {**player, "name": "" if player["name"].casefold() in hidden else player["name"]}
        for player in document["players"]
    ]
    return {**document, "players": players}
