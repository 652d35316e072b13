"""Schlangennest before the first move: field, border, frame, and who plays which colours."""

from __future__ import annotations

from collections.abc import Mapping

from engine.errors import RecordError
from engine.game import Json, Start
from engine.lattice import Cell, bounding_box
from engine.nest.position import COLOURS, Field
from engine.snakes import Cards
from engine.tiles import TileSet

SIZES: Mapping[str, Mapping[int, tuple[int, int]]] = {
    "recommended": {2: (5, 7), 3: (6, 8), 4: (7, 9)},
    "easy": {2: (6, 6), 3: (7, 7), 4: (8, 8)},
    "hard": {2: (4, 8), 3: (4, 10), 4: (5, 11)},
}
"""Field sizes by number of players, from the rulebook; the first where it offers two."""
FRAMED_PLAYERS = 2
"""The number of players of the game with a frame; the rulebook has no other."""


def parse_size(value: Json) -> Json:
    """Accept a name in ``SIZES``, two numbers, or ``None`` for no border."""
    if value is None or (isinstance(value, str) and value in SIZES):
        return value
    if (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(n, int) and not isinstance(n, bool) and 1 <= n <= 1000 for n in value)
    ):
        return value
    names = ", ".join(f'"{name}"' for name in SIZES)
    raise ValueError(f"must be {names}, two numbers such as [5, 7], or null for no border")


def colours_of(
    players: tuple[str, ...], chosen: Mapping[str, Json]
) -> Mapping[str, tuple[str, ...]]:
    """Return the colours of each player: one, or two with two snakes each."""
    if chosen["two_snakes"] == "off":
        if chosen["colours"] is not None:
            raise RecordError(
                "options.colours", "can only be given together with the option two_snakes"
            )
        return {player: (player,) for player in players}
    if len(players) != 2:
        raise RecordError("options.two_snakes", f"is only for two players, not for {len(players)}")
    unused = [colour for colour in COLOURS if colour not in players]
    named = chosen["colours"] or {p: [p, c] for p, c in zip(players, unused, strict=True)}
    given = [colour for pair in named.values() for colour in pair]
    if set(named) != set(players) or sorted(given) != sorted(COLOURS):
        raise RecordError("options.colours", "must give each player two of the four colours")
    return {player: tuple(named[player]) for player in players}


def agreed_field(
    chosen: Mapping[str, Json], start: Start, cards: Cards, colours: Mapping[str, tuple[str, ...]]
) -> Field:
    """Return the field for straights and curves: a size, or a box that set-up cards fix."""
    if chosen["border"] == "grows" and not chosen["frame"]:
        size = chosen["size"]
        if isinstance(size, str):
            size = SIZES[size][max(2, len(start.players))]
        return Field(tuple(size) if size else None)
    box = bounding_box(_set_up(chosen, start, cards, colours))
    if box is None:
        raise RecordError(
            "setup",
            "for a fixed border or a frame, first lay cards of a colour that nobody plays",
            "no-border",
        )
    if chosen["frame"]:
        left, top, right, bottom = box
        if right - left < 2 or bottom - top < 2:
            raise RecordError(
                "setup", "the frame is too small: it has no room for cards inside", "small-frame"
            )
        box = (left + 1, top + 1, right - 1, bottom - 1)
    return Field(box=box)


def _set_up(
    chosen: Mapping[str, Json], start: Start, cards: Cards, colours: Mapping[str, tuple[str, ...]]
) -> list[Cell]:
    """Return the cells of the set-up cards that fix the border: of colours that nobody plays.

    Other cards may lie only in a game in progress (rulebook, "Game with fixed border").
    """
    one_each = chosen["two_snakes"] == "off"
    if chosen["frame"] and not (one_each and len(start.players) == FRAMED_PLAYERS):
        raise RecordError(
            "options.frame",
            "is only for two players with one snake each: the colours that nobody plays lie "
            "around the field",
        )
    if not (one_each and len(start.players) < len(COLOURS)):
        raise RecordError(
            "options.border",
            "can be fixed only for two or three players with one snake each: a colour that nobody "
            "plays lies across the field",
        )
    taken = {colour for own in colours.values() for colour in own}
    played = [laid.kind.colour for laid in cards.values() if laid.kind.colour in taken]
    if played and not start.midgame:
        raise RecordError(
            "setup",
            f"only colours that nobody plays may lie there at first, but {played[0]} plays",
            "played-border",
        )
    return [cell for cell, laid in cards.items() if laid.kind.colour not in taken]


# --- what is given -------------------------------------------------------------------------------


def check_given(box: TileSet, start: Start, _players: str) -> None:
    """Cards mark a fixed border or a frame: no size says it, and a frame has no gaps."""
    options = start.options
    marked = {"border": options.get("border") == "fixed", "frame": bool(options.get("frame"))}
    option = next((name for name, is_marked in marked.items() if is_marked), "")
    if option and "size" in options:
        raise RecordError(
            "options.size",
            f"cannot be given together with the option {option}: there the cards of setup mark "
            "the field",
        )
    if not options.get("frame"):
        return
    laid = {p.at for p in start.layout.cards if box[p.tile].colour not in start.players}
    around = bounding_box(laid)
    gaps = [] if around is None else [cell for cell in _ring(around) if cell not in laid]
    if gaps:
        raise RecordError(
            "setup",
            f"the frame has a gap at {list(gaps[0])}; its cards lie all round the field",
            "frame-gap",
        )


def _ring(around: tuple[int, int, int, int]) -> list[Cell]:
    left, top, right, bottom = around
    return [
        (x, y)
        for y in range(top, bottom + 1)
        for x in range(left, right + 1)
        if x in (left, right) or y in (top, bottom)
    ]
