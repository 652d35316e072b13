"""People in the kept games: whose a seat was, and what the games say about each person."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from statistics import fmean
from typing import Any

from companion_app.games.people import person
from companion_app.web.serving.exchange import Doc
from companion_app.web.speech import LANGUAGES, Speech, catalogue

MOST_SEATS = 9
"""Above the number of players of any game."""


def person_of(player: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return the person who sat in a seat of a kept game; empty for nobody.

    Nobody is who was called by the colour, or by a number, as seats without a name are.
    """
    id_, named = player["id"], not player["coloured"]
    name = person(id_, names, named)
    called = _numbered() if named else _colour_words(id_)
    return "" if name.casefold() in called else name


@cache
def _numbered() -> frozenset[str]:
    patterns = [catalogue(code)["page"]["player-n"] for code in LANGUAGES]
    numbers = range(1, MOST_SEATS + 1)
    return frozenset(one.format(n=n).casefold() for one in patterns for n in numbers)


@cache
def _colour_words(colour: str) -> frozenset[str]:
    return frozenset(Speech(code).colour(colour).casefold() for code in LANGUAGES)


# --- statistics ----------------------------------------------------------------------------------


def counted(games: Iterable[Doc]) -> list[Doc]:
    """Return the games that count in statistics: finished, and not of the demo table."""
    return [game for game in games if game["ended"] and not game["demo"]]


def by_person(games: Iterable[Doc], only: str = "") -> Doc:
    """Return what kept games say about each person, who wins most first.

    Args:
        games: the kept games, the newest first.
        only: the game that counts; empty for all. People who have not played it are left out.
    """
    own = [game for game in games if not game["demo"]]
    listed = counted(own)
    chosen = [game for game in listed if only in ("", game["game"])]
    known = {name: Tally() for game in own for name in _people(game) if not only}
    for game in chosen:
        for name, player in _people(game).items():
            known.setdefault(name, Tally()).add(game, player)
    people = [tally.told(name) for name, tally in known.items()]
    people.sort(key=lambda one: (-one["won"], -one["games"], one["name"]))
    titles = {game["game"]: game["title"] for game in listed}
    return {"players": people, "played": [{"game": g, "title": t} for g, t in titles.items()]}


def _people(game: Doc) -> dict[str, Doc]:
    return {player["person"]: player for player in game["players"] if player["person"]}


class Tally:
    """What the games of one person come to."""

    def __init__(self) -> None:
        self._games: dict[str, list[Doc]] = {}
        """The person's seat in each game, by the game's title."""
        self._against: dict[str, list[int]] = {}
        """By opponent: games together, games that only the person won, and that only they won."""

    def add(self, game: Doc, own: Doc) -> None:
        """Add a game in which the person had a seat."""
        self._games.setdefault(game["title"], []).append(own)
        for other in game["players"]:
            if other is own or not (other["person"] or other["machine"]):
                continue
            met = self._against.setdefault(other["person"] or other["name"], [0, 0, 0])
            met[0] += 1
            met[1] += own["winner"] and not other["winner"]
            met[2] += other["winner"] and not own["winner"]

    def told(self, name: str) -> Doc:
        """Return the sums: over all games, by game, and against whom."""
        seats = [seat for played in self._games.values() for seat in played]
        scores = {
            title: [seat["score"] for seat in played if seat["score"] is not None]
            for title, played in self._games.items()
        }
        met = sorted(self._against.items(), key=lambda one: (-one[1][0], one[0]))
        return {
            "name": name,
            "games": len(seats),
            "won": sum(seat["winner"] for seat in seats),
            "best": {title: max(some) for title, some in scores.items() if some},
            "average": {title: round(fmean(some), 1) for title, some in scores.items() if some},
            "fouls": sum(seat["fouls"] for seat in seats),
            "by_game": [
                {
                    "title": title,
                    "games": len(played),
                    "won": sum(seat["winner"] for seat in played),
                }
                for title, played in self._games.items()
            ],
            "against": [
                {"name": other, "games": games, "won": won, "lost": lost}
                for other, (games, won, lost) in met
            ],
        }
