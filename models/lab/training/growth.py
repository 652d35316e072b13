"""Fits how far snakes of hexes still grow: ``python -m models.lab.training.growth``.

Games of Snekagon and Snekagon 5G are played by the machine without looking ahead, by greedy players
and by chance, at tables of every size. From each position is learnt what part of a seat's stock its
longest snake took up in the end: a logistic regression. The machine of the next round plays by what
the last one taught.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from sklearn.linear_model import LogisticRegression

from engine.game import Start
from engine.games import GAMES
from engine.play.growth import FILE, SIGNS, Growth
from engine.play.hex_world import HexWorld, hex_world
from engine.play.world import Token, chances, shares
from engine.record import find_set
from models.lab.evaluate.harness import say
from models.lab.scenes.world.arrays import Array
from models.lab.training.harness import made, parser_of, write_manifest

BEFORE = Growth((-2.5, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 3.0, 0.0)
"""Growth by which the machine of the first round plays: room to go on is good."""
ROUNDS, GAMES_EACH = 2, 300
SEATS = {"snekagon": (2,), "snekagon5g": (2, 2, 3, 4)}
POLICIES = ("machine", "machine", "greedy")
OWN_TILES = SIGNS.index("own tiles")
SLIPS = 0.05
"""Share of random moves, so that positions differ."""
SCALES, A_TILE = (0.2, 0.4, 0.7, 1.0, 1.5, 2.0, 3.0), (0.0, 0.1, 0.2, 0.3, 0.45, 0.6, 0.9)


class Sample(NamedTuple):
    """A seat in a position, and how far its snake grew."""

    signs: tuple[float, ...]
    taken_up: float
    """Share of the stock that the longest snake took up."""
    stock: int


class Standing(NamedTuple):
    """A position, and the points of each seat at the end of its game."""

    signs: tuple[tuple[float, ...], ...]
    best: tuple[int, ...]
    stock: tuple[int, ...]
    ended: tuple[float, ...]


def play_one(task: str, game: str, plays_by: Growth) -> list[Standing]:
    """Play one game, and return its positions with the final length of each snake."""
    rng = random.Random(task)
    seats = rng.choice(SEATS[game])
    rules = GAMES[game]
    assert rules.facts.player_names is not None
    start = Start(rules.facts.player_names[:seats])
    world = hex_world(rules.opening(start, find_set(rules, None)))
    assert world is not None
    world.terms = replace(world.terms, growth=plays_by)
    policies = [rng.choice(POLICIES) for _ in range(seats)]
    met: list[tuple[Any, Any, Any]] = []
    while not world.is_over():
        token = _chosen(world, policies[world.turn], rng)
        world.play(token, rng)
        signs = tuple(tuple(world.signs(seat)) for seat in range(seats))
        met.append((signs, tuple(world.best), tuple(world.stock)))
    ended = tuple(float(length) for length in world.points())
    return [Standing(*one, ended) for one in met]


def _chosen(world: HexWorld, policy: str, rng: random.Random) -> Token:
    if policy == "machine" and rng.random() > SLIPS:
        return max(world.prospects(rng), key=lambda one: one[0])[1]
    tokens = world.moves()
    if policy == "machine":
        return rng.choice(tokens)
    lengths = [world.length_after(token) for token in tokens]
    longest = max(lengths)
    return rng.choice([token for token, n in zip(tokens, lengths, strict=True) if n == longest])


# --- fitting -------------------------------------------------------------------------------------


def fit(games: Sequence[Sequence[Standing]]) -> tuple[Growth, dict[str, Any]]:
    """Return the growth of maximum likelihood for these games, and figures on held-out games."""
    held_out = [one for number, game in enumerate(games) if number % 5 == 0 for one in game]
    others = [one for number, game in enumerate(games) if number % 5 for one in game]
    told = _scaled(_weights(_samples(others)), others)
    figures = {
        "played": len(games),
        "positions": sum(map(len, games)),
        "hexes_off": _hexes_off(told, held_out),
        "by_room_alone": _hexes_off(BEFORE, held_out),
        "log_loss": round(_loss(told, held_out), 4),
        "log_loss_by_room_alone": round(_loss(BEFORE, held_out), 4),
    }
    return told, figures


def _hexes_off(growing: Growth, standings: Iterable[Standing]) -> float:
    """Return the mean error of the expected growth, in hexes."""
    off = [abs(growing.share(one.signs) - one.taken_up) * one.stock for one in _samples(standings)]
    return round(float(np.mean(off)), 3)


def _samples(standings: Iterable[Standing]) -> list[Sample]:
    return [
        Sample(signs, min(1.0, (ended - best) / stock), stock)
        for one in standings
        for signs, best, stock, ended in zip(*one, strict=True)
        if stock
    ]


def _weights(samples: Sequence[Sample]) -> tuple[float, ...]:
    rows = np.array([one.signs for one in samples])
    part = np.array([one.taken_up for one in samples])
    stock = np.array([one.stock for one in samples], float)
    model = LogisticRegression(C=1.0, fit_intercept=False, max_iter=500)
    model.fit(
        np.concatenate([rows, rows]),
        np.repeat([1, 0], len(rows)),
        np.concatenate([part, 1 - part]) * np.concatenate([stock, stock]),
    )
    return tuple(round(float(weight), 4) for weight in model.coef_[0])


def _scaled(weights: tuple[float, ...], standings: Sequence[Standing]) -> Growth:
    """Return the weights with the scale of maximum likelihood for the ends of games."""
    tried = [Growth(weights, scale, a_tile) for scale, a_tile in product(SCALES, A_TILE)]
    return min(tried, key=lambda one: _loss(one, standings))


def _loss(growing: Growth, standings: Sequence[Standing]) -> float:
    """Return the mean negative log-likelihood of the ends of games."""
    total = 0.0
    for one in standings:
        hoped = [
            best + stock * growing.share(signs)
            for signs, best, stock in zip(one.signs, one.best, one.stock, strict=True)
        ]
        tiles = sum(signs[OWN_TILES] for signs in one.signs) / len(one.signs)
        stated: Array = np.clip(chances(hoped, growing.scale_with(tiles)), 1e-6, 1.0)
        total -= float(np.dot(shares(one.ended), np.log(stated)))
    return total / max(1, len(standings))


def main(arguments: list[str] | None = None) -> int:
    """Play, fit, and write what the player looks up."""
    parser = parser_of("growth", __doc__)
    parser.set_defaults(out=FILE)
    parser.add_argument("--games", type=int, default=GAMES_EACH, help="of each game and round")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    asked = parser.parse_args(arguments)
    told: dict[str, Any] = {}
    for game in SEATS:
        plays_by, figures = BEFORE, dict[str, Any]()
        for number in range(asked.rounds):
            tasks = [f"growth {game} {number} {one}" for one in range(asked.games)]
            work = partial(play_one, game=game, plays_by=plays_by)
            plays_by, figures = fit(made(f"{game} {number + 1}", work, tasks, asked.workers))
            say(f"{game}, round {number + 1}: {plays_by}, {figures}")
        told[game] = {
            "weights": plays_by.weights,
            "scale": plays_by.scale,
            "a_tile": plays_by.a_tile,
            **figures,
        }
    made_by = "python -m models.lab.training.growth"
    write_manifest(asked.out, {"made_by": made_by, "signs": SIGNS, "games": told})
    return 0


if __name__ == "__main__":
    sys.exit(main())
