"""How well the machine plays: ``make evaluate PARTS=play``.

Every game is kept as soon as it is over, so that a run can be broken off and taken up. Seats are
swapped, a tie counts half, and a row ends early when its count is sure.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import lgamma, log
from pathlib import Path

from engine.game import Move, Start
from engine.games import GAMES
from engine.play import Budget
from engine.play.dealing import Dealer
from engine.play.levels import SKILLS
from engine.record import find_set
from models.lab.evaluate.harness import every_row, mark_of, parser_of, say, wilson
from models.lab.evaluate.play_rivals import RIVALS, machine
from models.lab.scenes.world.arrays import Json

HEAD = """# How well the machine plays

Ties count half (with more players: as a share of the first place); 95 % intervals after Wilson.
{seconds:g} second a move on one core against named rivals, about a tenth of a second of looks in
the other rows. A row ends after {most} games, or when a sequential test at 95 % has decided it.

| match | games | won | interval | wanted | |
|---|--:|--:|--:|--:|---|
"""
MOST_GAMES, GAMES_AT_A_TIME = 200, 8
SURE = 20.0
"""Bayes factor against the wanted share at which a row ends: 95 % sure at any time."""


# --- Matches ---


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    game: str
    rival: str
    """A rival's name, or ``level N``."""
    wanted: float
    most: float = 1.0
    """Largest wanted share, which only rows of levels have."""
    seats: int = 2
    seconds: float | None = None
    """Time per move; without it a number of looks that takes about a tenth of a second."""
    level: int = 5

    @property
    def name(self) -> str:
        """Name of the row."""
        who = "" if self.level == 5 and not self.rival.startswith("level") else f" {self.level}"
        seats = f", {self.seats} players" if self.seats > 2 else ""
        return f"{self.game}{seats}:{' level' + who if who else ''} against {self.rival}"


def rows(seconds: float = 1.0) -> list[Row]:
    """Return all rows, those with a named rival first."""
    games = ("schlangennest", "snekagon", "snekagon5g", "sssnake", "carnival")
    named = [
        ("schlangennest", "greedy", 0.98),
        ("schlangennest", "greedy with open ends", 0.80),
        ("snekagon", "greedy", 0.92),
        ("snekagon", "greedy with mobility", 0.70),
        ("snekagon5g", "greedy", 0.80),
        ("sssnake", "greedy", 0.68),
        ("carnival", "greedy", 0.65),
    ]
    found = [Row(game, rival, wanted, seconds=seconds) for game, rival, wanted in named]
    for game in games:
        wanted = 0.90 if GAMES[game].facts.hidden else 0.98
        found.append(Row(game, "random", wanted, seconds=seconds))
    several = {"schlangennest": 1.6, "snekagon5g": 1.6, "sssnake": 1.25, "carnival": 1.25}
    found += [
        Row(game, "greedy", times / seats, seats=seats)
        for seats in (3, 4)
        for game, times in several.items()
    ]
    return found + [
        Row(game, f"level {level - 1}", 0.65, 0.85, level=level)
        for game in games
        for level in (2, 3, 4, 5)
    ]


def players_of(row: Row) -> tuple[str, ...]:
    """Return who sits at the table."""
    facts = GAMES[row.game].facts
    names = facts.player_names or ("a", "b", "c", "d")
    if facts.two_sit_opposite and row.seats == 2:
        return (names[0], names[2])
    return names[: row.seats]


def play_one(task: str, row: Row) -> Json:
    """Play the game of a row that ``task`` names and numbers; the machine's seat rotates."""
    number = int(task.rpartition(" ")[2])
    rng = random.Random(task)
    players = players_of(row)
    mine = players[number % len(players)]
    dealer = dealer_of(row.game, players, rng)
    looks = Budget(looks=SKILLS[row.game].looks)
    first = machine(Budget(seconds=row.seconds) if row.seconds else looks, row.level)
    level = row.rival.removeprefix("level ")
    other = RIVALS[row.rival] if level == row.rival else machine(looks, int(level))

    def chosen() -> Move:
        return (first if dealer.position.to_move == mine else other)(dealer, rng)

    ends = play_out(dealer, chosen)
    return {"result": ends[mine], "plies": len(dealer.moves_made)}


def dealer_of(name: str, players: tuple[str, ...], rng: random.Random) -> Dealer:
    """Return a new game on its own box."""
    return Dealer(GAMES[name], Start(players), find_set(GAMES[name], None), rng)


def play_out(dealer: Dealer, chosen: Callable[[], Move]) -> dict[str, float]:
    """Play a game to its end and return each player's share of the first place."""
    while not dealer.is_over:
        if dealer.turn_up() is not None:
            continue
        move = chosen()
        broken = dealer.game.judge(dealer.position, move).violations
        assert not broken, (move, broken)
        dealer.make(move)
    winners = dealer.game.outcome(dealer.position).winners
    return {who: (who in winners) / len(winners) for who in dealer.position.players}


def is_decided(row: Row, won: float, played: int) -> bool:
    """Say whether a row needs no more games: it is surely above or below what is wanted."""
    if played >= MOST_GAMES:
        return True
    if not _speaks_against(row.wanted, won, played):
        return False
    above = won / played > row.wanted
    return not above or row.most >= 1.0 or _speaks_against(row.most, won, played)


def _speaks_against(share: float, won: float, played: int) -> bool:
    """Say whether a count rejects a share, by a test that may be read after every game.

    The Bayes factor of a uniform prior on the share against this share is a martingale, so that it
    passes ``SURE`` by chance in 1 of 20 rows at most (Ville's inequality).
    """
    lost = played - won
    any_share = lgamma(won + 1) + lgamma(lost + 1) - lgamma(played + 2)
    this_share = won * log(share) + lost * log(1 - share)
    return any_share - this_share >= log(SURE)


# --- The table ---


def played(folder: Path, row: Row, workers: int) -> list[Json]:
    """Play what is missing of a row, some games at a time until it is decided."""
    # Of the levels a game depends on those of its own rule book alone.
    skill = hashlib.blake2b(repr(SKILLS[row.game]).encode(), digest_size=3)
    mark = mark_of("engine", without=("levels.py", "curves.json")) + skill.hexdigest()
    results: list[Json] = []
    while not is_decided(row, sum(one["result"] for one in results), len(results)):
        games = min(len(results) + GAMES_AT_A_TIME, MOST_GAMES)
        tasks = [f"{row.name} {number}" for number in range(games)]
        work = partial(play_one, row=row)
        results = every_row(folder / f"{row.name}.jsonl", tasks, work, workers, mark)
    return results


def line(row: Row, results: Sequence[Json]) -> str:
    """Return the table's line of a row."""
    games, won = len(results), float(sum(one["result"] for one in results))
    share, (low, high) = won / games, wilson(round(won), games)
    wanted = f"{row.wanted:.0%}" + (f" to {row.most:.0%}" if row.most < 1 else "")
    falls = "" if row.wanted <= share else "falls short"
    if share > row.most:
        falls = "too far apart"
    interval = f"{low:.1%} to {high:.1%}"
    return f"| {row.name} | {games} | {share:.1%} | {interval} | {wanted} | {falls} |"


def main(arguments: list[str] | None = None) -> int:
    """Play the rows and print the table."""
    parser = parser_of("play", __doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="a move against named rivals")
    parser.add_argument("--only", metavar="WORD", help="rows whose name has this in it")
    asked = parser.parse_args(arguments)
    sys.stdout.write(HEAD.format(seconds=asked.seconds, most=MOST_GAMES))
    for row in rows(asked.seconds):
        if not asked.only or asked.only in row.name:
            say(line(row, played(asked.out / "play", row, asked.workers)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
