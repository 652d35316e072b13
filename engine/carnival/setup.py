"""Carnival's table as it is taken up: house, colours, games in progress, what is wrong on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from engine.carnival.laying import BESIDE_SNAKES
from engine.carnival.position import (
    Agreed,
    CarnivalPosition,
    Hat,
    LastRound,
    Supply,
    Token,
)
from engine.carnival.snakes import (
    SNAKE_TILES,
    House,
    hidden_head,
    joined_snakes,
    named,
    trace_snakes,
)
from engine.errors import RecordError
from engine.game import Json, Start, Violation, says
from engine.lattice import Cell, square_neighbours
from engine.placement import Placement
from engine.sentences import rules_of
from engine.snakes import Card, Cards, card
from engine.tiles import TileKind, TileSet

say = rules_of("carnival")

HAND = 4
"""Tiles dealt to each player (rulebook, step 4)."""
TWO_PLAYERS = 2
FOUR_COLOURS = 4
"""The colours that two players with two snakes each need."""
ONE_EACH = 1
"""The value of the option ``snakes`` for two players with one snake each."""
AT_THE_RIGHT_HAND = 3
"""Quarter turns clockwise to the seat on a player's right: N with W, S with E (ruling 10)."""


def opened(start: Start, box: TileSet, chosen: Mapping[str, Json]) -> CarnivalPosition:
    """Return the first position of a game, also of one that starts in progress.

    Raises:
        RecordError: the start does not fit the game; the error names the place in the record.
    """
    box = box_in_play(box, start)
    lying = start.layout.cards
    house_at = _house_placement(lying, box)
    exits = _exits(box[house_at.tile], house_at.turns)
    colours = _colours(start.players, chosen, exits)
    agreed = Agreed(
        MappingProxyType(colours), chosen["hands"] == "ask", chosen["gift_beside_log"] == "gift"
    )
    house = House(house_at.at, {c: edge for c, edge in exits.items() if agreed.owner(c)})
    tiles = {p.at: card(box[p.tile], p.turns) for p in (*lying, house_at)}
    cards, hats = _with_hats(tiles, house, box)
    from_the_start = not start.midgame and len(tiles) == 1
    tokens, earlier = _tokens(start, agreed, cards)
    position = CarnivalPosition(
        box,
        agreed,
        house,
        MappingProxyType(cards),
        start.next or start.players[0],
        Supply(_pile(box, start.players) if from_the_start else None),
        hats,
        tokens,
        MappingProxyType(earlier),
        _last_round_of(cards, hats),
    )
    return position.settled()


def box_in_play(box: TileSet, start: Start) -> TileSet:
    """Return the box without the tiles of colours that nobody plays (ruling 10)."""
    if len(start.players) == TWO_PLAYERS and start.options.get("snakes") != ONE_EACH:
        return box
    out = set(box.colours) - set(start.players)
    kinds = {n: replace(k, count=0) if k.colour in out else k for n, k in box.kinds.items()}
    return replace(box, kinds=MappingProxyType(kinds))


def check_given(box: TileSet, start: Start, players: str) -> None:
    """Two players sit opposite (ruling 10), and a token comes from a diamond."""
    diamonds = sum(
        kind.count for kind in box_in_play(box, start).kinds.values() if kind.role == "diamond"
    )
    given = sum(start.tokens.values())
    if given > diamonds:
        raise RecordError("tokens", f"are {given}, but the box has only {diamonds} diamonds")
    houses = (kind for kind in box.kinds.values() if kind.role == "house")
    edges = {name: edge for house in houses for name, edge in _exits(house, 0).items()}
    if len(start.players) != TWO_PLAYERS or not set(start.players) <= set(edges):
        return
    one, other = start.players
    facing = [name for name, edge in edges.items() if (edge - edges[one]) % 4 == 2]
    if facing and other not in facing:
        raise RecordError(
            players,
            f"two players sit opposite each other: {one} and {facing[0]}, not {other}",
            "not-opposite",
        )


def _house_placement(lying: frozenset[Placement], box: TileSet) -> Placement:
    """Return where the house lies: as the record says, else at ``(0, 0)``."""
    houses = sorted(p for p in lying if box[p.tile].role == "house")
    if len(houses) > 1:
        raise RecordError("setup", "there is only one house, but several lie on the table")
    if houses:
        return houses[0]
    kind = next((k for k in box.kinds.values() if k.role == "house"), None)
    if kind is None:
        raise RecordError("set", f"the box {box.name} has no house")
    if any(p.at == (0, 0) for p in lying):
        raise RecordError(
            "setup", "the house is missing; if it is not listed, its place [0, 0] must be empty"
        )
    return Placement(kind.name, (0, 0), 0)


def _exits(house: TileKind, turns: int) -> dict[str, int]:
    return {leaving.name: (leaving.edge + turns) % 4 for leaving in house.exits}


def _colours(
    players: tuple[str, ...], chosen: Mapping[str, Json], exits: Mapping[str, int]
) -> dict[str, tuple[str, ...]]:
    """Return each player's colours: two each for two players, unless they chose one (ruling 10)."""
    named, one_each = chosen["colours"], chosen["snakes"] == ONE_EACH
    for player in players:
        if player not in exits:
            raise RecordError("players", f"the house has no exit for {player}")
    if len(players) != TWO_PLAYERS:
        for option, is_told in (("colours", named is not None), ("snakes", one_each)):
            if is_told:
                raise RecordError(
                    f"options.{option}", f"is only for two players, not for {len(players)}"
                )
    if one_each and named is not None:
        raise RecordError("options.colours", "can only be given if each player has two snakes")
    if one_each or len(players) != TWO_PLAYERS:
        return {player: (player,) for player in players}
    if len(exits) < FOUR_COLOURS:
        raise RecordError("options.snakes", "must be 1: this box has fewer than four colours")
    if named is None:
        return _by_seat(players, exits)
    given = [colour for pair in named.values() for colour in pair]
    if set(named) != set(players) or sorted(given) != sorted(exits):
        raise RecordError("options.colours", "must give each player two of the four colours")
    if any(player not in named[player] for player in players):
        raise RecordError("options.colours", "one of the two colours must be the player's own")
    return {player: tuple(named[player]) for player in players}


def _by_seat(players: tuple[str, ...], exits: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Return two colours for each player: the own one and the exit to the right of it.

    Players who do not sit opposite would share an exit: they get the unused colours in order (R),
    as two players with two colours do in other games.
    """
    at_edge = {edge: colour for colour, edge in exits.items()}
    rights = [at_edge[(exits[player] + AT_THE_RIGHT_HAND) % 4] for player in players]
    if len({*players, *rights}) < len(players) + len(rights):
        rights = [colour for colour in exits if colour not in players]
    return {player: (player, right) for player, right in zip(players, rights, strict=True)}


def _pile(box: TileSet, players: tuple[str, ...]) -> int:
    tiles = sum(kind.count for kind in box.kinds.values() if kind.role != "house")
    return max(0, tiles - HAND * len(players))


def _tokens(start: Start, agreed: Agreed, cards: Cards) -> tuple[tuple[Token, ...], dict[str, int]]:
    """Return the tokens of the diamonds on the table, and the given tokens without a diamond.

    If only one player has tokens, and enough of them, that player laid all the diamonds.
    Otherwise the players who laid them are unknown.
    """
    told: dict[str, int] = {}
    for name, number in start.tokens.items():
        player = agreed.owner(name)
        if player is None:
            raise RecordError(f"tokens.{name}", f"{name!r} does not play")
        if number:
            told[player] = told.get(player, 0) + number
    diamonds = sorted(cell for cell, laid in cards.items() if laid.kind.role == "diamond")
    if len(told) == 1:
        ((player, number),) = told.items()
        if number >= len(diamonds):
            spare = number - len(diamonds)
            return tuple(Token(player, c) for c in diamonds), {player: spare} if spare else {}
    return tuple(Token(None, cell) for cell in diamonds), told


def _last_round_of(cards: Cards, hats: tuple[Hat, ...]) -> LastRound | None:
    """Return the last round if heads or hats are on the table; hats mean the hats phase."""
    if hats:
        return LastRound("hats")
    if any(laid.kind.role == "head" for laid in cards.values()):
        return LastRound()
    return None


# --- hats on a table -----------------------------------------------------------------------------


def _with_hats(
    tiles: Mapping[Cell, Card], house: House, box: TileSet
) -> tuple[dict[Cell, Card], tuple[Hat, ...]]:
    """Return the cards and hats of a table; a head hidden under a hat is added to the cards."""
    cards = {cell: laid for cell, laid in tiles.items() if laid.kind.role != "hat"}
    hats: list[Hat] = []
    beneath: dict[Cell, Card] = {}
    for cell in sorted(cell for cell, laid in tiles.items() if laid.kind.role == "hat"):
        worn = {hat.snake for hat in hats}
        snakes = [s for c, s in trace_snakes(cards, house).items() if c not in worn]
        heads = {s.colour: None for s in snakes if s.front == cell}
        hidden = {s.colour: hidden_head(s, cell, tiles, box) for s in snakes}
        wearers = heads | {colour: head for colour, head in hidden.items() if head}
        known = next(iter(wearers)) if len(wearers) == 1 else None
        hats.append(Hat(tiles[cell].tile, cell, known, () if known else tuple(wearers)))
        head = wearers[known] if known else None
        if head is not None:
            beneath[cell] = head
    return {**tiles, **beneath}, tuple(hats)


# --- what is wrong on a table --------------------------------------------------------------------


def wrong_on_the_table(position: CarnivalPosition) -> Iterator[Violation]:
    """Yield the violations on the table: tile counts, snakes, gifts, troubles and hats."""
    yield from _too_many(position)
    yield from _snakes_amiss(position)
    yield from _gifts_alone(position)
    for hat in position.hats:
        if hat.snake is None and not hat.maybe:
            yield Violation(say.NO_BARE_HEAD, (hat.at,))


def _too_many(position: CarnivalPosition) -> Iterator[Violation]:
    for tile, number in sorted(position.laid.items()):
        if number > position.box[tile].count:
            cells = tuple(sorted(at for at, laid in position.cards.items() if laid.tile == tile))
            kind = position.box[tile]
            yield says(say.TOO_MANY, *cells, tile=named(kind), n=kind.count)


def _snakes_amiss(position: CarnivalPosition) -> Iterator[Violation]:
    for one, other in joined_snakes(position.snakes.values())[:1]:
        cells = tuple(step.cell for step in position.snakes[one].steps)
        yield Violation(say.TWO_SNAKES_JOINED, cells, {"one": one, "other": other})
    for cell, laid in sorted(position.cards.items(), key=lambda item: item[0]):
        if laid.kind.role in SNAKE_TILES and cell not in position.runs_through:
            yield says(say.NOT_AT_AN_END, cell, case="loose")


def _gifts_alone(position: CarnivalPosition) -> Iterator[Violation]:
    for cell, laid in sorted(position.cards.items(), key=lambda item: item[0]):
        beside = {position.role_at(near) for near in square_neighbours(cell)}
        if laid.kind.role in BESIDE_SNAKES and not beside & SNAKE_TILES:
            yield Violation(say.GIFT_ALONE, (cell,), {"what": laid.kind.role})
