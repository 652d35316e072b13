"""The tiles that a player may lay if they are in hand: judging one, and listing all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from engine.carnival.laying import (
    BESIDE_SNAKES,
    NEVER_REPLACED,
    hat_places,
    placing,
    replacing,
)
from engine.carnival.position import CarnivalPosition
from engine.carnival.snakes import BODY, LOGS, PLAIN, SNAKE_TILES, is_straight
from engine.carnival.words import named, says
from engine.game import Move, Violation
from engine.lattice import square_neighbours
from engine.sentences import carnival as say
from engine.tiles import TileKind

NO_OWN_TILE = "no-own-tile"
LAST_ROUND_TILES = frozenset({"head", "hat"})


def judge_tile(position: CarnivalPosition, move: Move) -> Iterator[Violation]:
    """Yield every rule that laying a tile breaks, except the order of turns."""
    assert move.tile is not None
    kind = position.box[move.tile]
    if position.left(kind) < 1:
        case = "" if kind.colour in (None, *position.house.exits) else "left-out"
        names = {"tile": named(kind), "n": kind.count, "colour": kind.colour}
        yield says(say.NONE_LEFT, move.at, case=case, **names)
    yield from _judge_round(position, move, kind)
    if move.declares != NO_OWN_TILE and _must_be_declared(position, move.player, kind):
        yield says(say.UNDECLARED, move.at, player=move.player, tile=named(kind))
    yield from (placing if move.do == "place" else replacing)(position, move)


def _judge_round(position: CarnivalPosition, move: Move, kind: TileKind) -> Iterator[Violation]:
    """Yield the violation by a tile that may not be laid in this phase of the game (ruling 9)."""
    last = position.last_round
    if kind.role not in LAST_ROUND_TILES:
        if last is not None:
            yield says(say.ONLY_HEADS_AND_HATS, move.at)
    elif last is None:
        yield says(say.LAST_ROUND_ONLY, move.at, what=kind.role)
    elif last.phase != f"{kind.role}s":
        yield says(say.HEADS_BEFORE_HATS, move.at, case="hats" if last.phase == "hats" else "")


def _must_be_declared(position: CarnivalPosition, player: str, kind: TileKind) -> bool:
    """Say whether a player must declare to have no own tile before laying this one (ruling 2)."""
    return (
        position.agreed.asks
        and kind.role in PLAIN
        and position.agreed.owner(kind.colour) not in (None, player)
    )


# --- listing --------------------------------------------------------------------------------


def layable(position: CarnivalPosition, player: str) -> Iterator[Move]:
    """Yield the moves that are legal for a player with every tile that is left in hand."""
    for move in _candidates(position, player):
        assert move.tile is not None
        kind = position.box[move.tile]
        if not any(True for _ in judge_tile(position, declared(position, move, kind))):
            yield declared(position, move, kind)


def declared(position: CarnivalPosition, move: Move, kind: TileKind) -> Move:
    """Return the move with the declaration of ruling 2, if it needs one."""
    if _must_be_declared(position, move.player, kind):
        return replace(move, declares=NO_OWN_TILE)
    return move


def _candidates(position: CarnivalPosition, player: str) -> Iterator[Move]:
    if position.last_round is None:
        yield from _growing(position, player, BODY | LOGS)
        yield from _giving(position, player)
        yield from _swapping(position, player)
    elif position.last_round.phase == "heads":
        yield from _growing(position, player, {"head"})
    else:
        yield from _hatting(position, player)


def _growing(position: CarnivalPosition, player: str, roles: Iterable[str]) -> Iterator[Move]:
    ends = {s.colour: s.faces for s in position.snakes.values() if not s.is_blocked}
    for kind in position.kinds_left(roles):
        cells = {ends.get(kind.colour)} if kind.colour else set(ends.values())
        for cell in sorted(cell for cell in cells if cell is not None):
            for turns in range(kind.period):
                yield Move(player, "place", kind.name, cell, turns)


def _giving(position: CarnivalPosition, player: str) -> Iterator[Move]:
    beside = {
        near
        for at, laid in position.cards.items()
        if laid.kind.role in SNAKE_TILES
        for near in square_neighbours(at)
    }
    for kind in position.kinds_left(BESIDE_SNAKES):
        for cell in sorted(beside - position.cards.keys()):
            yield Move(player, "place", kind.name, cell, 0)


def _swapping(position: CarnivalPosition, player: str) -> Iterator[Move]:
    lying = [
        (at, laid.kind)
        for at, laid in sorted(position.cards.items(), key=lambda item: item[0])
        if laid.kind.role not in NEVER_REPLACED
    ]
    for kind in position.kinds_left(BODY | LOGS):
        for cell, old in lying:
            if is_straight(kind) == is_straight(old) and (kind.role in LOGS or old.role == "log"):
                for turns in range(kind.period):
                    yield Move(player, "replace", kind.name, cell, turns)


def _hatting(position: CarnivalPosition, player: str) -> Iterator[Move]:
    places = sorted(hat_places(position), key=lambda place: place[0])
    cells = [cell for cell, _ in places]
    for kind in position.kinds_left({"hat"}):
        for cell, colour in places:
            snake = colour if cells.count(cell) > 1 else None
            yield Move(player, "place", kind.name, cell, 0, snake=snake)
