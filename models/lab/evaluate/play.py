"""How well the machine plays: ``make evaluate PARTS=play``.

Every game is kept as soon as it is over, so that a run can be broken off and taken up. Seats are
swapped, a tie counts half, and a row ends early when its count is sure.
"""

from __future__ import annotations

import hashlib
import itertools
import random
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from math import lgamma, log
from pathlib import Path

from engine.game import Move, Start
from engine.games import GAMES
from engine.play import Budget, think
from engine.play.dealing import Dealer
from engine.play.levels import SKILLS
from engine.record import find_set
from models.lab.evaluate.harness import every_row, kept_rows, mark_of, parser_of, wilson
from models.lab.evaluate.play_rivals import RIVALS, Rival, by_chance, machine
from models.lab.scenes.world.arrays import Json

HEAD = """# How well the machine plays

Written by `make evaluate PARTS=play`; not by hand.
Ties count half (with more players: as a share of the first place); 95 % intervals after Wilson.
{seconds:g} second a move on one core against named rivals, about a tenth of a second of looks in
the other rows. A row ends after {most} games, or when a sequential test at 95 % has decided it.

| match | games | won | interval | wanted | |
|---|--:|--:|--:|--:|---|
"""
BINS = 10
MOST_GAMES, GAMES_AT_A_TIME = 200, 8
SURE = 20.0
"""Bayes factor against the wanted share at which a row ends: 95 % sure at any time."""
ITSELF = "itself"
"""Rows against itself only measure stated results, which suppose an equal opponent."""
STATED_EVERY, STATED_FIRST = 5, 2
"""Interval and first number of the machine's moves at which it states what it expects."""
LONGEST_OPENING = 3
"""Most random opening moves per seat in games against itself: where nothing is drawn, the machine
would play the same game every time."""


# --- Matches ---


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table."""

    game: str
    rival: str
    """A rival's name, itself, or ``level N``."""
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
    found += [
        Row(game, "random", 0.90 if GAMES[game].facts.hidden else 0.98, seconds=seconds)
        for game in games
    ]
    for seats in (3, 4):
        for game, times in (
            ("schlangennest", 1.6),
            ("snekagon5g", 1.6),
            ("sssnake", 1.25),
            ("carnival", 1.25),
        ):
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


def play_one(task: str, row: Row) -> Json:
    """Play the game of a row that ``task`` names and numbers; the machine's seat rotates."""
    number = int(task.rpartition(" ")[2])
    rng = random.Random(task)
    players = players_of(row)
    mine = players[number % len(players)]
    dealer = dealer_of(row.game, players, rng)
    budget = Budget(seconds=row.seconds) if row.seconds else Budget(looks=SKILLS[row.game].looks)
    first, other = machine(budget, row.level), _rival(row)
    stated: list[float] = []
    turns = itertools.count()
    if row.rival == ITSELF:
        open_by_chance(dealer, rng)

    def chosen() -> Move:
        if dealer.position.to_move != mine:
            return other(dealer, rng)
        if row.rival == ITSELF and (turn := next(turns)) % STATED_EVERY == STATED_FIRST:
            thought = think(dealer.game, dealer.position, dealer.seat(), seed=turn)
            stated.append(round(thought.expected[mine], 4))
        return first(dealer, rng)

    ends = play_out(dealer, chosen)
    return {"result": ends[mine], "stated": stated, "plies": len(dealer.moves_made)}


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


def open_by_chance(dealer: Dealer, rng: random.Random) -> None:
    """Make some random first moves, so that games against itself differ."""
    for _ in range(rng.randrange(LONGEST_OPENING * len(dealer.position.players) + 1)):
        while dealer.turn_up() is not None:
            pass
        if not dealer.is_over:
            dealer.make(by_chance(dealer, rng))


def _rival(row: Row) -> Rival:
    looks = Budget(looks=SKILLS[row.game].looks)
    if row.rival == ITSELF:
        return machine(looks)
    if row.rival.startswith("level"):
        return machine(looks, int(row.rival.removeprefix("level ")))
    return RIVALS[row.rival]


def is_decided(row: Row, won: float, played: int) -> bool:
    """Say whether a row needs no more games: it is surely above or below what is wanted."""
    if played >= MOST_GAMES or row.rival == ITSELF:
        return played >= MOST_GAMES
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


@dataclass(frozen=True)
class Count:
    """The results of a row."""

    row: Row
    results: Sequence[Json]

    @property
    def won(self) -> float:
        """Number of games won; a shared first place counts as a share."""
        return float(sum(one["result"] for one in self.results))


def kept(folder: Path, row: Row) -> Count:
    """Return the games of a row that were played before."""
    found = {one["key"]: one for one in kept_rows(_file(folder, row)) if one["mark"] == _mark(row)}
    return Count(row, tuple(found.values()))


def played(folder: Path, row: Row, workers: int) -> Count:
    """Play what is missing of a row, some games at a time until it is decided."""
    count = Count(row, ())
    while not is_decided(row, count.won, len(count.results)):
        games = min(len(count.results) + GAMES_AT_A_TIME, MOST_GAMES)
        tasks = [f"{row.name} {number}" for number in range(games)]
        work = partial(play_one, row=row)
        rows = every_row(_file(folder, row), tasks, work, workers, _mark(row))
        count = Count(row, rows)
    return count


def _file(folder: Path, row: Row) -> Path:
    return folder / f"{row.name}.jsonl"


def _mark(row: Row) -> str:
    """Return a hash of what the games of a row depend on.

    Of the levels this is only those of the row's own game; curves change what is stated, not what
    is played.
    """
    others = ("levels.py",) if row.rival == ITSELF else ("levels.py", "curves.json")
    skill = hashlib.blake2b(repr(SKILLS[row.game]).encode(), digest_size=3)
    return mark_of("engine", without=others) + skill.hexdigest()


def table(counts: Sequence[Count], seconds: float) -> str:
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


def calibration(counts: Sequence[Count]) -> str:
    """Return how well stated results agree with the ends of games, in words."""
    pairs = [
        (stated, one["result"])
        for count in counts
        for one in count.results
        for stated in one["stated"]
    ]
    if not pairs:
        return "No expected results were stated.\n"
    lines = ["| stated | times | on average | ended |\n|---|--:|--:|--:|\n"]
    for number, inside in sorted(binned(pairs).items()):
        stated, ended = (sum(side) / len(inside) for side in zip(*inside, strict=True))
        low, high = number / BINS, (number + 1) / BINS
        lines.append(f"| {low:.0%} to {high:.0%} | {len(inside)} | {stated:.1%} | {ended:.1%} |\n")
    off = error(pairs)
    falls = "" if off <= 0.05 else " (falls short)"
    return (
        f"Expected results that it stated {len(pairs)} times, against how the games ended: "
        f"calibration error {off:.1%}, wanted at most 5 %{falls}.\n\n" + "".join(lines)
    )


def binned(pairs: Iterable[tuple[float, float]]) -> dict[int, list[tuple[float, float]]]:
    """Return stated shares, each with how its game ended, in ten bins by what was stated."""
    bins: dict[int, list[tuple[float, float]]] = {}
    for stated, result in pairs:
        bins.setdefault(min(BINS - 1, int(stated * BINS)), []).append((stated, result))
    return bins


def error(pairs: Iterable[tuple[float, float]]) -> float:
    """Return the expected calibration error of stated shares, over ten bins."""
    bins = binned(pairs).values()
    apart = (abs(sum(s for s, _ in one) - sum(r for _, r in one)) for one in bins)
    return sum(apart) / max(sum(map(len, bins)), 1)


def main(arguments: list[str] | None = None) -> int:
    """Play the rows and print the table."""
    parser = parser_of("play", __doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="a move against named rivals")
    parser.add_argument("--only", metavar="WORD", help="rows whose name has this in it")
    parser.add_argument("--kept", action="store_true", help="count what was played, play nothing")
    parser.add_argument(
        "--to", type=Path, metavar="FILE", help="write the table there: models/PLAY.md"
    )
    asked = parser.parse_args(arguments)
    wanted = [row for row in rows(asked.seconds) if not asked.only or asked.only in row.name]
    folder = asked.out / "play"
    if asked.kept:
        counts = [kept(folder, row) for row in wanted]
    else:
        counts = [played(folder, row, asked.workers) for row in wanted]
    page = table(counts, asked.seconds)
    sys.stdout.write(page)
    if asked.to:
        asked.to.write_text(page, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
