"""Plays one tournament, with everything that happens to tournaments, and counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from random import Random

from companion_app.hall.tournament.history import pasts
from companion_app.hall.tournament.model import Tournament
from companion_app.hall.tournament.past import WHOLE, Past, meetings
from companion_app.hall.tournament.rounds import to_pair
from companion_app.hall.tournament.standings import points_of
from companion_app.hall.tournament.tables import repeats
from tests.tournaments.evening import ARBITER, Evening
from tests.tournaments.program import distance, its_pairing

GAMES = {2: "snekagon", 3: "sssnake", 4: "schlangennest", 5: "snekagon5g"}
AGAIN = 1_000_000
LARGE = 20
"""Every twentieth tournament has more than 64 players."""


def simulated(number: int, command: str | None = None) -> Counter[str]:
    """Return the counts of one tournament; the same number plays the same one.

    Args:
        number: odd ones are for two at a table, even ones for three to five.
        command: where bbpPairings lies; without it nothing is compared.
    """
    chance = Random(number)
    size = 2 if number % 2 else (3, 4, 5)[number // 2 % 3]
    large = number % LARGE in (7, 14) and number % (2 * LARGE) < LARGE
    players = chance.randint(65, 160) if large else chance.randint(8, 64)
    rounds = chance.randint(3, 7)
    evening = Evening({"size": size, "game": GAMES[size], "rounds": rounds}, players)
    for _ in range(chance.choice((0, 0, 1, 2))):
        pair = chance.sample(sorted(evening.now.players), 2)
        evening.do("forbid", ARBITER, players=pair)
    skill = {player: chance.gauss(0, 1) for player in evening.now.players}
    counts = Counter({"tournaments": 1, "above 64": int(large)})
    for _ in range(rounds):
        _unrest(evening, chance, skill)
        before = evening.now
        evening.begin(chance.randrange(1 << 30))
        _count_round(counts, before, evening.now, command)
        _forfeits(evening, chance)
        evening.play(chance, skill, draws=0.1)
    _count_end(counts, evening.now)
    return counts


def _unrest(evening: Evening, chance: Random, skill: dict[str, float]) -> None:
    """Let some come late, leave, come back or sit a round out."""
    here = [player.id for player in to_pair(evening.now)]
    away = [player.id for player in evening.now.players.values() if not player.here]
    if chance.random() < 0.2:
        late = evening.enter(f"Late {len(evening.now.players)}")
        skill[late] = chance.gauss(0, 1)
    if chance.random() < 0.2 and len(here) > 8:
        evening.do("leave", ARBITER, player=chance.choice(here))
    if away and chance.random() < 0.3:
        evening.do("check-in", ARBITER, player=chance.choice(away))
    if chance.random() < 0.2 and len(here) > 8:
        number = len(evening.now.rounds) + 1
        evening.do("sit-out", ARBITER, player=chance.choice(here), round=number)


def _forfeits(evening: Evening, chance: Random) -> None:
    for table in evening.tables:
        if chance.random() < 0.01:
            player = chance.choice(table.players)
            evening.do("forfeit", ARBITER, "did not come", table=table.number, player=player)


def _count_round(
    counts: Counter[str], before: Tournament, after: Tournament, command: str | None
) -> None:
    here = [player.id for player in to_pair(before)]
    known = pasts(before, here)
    met = meetings(known)
    round_ = after.rounds[-1]
    tables = [table.players for table in round_.tables]
    again = repeats(tables, met)
    kind = "two" if before.settings.size == 2 else "more"
    counts[f"{kind}: rounds"] += 1
    counts[f"{kind}: tables"] += len(tables)
    counts[f"{kind}: meetings again"] += again
    counts[f"{kind}: forbidden"] += sum(
        any(pair <= set(table) for pair in before.forbidden) for table in tables
    )
    _count_byes(counts, kind, known, round_.byes)
    if kind == "two":
        counts["two: avoidable"] += bool(again) and avoidable(known, before)
        if command:
            _compare(counts, before, tables, again, its_pairing(command, before), met)
        return
    sizes = [len(table) for table in tables]
    points = points_of(before).totals
    spread = [max(points[p] for p in t) - min(points[p] for p in t) for t in tables]
    counts["more: hundredths of spread"] += round(100 * float(sum(spread)))
    counts["more: short"] += sum(size < before.settings.size for size in sizes)


def _count_byes(
    counts: Counter[str], kind: str, known: Sequence[Past], byes: Sequence[str]
) -> None:
    had = {past.player: past.byes for past in known}
    free = any(not times for times in had.values())
    counts[f"{kind}: byes"] += len(byes)
    counts[f"{kind}: second byes"] += sum(had[player] > 0 for player in byes if free)


def _compare(
    counts: Counter[str],
    before: Tournament,
    tables: Sequence[tuple[str, ...]],
    again: int,
    theirs: list[tuple[str, ...]] | None,
    met: dict[frozenset[str], int],
) -> None:
    if theirs is None:
        counts["bbp: none"] += 1
        counts["bbp: again there"] += again
        return
    counts["bbp: rounds"] += 1
    counts["bbp: our again"] += again
    counts["bbp: its again"] += repeats(theirs, met)
    counts["bbp: least distance"] += least_distance(before)
    counts["bbp: our distance"] += int(2 * distance(tables, before))
    counts["bbp: its distance"] += int(2 * distance(theirs, before))
    counts["bbp: our seats"] += _out(tables, before)
    counts["bbp: its seats"] += _out(theirs, before)


def _out(tables: Sequence[Sequence[str]], before: Tournament) -> int:
    """Return how many players would start twice more or less often than they sit second."""
    known = {past.player: past for past in pasts(before, before.players)}
    return sum(
        known[player].seat_cost(seat, 2)[0] > 0
        for table in tables
        if len(table) == 2
        for seat, player in enumerate(table)
    )


def avoidable(known: Sequence[Past], before: Tournament) -> bool:
    """Return whether everybody could have met somebody new: a matching of new pairs alone."""
    pairs = {pair: 0 for pair, times in _pairs(known, before).items() if not times}
    return 2 * len(_matching(len(known), pairs)) >= len(known)


def least_distance(before: Tournament) -> int:
    """Return the least distance in half points that a round with fewest meetings again can have.

    Seats are left out of it: what they cost is the difference to what was paired.
    """
    known = pasts(before, (player.id for player in to_pair(before)))
    half = [int(2 * past.score) for past in known]
    pairs = _pairs(known, before)
    costs = {
        (i, j): AGAIN * times**2 + (abs(half[i] - half[j]) if j < len(known) else 0)
        for (i, j), times in pairs.items()
    }
    return sum(costs[pair] for pair in _matching(len(known), costs)) % AGAIN


def _pairs(known: Sequence[Past], before: Tournament) -> dict[tuple[int, int], int]:
    """Return how often all who may be paired have met; the last number stands for the bye."""
    met = meetings(known)
    pairs = {
        (i, j): met.get(frozenset((known[i].player, known[j].player)), 0)
        for i, j in combinations(range(len(known)), 2)
        if frozenset((known[i].player, known[j].player)) not in before.forbidden
    }
    if len(known) % 2:
        pairs |= {(i, len(known)): past.byes for i, past in enumerate(known)}
    return pairs


def _matching(players: int, costs: dict[tuple[int, int], int]) -> list[tuple[int, int]]:
    import rustworkx

    graph = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from(range(players + players % 2))
    most = max(costs.values(), default=0) + 1
    graph.add_edges_from([(i, j, most - cost) for (i, j), cost in costs.items()])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)
    return [(min(pair), max(pair)) for pair in found]


def _count_end(counts: Counter[str], after: Tournament) -> None:
    kind = "two" if after.settings.size == 2 else "more"
    for past in pasts(after, after.players):
        rounds = sum(past.seats)
        away = [abs(WHOLE * n - share) for n, share in zip(past.seats, past.shares, strict=True)]
        counts[f"{kind}: players"] += 1
        counts[f"{kind}: starts"] += past.seats[0]
        counts[f"{kind}: seats taken"] += rounds
        counts[f"{kind}: every seat within one"] += max(away) < WHOLE
        counts[f"{kind}: start seat within one"] += away[0] < WHOLE
