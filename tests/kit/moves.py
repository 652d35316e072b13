"""Moves in one line of text, as rows of examples write them.

The card as in a layout, behind it what else belongs to the move: ``red/curve@1,0^2``,
``replace blue/tail@0,1``, ``turn 0,0^1``, ``roll 2 straight curve``, ``discard curve``, ``pass``,
``hat/+3@2,-1 snake=violet``, ``blue/2@2,0+3,0#1 from=2,0#0``. The player is the one to move, or
is named first, ``red: pass``; a tile of a hex board is laid by its colour.
"""

from __future__ import annotations

import re
from typing import Any

from engine.game import AnyGame, Move
from engine.lattice import Cell
from engine.notation import read_layout, write_layout
from engine.placement import Layout, Piece, Placement


def read_move(game: AnyGame, position: Any, text: str) -> Move:
    """Return the move that a line describes."""
    named = re.fullmatch(r"(?:(\w+): )?(.+)", text)
    assert named is not None, text
    player, words = named[1] or position.to_move, named[2].split()
    verb = words.pop(0) if words[0] in game.facts.actions else "place"
    if verb == "roll":
        tiles = tuple(word for word in words[1:] if word != "none")
        return Move(player, verb, value=int(words[0]), tiles=tiles if words[1:] else None)
    if verb == "discard":
        return Move(player, verb, words[0])
    if verb == "turn":
        cell, _, turns = words[0].partition("^")
        return Move(player, verb, at=_cell(cell), turns=int(turns or 0))
    return _laid(game, player, verb, words) if words else Move(player, verb)


def _laid(game: AnyGame, player: str, verb: str, words: list[str]) -> Move:
    more: dict[str, Any] = dict(word.split("=") for word in words[1:])
    drills = {"origin": more.pop("from", None), "to": more.pop("to", None)}
    more |= {name: _drill(place) for name, place in drills.items() if place}
    (placed,) = read_layout(words[0], game.facts.lattice).placements()
    if isinstance(placed, Piece):
        colour, _, shape = placed.tile.partition("/")
        return Move(colour, verb, shape, cells=placed.cells, board=placed.board, **more)
    assert isinstance(placed, Placement)
    return Move(player, verb, placed.tile, placed.at, placed.turns, **more)


def write_move(move: Move, to_move: str) -> str:
    """Return the line of a move."""
    words = [move.do] if move.do != "place" else []
    if move.cells is not None:
        piece = Piece(f"{move.player}/{move.tile}", move.cells, move.board)
        words.append(write_layout(Layout.of(piece)))
    elif move.at is not None:
        card = write_layout(Layout.of(Placement(move.tile or "", move.at, move.turns or 0)))
        words.append(card.removeprefix("@"))
    elif move.value is not None:
        words += [str(move.value), *("none",) * (move.tiles == ()), *(move.tiles or ())]
    elif move.tile is not None:
        words.append(move.tile)
    drills = {"from": move.origin, "to": move.to}
    words += [f"{n}={d[1][0]},{d[1][1]}#{d[0]}" for n, d in drills.items() if d is not None]
    said = {"snake": move.snake, "declares": move.declares}
    words += [f"{name}={word}" for name, word in said.items() if word is not None]
    owner = "" if move.cells or move.player == to_move else f"{move.player}: "
    return owner + " ".join(words)


def _cell(text: str) -> Cell:
    x, y = text.split(",")
    return (int(x), int(y))


def _drill(text: str) -> tuple[int, Cell]:
    cell, _, board = text.partition("#")
    return (int(board), _cell(cell))
