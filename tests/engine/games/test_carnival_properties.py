"""Carnival looked at from another side: turned, mirrored, shifted or renamed, nothing changes."""

import random
from dataclasses import replace

import pytest

from engine.game import Move, Start
from engine.lattice import E, N, S, W
from engine.placement import Layout, Placement
from engine.tiles import Exit, TileSet
from tests.engine.games.carnival_table import BOX, FOUR, GAME

RENAMED = {"yellow": "violet", "violet": "black", "black": "red", "red": "yellow"}
"""Each colour becomes the next one round the house."""
MIRRORED_SIDE = {N: N, E: W, S: S, W: E}


def turned(cell, tile, turns):
    x, y = cell
    return (-y, x), tile, (turns + 1) % BOX[tile].period


def shifted(cell, tile, turns):
    return (cell[0] + 7, cell[1] - 3), tile, turns


def mirrored(cell, tile, turns):
    """Return the place of a tile in a mirror that swaps left and right."""
    kind = BOX[tile]
    sides = {frozenset(MIRRORED_SIDE[edge] for edge in s.edges) for s in kind.turned(turns)}
    seen = next(t for t in range(4) if {frozenset(s.edges) for s in kind.turned(t)} == sides)
    return (-cell[0], cell[1]), tile, (-turns % 4 if tile == "house" else seen)


def renamed(cell, tile, turns):
    colour, slash, shape = tile.partition("/")
    return cell, f"{RENAMED.get(colour, colour)}{slash}{shape}", turns


def mirror_box() -> TileSet:
    """Return the box whose house has its colours the other way round."""
    house = BOX["house"]
    exits = tuple(Exit(e.cell, MIRRORED_SIDE[e.edge], e.name) for e in house.exits)
    return replace(BOX, kinds={**BOX.kinds, "house": replace(house, exits=exits)})


def renamed_box() -> TileSet:
    house = BOX["house"]
    exits = tuple(Exit(e.cell, e.edge, RENAMED[e.name]) for e in house.exits)
    return replace(BOX, kinds={**BOX.kinds, "house": replace(house, exits=exits)})


VIEWS = {
    "turned": (turned, BOX, {}),
    "shifted": (shifted, BOX, {}),
    "mirrored": (mirrored, mirror_box(), {}),
    "renamed": (renamed, renamed_box(), RENAMED),
}


class View:
    """A game beside its picture."""

    def __init__(self, name):
        self.look, self.box, self.names = VIEWS[name]

    def player(self, name):
        return self.names.get(name, name)

    def opening(self, players, options, colours):
        house_at, _, house_turns = self.look((0, 0), "house", 0)
        house = Layout.of(Placement("house", house_at, house_turns))
        pairs = {self.player(p): [self.player(c) for c in own] for p, own in colours.items()}
        seen = dict(options) | ({"colours": pairs} if len(players) == 2 else {})
        return GAME.opening(Start(tuple(map(self.player, players)), seen, house), self.box)

    def move(self, move):
        if move.at is None:
            return replace(move, player=self.player(move.player))
        at, tile, turns = self.look(move.at, move.tile, move.turns)
        snake = self.names.get(move.snake, move.snake)
        return replace(
            move, player=self.player(move.player), at=at, tile=tile, turns=turns, snake=snake
        )


def nearly(move, position, chance):
    if move.at is None:
        return move
    tile = chance.choice((move.tile, *BOX.kinds))
    dx, dy = chance.choice(((0, 0), (0, 1), (1, 0)))
    at = (move.at[0] + dx, move.at[1] + dy)
    turns = chance.randrange(BOX[tile].period)
    return Move(move.player, chance.choice(("place", "replace")), tile, at, turns)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", VIEWS)
def test_another_view_changes_no_verdict_and_no_score(name, seed):
    chance = random.Random(seed)
    view = View(name)
    players = FOUR if seed else ("yellow", "black")
    position = GAME.opening(Start(players), BOX)
    picture = view.opening(players, {}, position.agreed.colours)
    for _ in range(60):
        moves = GAME.legal_moves(position)
        assert {view.move(m) for m in moves} == set(GAME.legal_moves(picture))
        for move in (nearly(chance.choice(moves), position, chance) for _ in range(8)):
            ours = [v.rule.id for v in GAME.judge(position, move).violations]
            assert ours == [v.rule.id for v in GAME.judge(picture, view.move(move)).violations]
        move = chance.choice(moves)
        position, picture = GAME.apply(position, move), GAME.apply(picture, view.move(move))
        one, other = GAME.outcome(position), GAME.outcome(picture)
        assert {view.player(p): s for p, s in one.scores.items()} == dict(other.scores)


@pytest.mark.parametrize("seed", range(3))
def test_a_table_taken_up_in_its_middle_goes_on_as_before(seed):
    chance = random.Random(seed)
    position = GAME.opening(Start(FOUR), BOX)
    for _ in range(40):
        position = GAME.apply(position, chance.choice(GAME.legal_moves(position)))
    tokens = {p: sum(token.player == p for token in position.tokens) for p in FOUR}
    start = Start(FOUR, {}, GAME.layout(position), position.to_move, midgame=True, tokens=tokens)
    again = GAME.opening(start, BOX)

    assert GAME.layout(again) == GAME.layout(position)
    laid = {move for move in GAME.legal_moves(position) if move.at}
    assert laid <= set(GAME.legal_moves(again))
    assert again.snakes == position.snakes
