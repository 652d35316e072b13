"""Every game seen another way: turned, mirrored, shifted, with other names; nothing changes."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from engine.game import AnyGame, Move, Start
from engine.games import GAMES
from engine.lattice import HEX_SIDE_NAMES, HEX_STEPS, Cell, E, N, S, W
from engine.nest.position import COLOURS
from engine.placement import Clay, Layout, Placement
from engine.setfile import built_in_set
from engine.tiles import TileKind, TileSet
from tests.engine.games import nest_tables

FIVE = ("blue", "red", "yellow", "green", "violet")
CARNIVAL = ("yellow", "violet", "black", "red")


def same(value: Any) -> Any:
    return value


@dataclass(frozen=True)
class View:
    """Where cells, sides and boards are seen, and by which names players and colours go."""

    cell: Callable[[Cell], Cell] = same
    edges: tuple[int, int, int, int] = (N, E, S, W)
    """By side of a square: the side that it is seen as."""
    board: Callable[[int], int] = same
    names: Mapping[str, str] = field(default_factory=dict)

    def name(self, name: Any) -> Any:
        return self.names.get(name, name)

    def tile(self, tile: str) -> str:
        colour, slash, shape = tile.partition("/")
        return f"{self.name(colour)}{slash}{shape}"

    def box(self, box: TileSet) -> TileSet:
        """Return the box whose house is made for those who see it this way."""
        house = box.kinds.get("house")
        if house is None:
            return box
        exits = tuple(
            replace(
                e, edge=self.edges[e.edge] if self.is_mirror else e.edge, name=self.name(e.name)
            )
            for e in house.exits
        )
        return replace(box, kinds={**box.kinds, "house": replace(house, exits=exits)})

    @property
    def is_mirror(self) -> bool:
        return self.edges == (N, W, S, E)

    def turns(self, kind: TileKind, turns: int, seen: TileKind) -> int:
        """Return how a card that is turned so is seen to lie."""

        def looks(kind: TileKind, turns: int, view: View) -> set[Any]:
            strands = {
                (frozenset(view.edges[e] for e in s.edges), view.name(s.colour), s.cap)
                for s in kind.turned(turns)
            }
            exits = {(view.edges[(e.edge + turns) % 4], view.name(e.name)) for e in kind.exits}
            return strands | exits

        return next(t for t in range(4) if looks(seen, t, View()) == looks(kind, turns, self))

    def placed(self, box: TileSet, card: Placement) -> Placement:
        if self.is_mirror and box[card.tile].role == "big":
            # A big card looks the same in a mirror, with head and tail exchanged.
            return card
        kind, seen = box[card.tile], self.box(box)[self.tile(card.tile)]
        turns = self.turns(kind, card.turns, seen)
        return replace(card, tile=seen.name, at=self.cell(card.at), turns=turns)

    def clay(self, clay: Clay) -> Clay:
        """Return a piece of clay as it is seen: it opens towards the same neighbour."""
        q, r = self.cell(clay.cell)
        opens = clay.opens
        if opens is not None:
            (x, y), (dx, dy) = clay.cell, HEX_STEPS[HEX_SIDE_NAMES.index(opens)]
            beside = self.cell((x + dx, y + dy))
            opens = HEX_SIDE_NAMES[HEX_STEPS.index((beside[0] - q, beside[1] - r))]
        return replace(clay, board=self.board(clay.board), cell=(q, r), opens=opens)

    def start(self, start: Start, box: TileSet, colours: Mapping[str, tuple[str, ...]]) -> Start:
        """Return the start of a game; two colours each are named, since they go by their order."""
        options = dict(start.options)
        if any(len(own) > 1 for own in colours.values()):
            options["colours"] = {
                self.name(p): [self.name(c) for c in own] for p, own in colours.items()
            }
        layout = Layout.of(*(self.placed(box, card) for card in start.layout.cards))
        players = tuple(self.name(player) for player in start.players)
        return replace(start, players=players, options=options, layout=layout)

    def move(self, position: Any, move: Move) -> Move:
        """Return a move as it is seen."""
        player, snake = self.name(move.player), self.name(move.snake)
        move = replace(move, player=player, snake=snake)
        if move.cells is not None and move.board is not None:
            ends = (None if e is None else (self.board(e[0]), self.cell(e[1])) for e in _ends(move))
            board, (origin, to) = self.board(move.board), ends
            move = replace(move, board=board, origin=origin, to=to)
        if move.cells is not None:
            return replace(move, cells=tuple(sorted(map(self.cell, move.cells))))
        if move.at is None or move.turns is None:
            return move
        lying = position.cards.get(move.at) if move.tile is None else None
        tile = move.tile or (lying.tile if lying else f"{COLOURS[0]}/curve")
        seen = self.placed(built_in_set(_game_of(position)), Placement(tile, move.at, move.turns))
        return replace(move, tile=move.tile and seen.tile, at=seen.at, turns=seen.turns)


def _ends(move: Move) -> tuple[Any, Any]:
    return move.origin, move.to


def _game_of(position: Any) -> str:
    box: TileSet = position.box
    return box.game


def turned(times: int) -> Callable[[Cell], Cell]:
    def way(cell: Cell) -> Cell:
        for _ in range(times):
            cell = (-cell[1], cell[0] + cell[1])
        return cell

    return way


def flipped(times: int) -> Callable[[Cell], Cell]:
    return lambda cell: turned(times)((cell[1], cell[0]))


SQUARE = {
    "turned": View(lambda cell: (-cell[1], cell[0]), (E, S, W, N)),
    "shifted": View(lambda cell: (cell[0] + 1_003, cell[1] - 77)),
}
MIRRORED = View(lambda cell: (-cell[0], cell[1]), (N, W, S, E))
VIEWS: dict[str, dict[str, View]] = {
    "schlangennest": SQUARE
    | {
        "mirrored": MIRRORED,
        "renamed": View(names=dict(zip(COLOURS, COLOURS[1:] + COLOURS[:1], strict=True))),
    },
    "carnival": SQUARE
    | {
        "mirrored": MIRRORED,
        "renamed": View(names=dict(zip(CARNIVAL, CARNIVAL[1:] + CARNIVAL[:1], strict=True))),
    },
    "sssnake": SQUARE | {"mirrored": replace(MIRRORED, cell=lambda cell: (1 - cell[0], cell[1]))},
    "snekagon": {f"turned {n}": View(turned(n)) for n in range(1, 6)}
    | {f"flipped {n}": View(flipped(n)) for n in range(6)},
    "snekagon5g": {
        "ring turned": View(board=lambda board: (board + 1) % 4),
        "ring reversed": View(board=lambda board: -board % 4),
        "boards mirrored": View(lambda cell: (-cell[0] - cell[1], cell[1])),
    },
}
BIGS = Layout.of(*(Placement(f"big/{n + 1}", (0, 0), 0, n) for n in range(2)))


def nest_start(seed: int) -> Start:
    players, options, setup = nest_tables.settings(seed)
    cards = [Placement(t["tile"], (t["at"][0], t["at"][1]), t["turns"]) for t in setup or ()]
    return Start(tuple(players), options, Layout.of(*cards))


STARTS: dict[str, list[Start]] = {
    "schlangennest": [nest_start(seed) for seed in range(10)],
    "carnival": [
        Start(players, layout=Layout.of(Placement("house", (0, 0), 0)))
        for players in (CARNIVAL, ("yellow", "black"))
    ],
    "sssnake": [Start(("a", "b"), {"rolls": "trust"}, BIGS, midgame=True)] * 3,
    "snekagon": [Start(("red", "green"))],
    "snekagon5g": [Start(FIVE[:4], o) for o in ({}, {"advanced": True}, {"far_drill": True})],
}
MOST_MOVES = {"schlangennest": 30, "carnival": 50, "sssnake": 14, "snekagon": 99, "snekagon5g": 99}
LISTED_EVERY = {"snekagon5g": 5, "sssnake": 4}


def nearly(position: Any, move: Move, chance: random.Random) -> Move:
    """Return a move with one or two things changed."""
    if move.cells is not None:
        q, r = chance.choice(HEX_STEPS)
        return replace(move, cells=tuple(sorted((x + q, y + r) for x, y in move.cells)))
    if move.at is None or move.tile is None:
        return move
    box = built_in_set(_game_of(position))
    tile = chance.choice((move.tile, *(t for t in box.counts if box[t].role != "big")))
    dx, dy = chance.choice(((0, 0), (0, 1), (1, 0)))
    turns, at = chance.randrange(box[tile].period), (move.at[0] + dx, move.at[1] + dy)
    do = move.do if box.game == "sssnake" else chance.choice(("place", "replace"))
    return replace(move, do=do, tile=tile, at=at, turns=turns)


def rules(game: AnyGame, position: Any, move: Move) -> set[str]:
    return {violation.rule.id for violation in game.judge(position, move).violations}


def liked(moves: list[Move], chance: random.Random) -> Move:
    """Return a move, rather one that drills."""
    drilled = [move for move in moves if move.origin or move.to]
    return chance.choice(drilled if drilled and chance.random() < 0.5 else moves)


@pytest.mark.parametrize(
    ("name", "way"), [(name, way) for name, views in VIEWS.items() for way in views]
)
def test_seen_another_way_moves_verdicts_and_scores_are_the_same(name, way):
    game, view, box = GAMES[name], VIEWS[name][way], built_in_set(name)
    for seed, start in enumerate(STARTS[name]):
        chance = random.Random(seed)
        position = game.opening(start, box)
        colours = getattr(position.agreed, "colours", {}) if name != "sssnake" else {}
        picture = game.opening(view.start(start, box, colours), view.box(box))
        for number in range(MOST_MOVES[name]):
            moves = game.legal_moves(position)
            # The first card of all is listed in one cell alone, though it may lie anywhere.
            if number and number % LISTED_EVERY.get(name, 1) == 0:
                seen = {view.move(position, move) for move in moves}
                assert seen == set(game.legal_moves(picture))
            here, there = game.outcome(position), game.outcome(picture)
            assert {view.name(p): s for p, s in here.scores.items()} == dict(there.scores)
            assert {view.name(p) for p in here.winners} == set(there.winners)
            if name == "snekagon5g" and number % 5 == 0:
                lying = {view.clay(clay) for clay in game.layout(position).clay}
                assert lying == game.layout(picture).clay
            if not moves:
                break
            for _ in range(4):
                move = nearly(position, chance.choice(moves), chance)
                seen_move = view.move(position, move)
                assert rules(game, position, move) == rules(game, picture, seen_move), move
            move = liked(moves, chance)
            picture = game.apply(picture, view.move(position, move))
            position = game.apply(position, move)
