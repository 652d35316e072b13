"""The machine's wishes at the table, in the guest's language: its move, or what it needs.

Sentences name a tile and its neighbours; the drawing and the camera's picture show the place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from msgspec import structs

from companion_app.games.play import BROKEN, Game
from companion_app.line.standing import MachineWish
from companion_app.live.machine import hand_of
from companion_app.live.places import Spot, spots_of, tiles_of
from companion_app.web.drawing.table import spots_of as places_of
from companion_app.web.speech import Speech
from engine.game import Json, Move
from engine.infer import change_between
from engine.placement import Layout, Piece, Placement

Doc = dict[str, Json]
SIDES = {(1, 0): "right", (-1, 0): "left", (0, -1): "above", (0, 1): "below"}
HEX_SIDES = {
    (1, 0): "right",
    (-1, 0): "left",
    (0, -1): "upper-left",
    (1, -1): "upper-right",
    (-1, 1): "lower-left",
    (0, 1): "lower-right",
}
MOST_BESIDE = 2
NO_WISH = {**dict.fromkeys(("player", "level", "move", "needs", "laid")), "thinking": False}


def machine_to_json(wish: MachineWish | None, match: Game, speech: Speech) -> Doc | None:
    """Return the machine's seats and wish, in words and places; ``None`` where it has no seat."""
    machine = match.machine
    if not machine.seats:
        return None
    hands = {who: hand_of(machine, who, match) for who in machine.seats}
    document: Doc = {
        "seats": machine.seats,
        "muted": machine.muted,
        "hands": {
            who: [{"tile": tile, "label": speech.tile(tile)} for tile in held]
            for who, held in hands.items()
            if held is not None
        },
        **(NO_WISH if wish is None else structs.asdict(wish)),
        "name": speech.player(wish.player) if wish is not None else "",
        "lies": None,
        "ghost": [],
        "words": "",
    }
    if wish is None:
        return document
    if wish.laid is not None:
        laid = match.parsed(wish.laid, "machine")
        document["laid"] = speech.move(laid, match.game.facts.coloured_moves)
        with suppress(*BROKEN):  # what no table can hold has no picture
            document["lies"] = next(iter(ghost(match.layout, match.after(laid), match)), None)
    if wish.move is not None:
        move = match.parsed(wish.move, "machine")
        document["ghost"] = ghost(match.layout, match.after(move), match)
        where = words_for(match, move, speech)
        document["words"] = speech.page("machine-belongs", where=where) if wish.laid else where
    elif wish.needs is not None:
        is_cards = wish.needs == "draw" and "roll" in match.game.facts.actions
        document["words"] = speech.page(f"machine-needs-{'cards' if is_cards else wish.needs}")
    elif wish.thinking:
        document["words"] = speech.page("machine-thinks")
    return document


def ghost(before: Layout, later: Layout, match: Game) -> list[Doc]:
    """Return the tiles that a move would lay, each with its turns and places."""
    return [
        {
            "tile": one.tile,
            "turns": one.turns if isinstance(one, Placement) else 0,
            "spots": places_of(one, match.box),
        }
        for one in _laid(before, later)
    ]


def _laid(before: Layout, later: Layout) -> list[Placement | Piece]:
    return tiles_of(change_between(before, later).laid)


def words_for(match: Game, move: Move, speech: Speech) -> str:
    """Return a move in words: the tile, and the neighbours of its place."""
    before, later = match.layout, match.after(move)
    laid = _laid(before, later)
    if not laid:
        return speech.move(move, match.game.facts.coloured_moves)
    beside = _beside(laid[0], before, match, speech)
    if move.do in ("turn", "replace"):
        old = _under(laid[0], before)
        said = speech.page(
            f"machine-{move.do}",
            tile=speech.tile(laid[0].tile),
            other=speech.tile(old.tile) if old else "",
        )
    else:
        named = speech.tile(laid[0].tile) if beside else speech.labels(later, match.box)(laid[0])
        said = speech.page("machine-lay", tile=named)
    whole = " ".join([said, *beside])
    drilled = f" {speech.page('machine-drill')}" if move.origin is not None else ""
    return whole[:1].upper() + whole[1:] + drilled


def _beside(one: Placement | Piece, before: Layout, match: Game, speech: Speech) -> list[str]:
    """Return sentences about a tile's neighbours, heads first: people find those most easily."""
    lying: dict[Spot, Placement | Piece] = {
        spot: other for other in tiles_of(before) for spot in spots_of(other)
    }
    sides = HEX_SIDES if match.box.lattice == "hex" else SIDES
    found = {
        side: lying[number, x + dx, y + dy].tile
        for number, x, y in spots_of(one)
        for (dx, dy), side in sides.items()
        if (number, x + dx, y + dy) in lying
    }
    heads_first = sorted(found.items(), key=lambda item: "head" not in item[1])
    return [
        speech.page(f"side-{side}", other=speech.tile(tile)) + "."
        for side, tile in heads_first[:MOST_BESIDE]
    ]


def _under(one: Placement | Piece, before: Layout) -> Placement | Piece | None:
    places = set(spots_of(one))
    return next((old for old in tiles_of(before) if places.intersection(spots_of(old))), None)


# --- reasons -------------------------------------------------------------------------------------


def reasons_in_words(why: Iterable[Mapping[str, Any]], speech: Speech) -> str:
    """Return why a move is worth trying, as a short sentence."""
    said = [
        speech.page(
            f"idea-{one['why']}",
            n=one["n"],
            player=speech.player(one["player"]) if "player" in one else "",
        )
        for one in why
    ]
    whole = ", ".join(said)
    return whole[:1].upper() + whole[1:]
