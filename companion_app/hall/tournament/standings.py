"""Live standings: points, then the tie-breaks of the settings, each with its value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from companion_app.hall.tournament.model import Round, Tournament
from companion_app.hall.tournament.points import bye_points, shares, table_points
from companion_app.hall.tournament.words import say


@dataclass(frozen=True, slots=True)
class Points:
    """What everybody has earned, round by round."""

    totals: Mapping[str, Fraction]
    by_round: Mapping[str, tuple[Fraction, ...]]
    provisional: frozenset[str]
    """Players one of whose results is not confirmed yet."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the standings."""

    rank: int
    """Shared by all who are level in everything."""
    player: str
    points: Fraction
    breaks: tuple[Fraction, ...]
    """The tie-breaks in the order of the settings."""
    played: int
    provisional: bool


def points_of(tournament: Tournament) -> Points:
    """Return everybody's points so far."""
    earned: dict[str, list[Fraction]] = {player: [] for player in tournament.players}
    provisional: set[str] = set()
    for round_ in tournament.rounds:
        byes = _byes_of(round_)
        got = dict.fromkeys(byes, bye_points(tournament.settings)) if byes else {}
        for table in round_.tables:
            got.update(table_points(tournament.settings, table))
            if table.result is not None and not table.done:
                provisional.update(table.players)
        for player, every in earned.items():
            every.append(got.get(player, Fraction(0)))
    totals = {player: sum(every, Fraction(0)) for player, every in earned.items()}
    by_round = {player: tuple(every) for player, every in earned.items()}
    return Points(totals, by_round, frozenset(provisional))


def standings(tournament: Tournament, group: str | None = None) -> list[Row]:
    """Return the standings of a group, or of everybody who has played or is there."""
    points = points_of(tournament)
    people = [
        player.id
        for player in tournament.players.values()
        if (group is None or player.group == group) and (player.from_round or player.here)
    ]
    numbers = Breaks(tournament, points)
    keyed = {p: (points.totals[p], *numbers.of(p)) for p in people}
    keyed = _with_direct(tournament, keyed)
    order = sorted(people, key=lambda player: keyed[player], reverse=True)
    rows: list[Row] = []
    for place, player in enumerate(order, start=1):
        level = rows and keyed[player] == keyed[rows[-1].player]
        rows.append(
            Row(
                rows[-1].rank if level else place,
                player,
                keyed[player][0],
                keyed[player][1:],
                numbers.played(player),
                player in points.provisional,
            )
        )
    return rows


class Breaks:
    """The tie-breaks of a tournament, each computed when asked for."""

    def __init__(self, tournament: Tournament, points: Points) -> None:
        self._settings = tournament.settings
        self._points = points
        self._tables = {
            player: [table for one in tournament.rounds if (table := one.table_of(player))]
            for player in tournament.players
        }
        self._byes = {
            player: sum(player in _byes_of(one) for one in tournament.rounds)
            for player in tournament.players
        }

    def played(self, player: str) -> int:
        """Return at how many tables a player has a result."""
        return sum(t.result is not None and player in t.playing for t in self._tables[player])

    def of(self, player: str) -> tuple[Fraction, ...]:
        """Return a player's tie-breaks in the order of the settings; direct meetings come later."""
        found: Mapping[str, Callable[[str], Fraction]] = {
            "share": self._share,
            "score": self._score,
            "wins": self._wins,
            "buchholz": self._buchholz,
            "buchholz-cut": self._buchholz_cut,
            "sonneborn": self._sonneborn,
            "direct": lambda _: Fraction(0),
        }
        return tuple(found[name](player) for name in self._settings.tie_breaks)

    def _share(self, player: str) -> Fraction:
        every = (shares(table, self._settings.most) for table in self._tables[player])
        return sum((one.get(player, Fraction(0)) for one in every), Fraction(0))

    def _score(self, player: str) -> Fraction:
        results = [t.result for t in self._tables[player] if t.result and player in t.playing]
        return Fraction(sum(result.scores.get(player) or 0 for result in results))

    def _wins(self, player: str) -> Fraction:
        results = [t.result for t in self._tables[player] if t.result and len(t.playing) > 1]
        return Fraction(sum(player in result.winners for result in results))

    def _opponents(self, player: str) -> list[Fraction]:
        """Return for each round the opponents' mean points; for a bye the player's own points."""
        means = [self._points.totals[player]] * self._byes[player]
        played = [table for table in self._tables[player] if table.result is not None]
        for table in played:
            others = [other for other in table.playing if other != player]
            if player in table.playing and others:
                met = sum((self._points.totals[other] for other in others), Fraction(0))
                means.append(met / len(others))
            elif player in table.playing:
                means.append(self._points.totals[player])
        return means

    def _buchholz(self, player: str) -> Fraction:
        return sum(self._opponents(player), Fraction(0))

    def _buchholz_cut(self, player: str) -> Fraction:
        means = self._opponents(player)
        return sum(means, Fraction(0)) - min(means, default=Fraction(0))

    def _sonneborn(self, player: str) -> Fraction:
        total = Fraction(0)
        for table in self._tables[player]:
            earned = table_points(self._settings, table)
            for other in table.playing:
                if earned and other != player and player in table.playing:
                    worth = 1 if earned[player] > earned[other] else Fraction(1, 2)
                    if earned[player] >= earned[other]:
                        total += self._points.totals[other] * worth
        return total


def _byes_of(round_: Round) -> tuple[str, ...]:
    """Return who has a bye that counts: one of a round that was started."""
    return () if round_.stage == "paired" else round_.byes


def _with_direct(
    tournament: Tournament, keyed: Mapping[str, tuple[Fraction, ...]]
) -> dict[str, tuple[Fraction, ...]]:
    """Fill in the points of level players against one another, where all of them have met."""
    names = tournament.settings.tie_breaks
    if "direct" not in names:
        return dict(keyed)
    at = names.index("direct") + 1
    groups: dict[tuple[Fraction, ...], list[str]] = {}
    for player, key in keyed.items():
        groups.setdefault(key[:at], []).append(player)
    filled = dict(keyed)
    for level in groups.values():
        for player, earned in _against(tournament, level).items():
            filled[player] = (*keyed[player][:at], earned, *keyed[player][at + 1 :])
    return filled


def _against(tournament: Tournament, level: Sequence[str]) -> dict[str, Fraction]:
    earned = dict.fromkeys(level, Fraction(0))
    met: set[frozenset[str]] = set()
    for table in (table for one in tournament.rounds for table in one.tables):
        here = [player for player in table.playing if player in earned]
        got = table_points(tournament.settings, table)
        if len(here) > 1 and got:
            met |= {frozenset((a, b)) for a in here for b in here if a != b}
            for player in here:
                earned[player] += got[player]
    everybody = len(met) == len(level) * (len(level) - 1) // 2
    return earned if len(level) > 1 and everybody else {}


def number_in_words(number: Fraction) -> str:
    """Return a number as people write it: whole, or with at most three decimals."""
    if number.denominator == 1:
        return str(number)
    return f"{float(number):.3f}".rstrip("0").rstrip(".")


def tie_breaks_in_words(tournament: Tournament, language: str) -> list[str]:
    """Return a sentence for each tie-break that the settings name, in their order."""
    keys = (f"break-{name}" for name in tournament.settings.tie_breaks)
    return [say(language, key, size=tournament.settings.most) for key in keys]


def why_ahead(
    tournament: Tournament, ahead: Row, behind: Row, names: Mapping[str, str], language: str
) -> str:
    """Return in words why one player stands before another, or that they are level."""
    people = {"one": names[ahead.player], "two": names[behind.player]}
    if ahead.points != behind.points:
        return say(
            language,
            "ahead-by-points",
            **people,
            a=number_in_words(ahead.points),
            b=number_in_words(behind.points),
        )
    for name, mine, theirs in zip(
        tournament.settings.tie_breaks, ahead.breaks, behind.breaks, strict=True
    ):
        if mine != theirs:
            return say(
                language,
                "ahead-by-break",
                **people,
                a=number_in_words(mine),
                b=number_in_words(theirs),
                what=say(language, f"short-{name}"),
            )
    return say(language, "level", **people)
