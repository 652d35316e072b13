"""What holds in every reachable position of Schlangennest."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.game import Move
from engine.lattice import cells_around
from engine.nest.position import NestPosition
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
