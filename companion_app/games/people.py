"""People by their names: who sits at a game, and what is written when somebody is called otherwise.

A person is a name that somebody has written; a colour without one, and the machine, are nobody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from companion_app.games.entries import Line, last_of
from companion_app.games.play import Game
from engine.games import game_named

MACHINE = re.compile(r"Snake Eye( \d+)?")
"""What seats of the machine are called, which are nobody's."""


@dataclass(frozen=True, slots=True)
class Sitting:
    """Who sits at a game."""

    key: str = ""
    """Key of the game; empty where none is on."""
    people: Mapping[str, str] | None = None
    """The person in each seat, by player; an empty name for nobody."""


def sitting_at(game: Game | None) -> Sitting:
    """Return who sits at the game that is on."""
    if game is None:
        return Sitting()
    named = game.game.facts.player_names is None
    return Sitting(game.key, {who: person(who, game.names, named) for who in game.start.players})


def person(player: str, names: Mapping[str, str], named: bool) -> str:
    """Return the name of the person who plays; empty for nobody.

    Args:
        player: a player of the game.
        names: people's names, by player.
        named: whether the game's players are names, and no colours.
    """
    name = names.get(player) or (player if named else "")
    return "" if MACHINE.fullmatch(name) else shown(name)


def shown(name: str) -> str:
    """Return a name as it is shown, with a capital letter first."""
    return name[:1].upper() + name[1:]


def spellings(name: str) -> tuple[str, str]:
    """Return the ways in which a shown name may be written in a log."""
    return shown(name), name[:1].lower() + name[1:]


# --- somebody is called otherwise ----------------------------------------------------------------


def names_after(lines: Sequence[Line], name: str, to: str, nobody: str) -> dict[str, str] | None:
    """Return the names of a game once a person is called otherwise; ``None`` if it is not theirs.

    Args:
        lines: the log of the game.
        name: the person.
        to: what the person is called from now on; empty to forget the person.
        nobody: what players without a name are called in games without colours, with ``{n}``.
    """
    record = last_of("started", lines).get("record")
    if record is None:
        return None
    named = game_named(record["game"]).facts.player_names is None
    names = dict(last_of("names", lines).get("names", {}))
    players = [who for who in record["players"] if person(who, names, named) == shown(name)]
    for who in players:
        if to or named:
            names[who] = to or nobody.format(n=record["players"].index(who) + 1)
        else:
            del names[who]
    return names if players else None


def has_both(lines: Sequence[Line], one: str, other: str) -> bool:
    """Say whether two people sit at one game, and so are two people."""
    return all(names_after(lines, name, name, "") is not None for name in (one, other))


def forgotten(line: Line, name: str, to: str) -> Mapping[str, Any]:
    """Return the body of a line without a name, wherever it stands as a whole."""
    body: Mapping[str, Any] = _without(line.body, spellings(name), to)
    return body


def _without(value: Any, names: Sequence[str], to: str) -> Any:
    if isinstance(value, Mapping):
        return {_without(key, names, to): _without(one, names, to) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_without(one, names, to) for one in value]
    return to if value in names else value
