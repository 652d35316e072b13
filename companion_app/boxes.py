"""Finds the box that a game is to be played with, and says so where it has no rules."""

from __future__ import annotations

from companion_app.answers import InputError
from companion_app.home import set_folders
from engine.game import AnyGame
from engine.record import find_set
from engine.setfile import SAFE_NAME
from engine.tiles import TileSet


def box_for(game: AnyGame, name: str | None) -> TileSet:
    """Return the named box, or the game's own.

    Raises:
        InputError: the box was taught without a game; says what to do.
        EngineError: there is none of that name.
    """
    if name is not None and SAFE_NAME.fullmatch(name):
        for folder in set_folders():
            if (folder / f"{name}.json").is_file() and not (folder / f"{name}.toml").is_file():
                raise InputError(
                    f"{name} was taught without a game: 'snake-eye read --set {name}' reads it, "
                    f"but it has no rules; teach it again with --game {game.facts.name} --replace"
                )
    return find_set(game, name, set_folders())
