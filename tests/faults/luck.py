"""Luck of games that were played blindly: over many games it centres on nothing."""

from __future__ import annotations

import random
from statistics import mean, stdev

from engine.game import Start
from engine.games import GAMES
from engine.play.analysis import CERTAIN, analyse
from engine.play.dealing import Dealer
from engine.record import Record, find_set

GAMES_PLAYED = 200
MOVES = 80
LOOKS = 4
PLAYERS = {"sssnake": ("a", "b"), "carnival": ("yellow", "black")}


def luck_that_does_not_centre(name: str) -> list[str]:
    """Look over many games of random moves; return for whom luck does not centre on 0."""
    lucks: dict[str, list[float]] = {player: [] for player in PLAYERS[name]}
    for number in range(GAMES_PLAYED):
        seen = analyse(_played_blindly(name, number), LOOKS, number)
        for player, kept in lucks.items():
            kept.append(seen.luck(player).value)
    return [
        f"{player} of {name}: {mean(kept):+.3f} in {GAMES_PLAYED} games"
        for player, kept in lucks.items()
        if abs(mean(kept)) > CERTAIN * stdev(kept) / len(kept) ** 0.5
    ]


def _played_blindly(name: str, seed: int) -> Record:
    game, rng = GAMES[name], random.Random(seed)
    start, box = Start(PLAYERS[name]), find_set(game, None)
    dealer = Dealer(game, start, box, rng)
    while not dealer.is_over and len(dealer.moves_made) < MOVES:
        if dealer.turn_up() is None:
            dealer.make(rng.choice(dealer.legal_moves()))
    return Record(game, box, start, tuple(dealer.moves_made))
