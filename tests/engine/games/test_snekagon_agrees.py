"""Both hex games against a second, naive referee: random play, and moves that are nearly legal."""

import json
import random
from typing import Any

import pytest

from engine.game import Start
from engine.games.snekagon import Snekagon
from engine.games.snekagon5g import Snekagon5G
from engine.lattice import HEX_STEPS
from engine.record import layout_to_json, move_to_json, parse_move
from engine.setfile import built_in_set
from tests.naive.snekagon import NaiveSnekagon, NaiveSnekagon5G

FIVE = ("blue", "red", "yellow", "green", "violet")
OTHER_NAMES = {"could-move": "must-move"}
NOWHERE = {"off-board", "on-eye", "cell-taken"}
"""A tile that cannot lie there at all is not asked by the naive referee what it touches."""
NEARLY_LEGAL_MOVES = 6
"""So many are judged at each position."""
FEW_MOVES = 60
"""A position with fewer is late in a game."""

VARIANTS: list[tuple[Any, Any, tuple[str, ...], dict[str, Any], int]] = [
    (Snekagon(), NaiveSnekagon, ("red", "green"), {}, 5),
    (Snekagon(), NaiveSnekagon, ("green", "red"), {"second_without_1": True}, 4),
    (Snekagon5G(), NaiveSnekagon5G, FIVE[:2], {}, 1),
    (Snekagon5G(), NaiveSnekagon5G, FIVE[1:4], {}, 1),
    (Snekagon5G(), NaiveSnekagon5G, FIVE, {}, 1),
    (Snekagon5G(), NaiveSnekagon5G, FIVE[3:], {"advanced": True}, 1),
    (Snekagon5G(), NaiveSnekagon5G, FIVE[:3], {"advanced": True}, 1),
    (Snekagon5G(), NaiveSnekagon5G, FIVE[:4], {"far_drill": True}, 1),
    (Snekagon5G(), NaiveSnekagon5G, FIVE[:2], {"far_drill": True, "advanced": True}, 1),
    (Snekagon5G(), NaiveSnekagon5G, FIVE[2:], {"single_opening": True, "advanced": True}, 1),
    (Snekagon5G(), NaiveSnekagon5G, FIVE[:2], {"eyes": [[0, 0], [1, 1]]}, 1),
]


def name(variant):
    game, _, players, options, _ = variant
    return f"{game.facts.name}-{len(players)}-{'-'.join(options) or 'plain'}"


def written(moves):
    """Return moves of records as a set of texts."""
    return {json.dumps(move, sort_keys=True) for move in moves}


def nearly(move, players, chance):
    """Return a legal move with one or two things changed, as a record writes it."""
    changed = json.loads(json.dumps(move))
    if changed["do"] == "pass" or chance.random() < 0.05:
        return {"player": chance.choice(players), "do": "pass"}
    step = chance.choice(HEX_STEPS)
    changed["cells"] = sorted([q + step[0], r + step[1]] for q, r in changed["cells"])
    if "board" in changed and chance.random() < 0.2:
        changed["board"] = chance.randrange(len(players))
    for key in ("from", "to"):
        if key in changed and chance.random() < 0.5:
            q, r = changed[key]["cell"]
            changed[key]["cell"] = [q + step[0], r + step[1]]
        if key in changed and chance.random() < 0.1:
            changed[key]["board"] = chance.randrange(len(players))
        if key in changed and chance.random() < 0.2:
            del changed[key]
    return changed


def play_both(variant, seed):
    """Yield both referees' positions of a game that escapes more often than chance would."""
    game, naive_game, players, options, _ = variant
    box, chance = built_in_set(game.facts.name), random.Random(seed)
    position, naive = game.opening(Start(players, options), box), naive_game(list(players), options)
    while True:
        moves = game.legal_moves(position)
        yield position, naive, moves
        if not moves:
            return
        drilled = [move for move in moves if move.origin or move.to]
        move = chance.choice(drilled if drilled and chance.random() < 0.5 else moves)
        naive.play(move_to_json(move))
        position = game.apply(position, move)


@pytest.mark.parametrize("variant", VARIANTS, ids=name)
def test_nearly_legal_moves_are_judged_alike(variant):
    game, _, players, _, games = variant
    box, chance = built_in_set(game.facts.name), random.Random(1)
    for seed in range(games):
        for position, naive, moves in play_both(variant, seed):
            for _ in range(NEARLY_LEGAL_MOVES if moves else 0):
                move = nearly(move_to_json(chance.choice(moves)), players, chance)
                expected = {OTHER_NAMES.get(rule, rule) for rule in naive.violations(move)}
                verdict = game.judge(position, parse_move(game, box, players, move, "move"))
                found = {violation.rule.id for violation in verdict.violations}
                if expected & NOWHERE:
                    assert expected <= found, (move, naive.table())
                else:
                    assert expected == found, (move, naive.table())


@pytest.mark.parametrize("variant", VARIANTS, ids=name)
def test_scores_tables_and_lists_of_moves_are_alike(variant):
    game = variant[0]
    for position, naive, moves in play_both(variant, 99):
        outcome = game.outcome(position)
        assert outcome.scores == naive.scores()
        ours, theirs = layout_to_json(game.layout(position)), naive.table()
        assert written(ours["tiles"]) == written(theirs["tiles"])
        assert written(ours.get("clay", [])) == written(theirs["clay"])
        # The naive list takes a second, so only a late one and the last are asked for.
        if len(moves) < FEW_MOVES and len(position.pieces) % 3 == 0:
            assert written(map(move_to_json, moves)) == written(naive.legal_moves())
        if not moves:
            assert outcome.over
            assert list(outcome.winners) == naive.winners()
