"""How well the machine plays: ``make evaluate PARTS=play``.

Every game is kept as soon as it is over, so that a run can be broken off and taken up. Seats are
swapped, a tie counts half, and a row ends early when its count is sure.
"""

from __future__ import annotations

import json
import os
import random
import sys
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass
from importlib.util import find_spec
from math import lgamma, log
from pathlib import Path
from typing import Any

from engine.game import Start
from engine.games import GAMES
from engine.play import Budget, think
from engine.play.dealing import Dealer
from engine.play.levels import SKILLS
from engine.record import find_set
from models.evaluate.harness import kept_rows, parser_of, reader_mark, wilson
from models.evaluate.play_rivals import RIVALS, Rival, by_chance, machine, openspiel

HEAD = """# How well the machine plays

Written by `make evaluate PARTS=play`; not by hand.
Ties count half (with more players: as a share of the first place); 95 % intervals after Wilson.
{seconds:g} second a move on one core against named rivals, about a tenth of a second of looks in
the other rows. A row ends after {most} games, or when a sequential test at 95 % has decided it.

| match | games | won | interval | wanted | |
|---|--:|--:|--:|--:|---|
"""
BINS = 10
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


# --- Matches ---


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


# --- The table ---


class Count:
    """What is known of a row."""

    def __init__(self, row: Row) -> None:
        self.row = row
        self.results: dict[str, dict[str, Any]] = {}
        self.given = 0
        """Games that were handed out, or kept from before."""

    @property
    def won(self) -> float:
        """How many games were won."""
        return float(sum(one["result"] for one in self.results.values()))

    def next_game(self) -> int | None:
        """Return the number of a game to play, unless the row is decided."""
        if self.given >= MOST_GAMES or is_decided(self.row, self.won, len(self.results)):
            return None
        self.given += 1
        return self.given - 1


def played(path: Path, wanted: list[Row], workers: int, minutes: float | None) -> list[Count]:
    """Play what is missing, row by row in turn, and return the counts."""
    counts = [Count(row) for row in wanted]
    _take_up(path, counts)
    ends_at = None if minutes is None else time.monotonic() + 60 * minutes
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as kept, ProcessPoolExecutor(workers) as pool:
        games = _games(counts, ends_at)
        running: dict[Future[dict[str, Any]], Count] = {}
        while True:
            while len(running) < workers and (game := next(games, None)) is not None:
                count, number = game
                running[pool.submit(play_one, count.row, number)] = count
            if not running:
                return counts
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                result = done.result()
                running.pop(done).results[result["task"]] = result
                kept.write(json.dumps({"mark": reader_mark(), **result}) + "\n")
                kept.flush()


def _games(counts: list[Count], ends_at: float | None) -> Iterator[tuple[Count, int]]:
    """Yield games to play, one of each row that is not decided yet, round after round."""
    while any(True for count in counts if count.given < MOST_GAMES):
        begun = False
        for count in counts:
            if ends_at is not None and time.monotonic() >= ends_at:
                return
            number = count.next_game()
            if number is not None:
                begun = True
                yield count, number
        if not begun:
            return


def _take_up(path: Path, counts: list[Count]) -> None:
    """Enter the games that were kept by the same player."""
    by_name = {count.row.name: count for count in counts}
    for result in kept_rows(path):
        count = by_name.get(result["row"])
        if count is not None and result["mark"] == reader_mark():
            count.results[result["task"]] = result
    for count in counts:
        count.given = len(count.results)


def table(counts: list[Count], seconds: float) -> str:
    """Return the page of all rows that have games."""
    lines = [HEAD.format(seconds=seconds, most=MOST_GAMES)]
    for count in counts:
        games = len(count.results)
        if not games or count.row.rival == ITSELF:
            continue
        row, share = count.row, count.won / games
        low, high = wilson(round(count.won), games)
        wanted = f"{row.wanted:.0%}" + (f" to {row.most:.0%}" if row.most < 1 else "")
        falls = "" if row.wanted <= share <= row.most else "falls short"
        if share > row.most:
            falls = "too far apart"
        interval = f"{low:.1%} to {high:.1%}"
        lines.append(f"| {row.name} | {games} | {share:.1%} | {interval} | {wanted} | {falls} |\n")
    lines.append("\n" + calibration(counts))
    return "".join(lines)


def calibration(counts: list[Count]) -> str:
    """Return how far the stated results lie from how games ended."""
    pairs = [
        (stated, one["result"])
        for count in counts
        for one in count.results.values()
        for stated in one["stated"]
    ]
    if not pairs:
        return "No expected results were stated.\n"
    bins: dict[int, list[tuple[float, float]]] = {}
    for stated, result in pairs:
        bins.setdefault(min(BINS - 1, int(stated * BINS)), []).append((stated, result))
    error = 0.0
    rows_of_bins = ["| stated | times | on average | ended |\n|---|--:|--:|--:|\n"]
    for number in sorted(bins):
        inside = bins[number]
        stated = sum(one[0] for one in inside) / len(inside)
        ended = sum(one[1] for one in inside) / len(inside)
        error += abs(stated - ended) * len(inside) / len(pairs)
        low, high = number / BINS, (number + 1) / BINS
        rows_of_bins.append(
            f"| {low:.0%} to {high:.0%} | {len(inside)} | {stated:.1%} | {ended:.1%} |\n"
        )
    falls = "" if error <= 0.05 else " (falls short)"
    return (
        f"Expected results that it stated {len(pairs)} times, against how the games ended: "
        f"calibration error {error:.1%}, wanted at most 5 %{falls}.\n\n" + "".join(rows_of_bins)
    )


def main(arguments: list[str] | None = None) -> int:
    """Play the rows and print the table."""
    parser = parser_of("play", __doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="a move against named rivals")
    parser.add_argument("--only", metavar="WORD", help="rows whose name has this in it")
    parser.add_argument("--minutes", type=float, help="begin no game after so long")
    parser.add_argument(
        "--to", type=Path, metavar="FILE", help="write the table there: models/PLAY.md"
    )
    asked = parser.parse_args(arguments)
    wanted = [row for row in rows(asked.seconds) if not asked.only or asked.only in row.name]
    if find_spec("pyspiel") is None:
        wanted = [row for row in wanted if row.rival != OPENSPIEL]
        sys.stderr.write("OpenSpiel is not installed (pip install '.[rivals]'): its rows wait\n")
    path = asked.out / "play.jsonl"
    counts = played(path, wanted, asked.workers or os.cpu_count() or 1, asked.minutes)
    page = table(counts, asked.seconds)
    sys.stdout.write(page)
    if asked.to:
        asked.to.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
