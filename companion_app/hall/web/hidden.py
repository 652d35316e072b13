"""Names of players who do not want them shown in the hall, kept as hashes.

A name that was erased must not be kept for the sake of hiding it.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from hashlib import sha256
from typing import Any

from sqlalchemy import select, update

from companion_app.hall.line.message import shown_name
from companion_app.hall.store.hall_store import HallStore
from companion_app.hall.store.schema import facts
from companion_app.hall.store.tournament_store import NOTICE
from companion_app.hall.tournament.model import Tournament
from companion_app.hall.tournament.people import known_names

Doc = dict[str, Any]
FACT = "hidden"


def hidden_names(store: HallStore) -> frozenset[str]:
    """Return the marks of the hidden names."""
    return frozenset(json.loads(store.fact(FACT) or "[]"))


def is_hidden(name: str, hidden: frozenset[str]) -> bool:
    """Say whether a name is among the hidden ones."""
    # Earlier versions kept the names themselves.
    return bool(hidden) and not hidden.isdisjoint((name.casefold(), _mark(name)))


def hide_names(store: HallStore, names: Collection[str], hidden: bool = True) -> None:
    """Show players by their colours from now on, or by their names again."""
    marks = {mark for name in names for mark in (_mark(name), name.casefold())}
    with store.writing() as change:
        store.insert_new(change.line, facts, [{"name": FACT, "value": "[]"}])
        own = facts.c.name == FACT
        # Locked: of two who hide a name at once, neither undoes what the other did.
        asked = select(facts.c.value).where(own).with_for_update()
        kept = set(json.loads(change.line.execute(asked).scalar_one())) - marks
        kept |= {_mark(name) for name in names} if hidden else set()
        change.line.execute(update(facts).where(own).values(value=json.dumps(sorted(kept))))
        change.tables.add(NOTICE)


def hide_in_hall(store: HallStore, now: Tournament, what: str, data: Mapping[str, Any]) -> None:
    """Hide or show a player's name at the tables too, as an event in his tournament wants it."""
    player = now.players.get(str(data.get("player")))
    if player is not None and what in ("hide-player", "erase-player"):
        hidden = what == "erase-player" or bool(data.get("hidden", True))
        hide_names(store, known_names(player), hidden)


def without_hidden(document: Mapping[str, Any], hidden: frozenset[str]) -> Doc:
    """Return a standing in which hidden names are empty."""
    if not hidden or "players" not in document:
        return dict(document)
    players = [
        {**player, "name": "" if is_hidden(player["name"], hidden) else player["name"]}
        for player in document["players"]
    ]
    if players == document["players"]:
        return dict(document)
    # Another mark: browsers must not go on showing the drawing that has the name.
    return {**document, "players": players, "drawing": f"{document.get('drawing', '')}h"}


def _mark(name: str) -> str:
    return sha256(shown_name(name).casefold().encode("utf-8", "replace")).hexdigest()
