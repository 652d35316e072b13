"""Luck of games of Sssnake that were played blindly: over many games it centres on nothing.

It is told in Sssnake alone: no other game rolls, and the hands of Carnival are hidden.
"""

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
PLAYERS = ("a", "b")


def luck_that_does_not_centre() -> list[str]:
    """Look over many games of random moves; return for whom luck does not centre on 0."""
    games = [analyse(_played_blindly(n), LOOKS, n) for n in range(GAMES_PLAYED)]
    lucks = {player: [seen.luck(player).value for seen in games] for player in PLAYERS}
    return [
        f"{player}: {mean(kept):+.3f} in {GAMES_PLAYED} games"
        for player, kept in lucks.items()
        if abs(mean(kept)) > CERTAIN * stdev(kept) / len(kept) ** 0.5
    ]


def _played_blindly(seed: int) -> Record:
    game, rng = GAMES["sssnake"], random.Random(seed)
    start, box = Start(PLAYERS), find_set(game, None)
    dealer = Dealer(game, start, box, rng)
    while not dealer.is_over and len(dealer.moves_made) < MOVES:
        if dealer.turn_up() is None:
            dealer.make(rng.choice(dealer.legal_moves()))
    return Record(game, box, start, tuple(dealer.moves_made))
