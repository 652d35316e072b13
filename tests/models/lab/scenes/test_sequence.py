"""Filmed games: hands come and go, the truth tells when, and the table is what the game says."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from models.lab.scenes.games.film import FilmedTable, FilmFrame, film_settings
from models.lab.scenes.games.positions import played
from models.lab.scenes.settings import GAMES
from tests.live_games.filmed import DISTURBANCES, Film, film, write_script

SMALL = (320, 240)


@cache
def shot(game: str, seed: int = 2, moves: int = 3) -> tuple[Film, tuple[FilmFrame, ...]]:
    made = film(seed, "train", game, fps=10, size_px=SMALL, most_moves=moves)
    return made, tuple(made.frames())


@pytest.mark.parametrize("game", GAMES)
def test_every_move_of_the_game_has_its_event_in_order(game):
    made, frames = shot(game)
    moves = [e for e in made.events if e["event"] in ("move", "told")]

    assert [e["n"] for e in moves] == list(range(3))
    assert [e["move"] for e in moves] == made.script.record["moves"]
    assert [e["t"] for e in made.events] == sorted(e["t"] for e in made.events)
    assert made.events[-1]["t"] <= frames[-1].t


@pytest.mark.parametrize("game", GAMES)
def test_frames_come_at_the_rate_asked_for(game):
    _, frames = shot(game)

    assert [f.t for f in frames] == pytest.approx(np.arange(len(frames)) / 10)
    assert {f.bgr.shape for f in frames} == {(240, 320, 3)}


@pytest.mark.parametrize("game", GAMES)
def test_no_hand_is_in_view_when_the_truth_says_that_it_left(game):
    made, frames = shot(game)
    for event in made.events:
        if event["event"] in ("move", "foul", "taken-back"):
            after = [f for f in frames if f.t >= event["t"]][:3]

            assert not any(f.hand for f in after)


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_is_seen_before_every_laid_tile(game):
    made, frames = shot(game)
    for event in made.events:
        if event["event"] == "move":
            before = [f for f in frames if event["t"] - 1.5 <= f.t < event["t"]]

            assert any(f.hand for f in before)


def test_the_last_table_is_the_last_layout_of_the_script():
    made, _ = shot("schlangennest")
    layouts = list(made.script.layouts())
    wanted = sorted((c.tile, list(c.at)) for c in layouts[-1].cards)

    assert sorted((t["tile"], t["at"]) for t in made.truth()["tiles"]) == wanted


def test_every_disturbance_occurs_within_a_dozen_games():
    seen = set()
    for seed in range(12):
        for visit in write_script("schlangennest", "train", seed).visits:
            seen.add(visit.what)
            seen |= {"nudge"} if visit.nudge else set()
            seen |= {"wrong-turn"} if visit.event.get("corrected") else set()

    assert set(DISTURBANCES) <= seen


@pytest.mark.parametrize("game", GAMES)
def test_fouls_break_a_rule_and_are_taken_back(game):
    fouls = 0
    for seed in range(6):
        visits = write_script(game, "held-out", seed).visits
        for visit, after in pairwise(visits):
            if visit.what == "foul":
                fouls += 1

                assert visit.event["rules"]
                assert after.what == "take-back"

    assert fouls > 0


@pytest.mark.parametrize("seed", [1, 3])
def test_arm_is_never_cut_off_inside_the_picture(seed):
    # Carnival 3: tables are wider than an arm is long, and nobody's arm ends in the air.
    one = played("carnival", "held-out", "greedy", seed)
    settings = film_settings(seed, "held-out", "carnival", SMALL)
    table = FilmedTable(settings, one.players, one.layouts[0], iter(one.layouts[:40]), 10.0)
    still = next(table.quiet(0.1)).bgr.astype(int)
    shots = [s for s in table.visit((one.layouts[0],)) if s.hand]
    shown = [np.abs(s.bgr.astype(int) - still).max(axis=2) > 60 for s in shots]
    rims = [np.concatenate([m[0], m[-1], m[:, 0], m[:, -1]]).any() for m in shown if m.sum() > 200]

    assert all(rims)
