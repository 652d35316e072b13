"""Sssnake, whatever the table: turned, shifted and mirrored fields, and an evening on trust."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest

from engine.game import Start
from engine.games.sssnake import Sssnake
from engine.placement import Layout, Placement
from engine.record import parse_record
from engine.referee import referee_record, series_of
from engine.setfile import built_in_set

GAME = Sssnake()
BOX = built_in_set("sssnake")
PLAYERS = ("a", "b")
PLAYTHROUGHS = Path(__file__).parents[2] / "playthroughs"
ENDS_OF_A_GAME = ("scores", "lines", "over", "winners")


def quarter(placed):
    """Turn a field by a quarter, big card and all."""
    x, y = placed.at
    period = BOX[placed.tile].period
    return replace(placed, at=(-y, x), turns=(placed.turns + 1) % period)


def shifted(placed):
    return replace(placed, at=(placed.at[0] + 5, placed.at[1] - 3))


def mirrored(placed):
    """Mirror a field left to right; the big card looks the same, with head and tail exchanged."""
    if placed.tile.startswith("big"):
        return placed
    x, y = placed.at
    turned = placed.turns ^ 1 if "curve" in placed.tile else placed.turns
    return replace(placed, at=(1 - x, y), turns=turned)


def on_trust(layout):
    return GAME.opening(Start(PLAYERS, {"rolls": "trust"}, layout, midgame=True), BOX)


def random_table(seed):
    chance = random.Random(seed)
    position = on_trust(Layout())
    for _ in range(chance.randrange(6, 24)):
        moves = GAME.legal_moves(position)
        if not moves:
            break
        position = GAME.apply(position, chance.choice(moves))
    return GAME.layout(position)


def changed(layout, change):
    return Layout.of(*(change(placed) for placed in layout.cards))


def as_set(moves, change):
    """Return who may lay or put out what where, with the place seen through a change."""
    found: set[tuple[object, ...]] = set()
    for move in moves:
        if move.at is None:
            found.add((move.player, move.do, move.tile))
        else:
            placed = change(Placement(move.tile, move.at, move.turns))
            found.add((move.player, move.snake, placed.tile, placed.at, placed.turns))
    return found


@pytest.mark.parametrize("change", [quarter, shifted, mirrored])
@pytest.mark.parametrize("seed", range(8))
def test_turning_shifting_or_mirroring_changes_no_verdict_and_no_score(change, seed):
    layout = random_table(seed)
    before, after = on_trust(layout), on_trust(changed(layout, change))

    assert GAME.outcome(after).scores == GAME.outcome(before).scores
    assert as_set(GAME.legal_moves(after), lambda placed: placed) == as_set(
        GAME.legal_moves(before), change
    )


def test_position_made_from_a_table_is_the_one_that_was_played():
    for seed in range(8):
        layout = random_table(seed)

        assert GAME.layout(on_trust(layout)) == layout
        assert GAME.inspect(on_trust(layout)) == ()


def evening(name):
    data = json.loads((PLAYTHROUGHS / f"{name}.json").read_text(encoding="utf-8"))
    return [game["record"] for game in data["games"]]


def test_evening_on_trust_is_the_evening_without_its_rolls():
    for told, trusted in zip(
        evening("sssnake_evening"), evening("sssnake_evening_on_trust"), strict=True
    ):
        assert [m for m in told["moves"] if m["do"] != "roll"] == trusted["moves"]


def test_evening_has_the_same_final_score_told_and_on_trust():
    told, trusted = (
        series_of([referee_record(parse_record(one)) for one in evening(name)])
        for name in ("sssnake_evening", "sssnake_evening_on_trust")
    )

    assert told["totals"] == trusted["totals"] == {"anna": -7, "ben": -24, "cleo": -11}
    for one, other in zip(told["games"], trusted["games"], strict=True):
        assert [one[key] for key in ENDS_OF_A_GAME] == [other[key] for key in ENDS_OF_A_GAME]
