"""Finds the box that a game is played with, and the players by the tiles on the table."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from companion_app.answers import InputError
from companion_app.home import set_folders
from engine.carnival.setup import box_in_play
from engine.game import AnyGame
from engine.placement import Clay, Layout
from engine.record import Record, find_set
from engine.setfile import SAFE_NAME
from engine.tiles import TileSet


def box_for(game: AnyGame, name: str | None) -> TileSet:
    """Return the named box, or the game's own.

    Raises:
        InputError: the box was taught without a game; the message says what to do.
        EngineError: there is no box of that name.
    """
    if name is not None and SAFE_NAME.fullmatch(name):
        for folder in set_folders():
            if (folder / f"{name}.json").is_file() and not (folder / f"{name}.toml").is_file():
                raise InputError(
                    f"{name} was taught without a game: 'snake-eye read --set {name}' reads it, "
                    f"but it has no rules; teach it again with --game {game.facts.name} --replace"
                )
    return find_set(game, name, set_folders())


def box_on_the_table(record: Record) -> TileSet:
    """Return the box of a game with the players' options applied.

    The eyes of its boards are those of the options, and in Carnival the tiles of unused colours
    are removed.
    """
    if record.game.facts.unused_put_away:
        return box_in_play(record.tile_set, record.start)
    box, eyes = record.tile_set, record.start.options.get("eyes")
    if eyes is None or "board" not in box.extras:
        return box
    board = {**box.extras["board"], "eyes": eyes}
    return replace(box, extras=MappingProxyType({**box.extras, "board": board}))


def some_players(game: AnyGame, nameless: tuple[str, ...] = ("Anna", "Ben")) -> tuple[str, ...]:
    """Return players of a game for which nobody was named, as few as it allows."""
    names = game.facts.player_names
    if names is None:
        return nameless
    if game.facts.two_sit_opposite and game.facts.fewest_players == 2:
        return names[0], names[2]
    return names[: game.facts.fewest_players]


def players_seen(game: AnyGame, tile_set: TileSet, layout: Layout) -> tuple[str, ...]:
    """Return the players whose colours or fields are on a table, in the game's order."""
    names = game.facts.player_names
    if names is None:
        fields = {placed.field or 0 for placed in layout.cards}
        count = max([game.facts.fewest_players, *(field + 1 for field in fields)])
        return tuple(str(number + 1) for number in range(count))
    lying = (one for one in layout.placements() if not isinstance(one, Clay))
    seen = {tile_set[one.tile].colour for one in lying}
    return tuple(n for n in names if n in seen) or names[: game.facts.fewest_players]
