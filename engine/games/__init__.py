"""The list of games: a rule book that is not listed here does not exist."""

from __future__ import annotations

from engine.errors import RecordError
from engine.game import AnyGame, Games
from engine.games.carnival import Carnival
from engine.games.schlangennest import Schlangennest
from engine.games.snekagon import Snekagon
from engine.games.snekagon5g import Snekagon5G
from engine.games.sssnake import Sssnake
from engine.given import MISSING, shown

GAMES: Games = {
    game.facts.name: game
    for game in (Schlangennest(), Snekagon(), Snekagon5G(), Sssnake(), Carnival())
}


def game_named(name: object, place: str = "game") -> AnyGame:
    """Return the rule book of that name.

    Raises:
        RecordError: there is no such game; the message lists the games.
    """
    if isinstance(name, str) and name in GAMES:
        return GAMES[name]
    said = "is missing" if name is MISSING else f"{shown(name)} is not a game"
    raise RecordError(place, f"{said}; the games are {', '.join(GAMES)}")


def several_boards(name: str) -> bool:
    """Say whether every player has a board; false for a game that is not listed."""
    return name in GAMES and GAMES[name].facts.several_boards


def several_fields(name: str) -> bool:
    """Say whether every player has a field of cards; false for a game that is not listed."""
    return name in GAMES and GAMES[name].facts.several_fields


def has_die(name: str) -> bool:
    """Say whether the game is played with a die."""
    return name in GAMES and "roll" in GAMES[name].facts.actions
