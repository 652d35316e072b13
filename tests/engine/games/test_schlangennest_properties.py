"""What holds in every reachable position of Schlangennest, whichever way the table is turned."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import Move
from engine.lattice import cells_around
from engine.nest.position import COLOURS, Field, NestPosition
from engine.snakes import card
from tests.engine.games import nest_tables
from tests.engine.games.nest_tables import BOX, GAME, likely_move, near_legal_move

seeds = st.integers(0, 9_999)


def reached(seed: int, *, end: bool = False) -> tuple[NestPosition, list[NestPosition]]:
    """Return a position somewhere in a random game, and those before it."""
    rng = random.Random(seed)
    position = nest_tables.opening(*nest_tables.settings(seed))
    length = 400 if end else rng.randrange(40)
    before: list[NestPosition] = []
    for _ in range(length):
        moves = GAME.legal_moves(position)
        if not moves:
            break
        before.append(position)
        position = GAME.apply(position, likely_move(rng, position, moves))
    return position, before


@settings(max_examples=8)
@given(seed=seeds)
def test_the_listed_moves_are_exactly_those_that_are_judged_legal(seed):
    position, _ = reached(seed)
    listed = set(GAME.legal_moves(position))
    player = position.to_move
    cells = {c for at in position.cards for near in cells_around(at) for c in cells_around(near)}
    tried = {Move(player, "pass")} if not GAME.outcome(position).over else set()
    for cell in cells or {(0, 0)}:
        for colour in position.agreed.colours[player]:
            for kind in BOX.of_colour(colour):
                for turns in range(kind.period):
                    tried.add(Move(player, "place", kind.name, cell, turns))
                    if kind.shape == "tail":
                        tried.add(Move(player, "replace", kind.name, cell, turns))
        tried |= {Move(player, "turn", at=cell, turns=turns) for turns in range(4)}

    assert {move for move in tried if GAME.judge(position, move).legal} == listed


# --- the table may be turned, mirrored and shifted, and its colours renamed


def turned(cell):
    return (-cell[1], cell[0])


def mirrored(cell):
    return (-cell[0], cell[1])


def shifted(cell):
    return (cell[0] + 1_000_003, cell[1] - 77)


def same(cell):
    return cell


EDGES = {turned: (1, 2, 3, 0), mirrored: (0, 3, 2, 1), shifted: (0, 1, 2, 3), same: (0, 1, 2, 3)}
RENAMED = dict(zip(COLOURS, (*COLOURS[1:], COLOURS[0]), strict=True))
SAME_NAMES = {colour: colour for colour in COLOURS}


@cache
def turns_after(shape: str, turns: int, transform) -> int:
    """Return how a card lies once the table is seen another way."""
    edges = EDGES[transform]
    kind = BOX[f"blue/{shape}"]

    def looks(strands, seen):
        return {(frozenset(seen[e] for e in s.edges), s.colour, s.cap) for s in strands}

    wanted = looks(kind.turned(turns), edges)
    return next(t for t in range(4) if looks(kind.turned(t), (0, 1, 2, 3)) == wanted)


def tile_seen(tile: str, names) -> str:
    colour, shape = tile.split("/")
    return f"{names[colour]}/{shape}"


def position_seen(position: NestPosition, transform, names) -> NestPosition:
    cards = {
        transform(at): card(
            BOX[tile_seen(laid.tile, names)], turns_after(laid.kind.shape, laid.turns, transform)
        )
        for at, laid in position.cards.items()
    }
    box = position.agreed.field.box
    field = position.agreed.field
    if box is not None:
        corners = [transform((box[0], box[1])), transform((box[2], box[3]))]
        xs, ys = sorted(c[0] for c in corners), sorted(c[1] for c in corners)
        field = Field(box=(xs[0], ys[0], xs[1], ys[1]))
    colours = {
        names[player]: tuple(names[c] for c in own)
        for player, own in position.agreed.colours.items()
    }
    return NestPosition(
        BOX,
        replace(position.agreed, colours=colours, field=field),
        cards,
        names[position.to_move],
        tuple(names[c] for c in position.acted),
    )


def move_seen(position: NestPosition, move: Move, transform, names) -> Move:
    turns = move.turns
    if turns is not None and move.at is not None:
        if move.tile is not None:
            shape = move.tile.split("/")[1]
        else:
            lying = position.cards.get(move.at)
            shape = "curve" if lying is None else lying.kind.shape
        turns = turns_after(shape, turns, transform)
    return Move(
        names[move.player],
        move.do,
        None if move.tile is None else tile_seen(move.tile, names),
        None if move.at is None else transform(move.at),
        turns,
    )


@pytest.mark.parametrize(
    ("transform", "names"),
    [(turned, SAME_NAMES), (mirrored, SAME_NAMES), (shifted, SAME_NAMES), (same, RENAMED)],
    ids=["turned", "mirrored", "shifted", "renamed"],
)
@settings(max_examples=15)
@given(seed=seeds)
def test_seen_another_way_verdicts_and_scores_are_the_same(transform, names, seed):
    rng = random.Random(seed)
    position, _ = reached(seed)
    seen = position_seen(position, transform, names)

    for _ in range(12):
        move = near_legal_move(rng, position)
        verdict = {v.rule.id for v in GAME.judge(position, move).violations}
        there = GAME.judge(seen, move_seen(position, move, transform, names))
        assert {v.rule.id for v in there.violations} == verdict
    here, from_there = GAME.outcome(position), GAME.outcome(seen)
    assert {names[p]: s for p, s in here.scores.items()} == dict(from_there.scores)
    assert {names[p] for p in here.winners} == set(from_there.winners)


# --- what the rule book is made of


@settings(max_examples=25)
@given(seed=seeds)
def test_a_table_that_grew_card_by_card_is_the_same_as_one_that_was_traced(seed):
    rng = random.Random(seed)
    position, _ = reached(seed)
    move = near_legal_move(rng, position)
    if move.tile is None or move.at is None or move.turns is None:
        return
    laid = card(BOX[move.tile], move.turns)
    grown = position.with_card(move.at, laid)
    again = NestPosition(BOX, grown.agreed, grown.cards, grown.to_move, grown.acted, grown.outside)

    def summary(chain):
        return frozenset(chain.strands), chain.colours, frozenset(chain.ends), chain.caps

    for web in (grown.web, again.web):
        assert all(len(chain.strands) == chain.length for chain in web.coloured)
    assert {end: summary(chain) for end, chain in grown.web.open.items()} == {
        end: summary(chain) for end, chain in again.web.open.items()
    }
    assert list(map(summary, grown.web.coloured)) == list(map(summary, again.web.coloured))
    assert (grown.web.laid, grown.bounds) == (again.web.laid, again.bounds)
