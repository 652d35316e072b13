"""Matches of the machine: one game, the rows of the table, and a test that stops them early."""

from __future__ import annotations

import random
from dataclasses import dataclass
from math import lgamma, log
from typing import Any

from engine.game import Start
from engine.games import GAMES
from engine.play import Budget, think
from engine.play.dealing import Dealer
from engine.play.levels import SKILLS
from engine.record import find_set
from models.evaluate.play_rivals import RIVALS, Rival, by_chance, machine, openspiel

MOST_GAMES = 200
GAMES_AGAINST_ITSELF = 60
SURE = 20.0
"""A row ends when its count speaks so many times against the wanted share: 95 % at any time."""
OPENSPIEL = "OpenSpiel MCTS"
ITSELF = "itself"
"""Rows that count only how its stated results come true: against an equal, as they suppose."""
LONGEST_OPENING = 3
"""Of games against itself so many moves of each seat at most are made by chance: where nothing is
drawn, the machine would play the same game every time."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    game: str
    rival: str
    """A rival's name, OpenSpiel's bot, itself, or ``level N``."""
    wanted: float
    most: float = 1.0
    """Levels: no more than this either."""
    seats: int = 2
    seconds: float | None = None
    """A move; without it the looks that are worth a tenth of a second."""
    level: int = 5

    @property
    def name(self) -> str:
        """What the row is called."""
        who = "" if self.level == 5 and not self.rival.startswith("level") else f" {self.level}"
        seats = f", {self.seats} players" if self.seats > 2 else ""
        return f"{self.game}{seats}:{' level' + who if who else ''} against {self.rival}"


def rows(seconds: float = 1.0) -> list[Row]:
    """Return all rows, those with a named rival first."""
    games = ("schlangennest", "snekagon", "snekagon5g", "sssnake", "carnival")
    named = [
        ("schlangennest", "greedy", 0.98), ("schlangennest", "greedy with open ends", 0.80),
        ("snekagon", "greedy", 0.92), ("snekagon", "greedy with mobility", 0.70),
        ("snekagon5g", "greedy", 0.80), ("sssnake", "greedy", 0.68), ("carnival", "greedy", 0.65),
        ("schlangennest", OPENSPIEL, 0.65), ("snekagon", OPENSPIEL, 0.65),
    ]  # fmt: skip
    found = [Row(game, rival, wanted, seconds=seconds) for game, rival, wanted in named]
    found += [
        Row(game, "random", 0.90 if GAMES[game].facts.hidden else 0.98, seconds=seconds)
        for game in games
    ]
    for seats in (3, 4):
        for game, times in (("schlangennest", 1.6), ("snekagon5g", 1.6), ("sssnake", 1.25),
                            ("carnival", 1.25)):  # fmt: skip
            found.append(Row(game, "greedy", times / seats, seats=seats))
    found += [Row(game, ITSELF, 0.5) for game in games]
    found += [
        Row(game, f"level {level - 1}", 0.65, 0.85, level=level)
        for game in games
        for level in (2, 3, 4, 5)
    ]
    return found


def players_of(row: Row) -> tuple[str, ...]:
    """Return who sits at the table."""
    facts = GAMES[row.game].facts
    names = facts.player_names or ("a", "b", "c", "d")
    if facts.two_sit_opposite and row.seats == 2:
        return (names[0], names[2])
    return names[: row.seats]


def play_one(row: Row, number: int) -> dict[str, Any]:
    """Play one game of a row and return its result; the machine's seat goes round."""
    rng = random.Random(f"{row.name} {number}")
    players = players_of(row)
    mine = players[number % len(players)]
    game = GAMES[row.game]
    dealer = Dealer(game, Start(players), find_set(game, None), rng)
    budget = Budget(seconds=row.seconds) if row.seconds else Budget(looks=SKILLS[row.game].looks)
    first, other = machine(budget, row.level), _rival(row)
    stated: list[float] = []
    if row.rival == ITSELF:
        open_by_chance(dealer, rng)
    while not dealer.is_over:
        if dealer.turn_up() is not None:
            continue
        if dealer.position.to_move == mine:
            if row.rival == ITSELF:
                stated.append(_stated(dealer, mine, len(stated)))
            move = first(dealer, rng)
        else:
            move = other(dealer, rng)
        broken = game.judge(dealer.position, move).violations
        assert not broken, (row.name, number, move, broken)
        dealer.make(move)
    winners = game.outcome(dealer.position).winners
    return {
        "task": f"{row.name} {number}",
        "row": row.name,
        "result": 1 / len(winners) if mine in winners else 0.0,
        "stated": [value for value in stated if value >= 0],
        "plies": len(dealer.moves_made),
    }


def open_by_chance(dealer: Dealer, rng: random.Random) -> None:
    """Make some first moves by chance, so that games against itself differ."""
    for _ in range(rng.randrange(LONGEST_OPENING * len(dealer.position.players) + 1)):
        while dealer.turn_up() is not None:
            pass
        if not dealer.is_over:
            dealer.make(by_chance(dealer, rng))


def _stated(dealer: Dealer, mine: str, number: int) -> float:
    """Return the expected result that it states at some of its moves, -1 at the others."""
    if number % 5 != 2:
        return -1.0
    thought = think(dealer.game, dealer.position, dealer.seat(), seed=number)
    return round(thought.expected[mine], 4)


def _rival(row: Row) -> Rival:
    if row.rival == OPENSPIEL:
        return openspiel(row.seconds or 0.1)
    looks = Budget(looks=SKILLS[row.game].looks)
    if row.rival == ITSELF:
        return machine(looks)
    if row.rival.startswith("level"):
        return machine(looks, int(row.rival.removeprefix("level ")))
    return RIVALS[row.rival]


def is_decided(row: Row, won: float, played: int) -> bool:
    """Say whether a row needs no more games: it is surely above or below what is wanted."""
    if played >= MOST_GAMES or row.rival == ITSELF:
        return played >= (GAMES_AGAINST_ITSELF if row.rival == ITSELF else MOST_GAMES)
    if not _speaks_against(row.wanted, won, played):
        return False
    above = won / played > row.wanted
    return not above or row.most >= 1.0 or _speaks_against(row.most, won, played)


def _speaks_against(share: float, won: float, played: int) -> bool:
    """Compare a count with a share by a test that may be read after every game.

    The likelihood of the count under any share, all equally likely, against that under this one:
    a martingale, so that it passes ``SURE`` by chance in 1 of 20 rows at most (Ville).
    """
    lost = played - won
    any_share = lgamma(won + 1) + lgamma(lost + 1) - lgamma(played + 2)
    this_share = won * log(share) + lost * log(1 - share)
    return any_share - this_share >= log(SURE)
