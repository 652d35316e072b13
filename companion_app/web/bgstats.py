"""Exports a finished game to the app Board Game Stats, as a ``.bgsplay`` file.

The format was taken from programs that work with the app. Every boolean is required, scores
are text, and ids are derived from ours, so that a second import creates no duplicate.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import NAMESPACE_URL, uuid5

ABOUT = "This is a Play file that can be read by Board Game Stats."


def play_file(game: dict[str, Any]) -> dict[str, Any]:
    """Return a ``.bgsplay`` document.

    Args:
        game: ``key``, ``game``, ``title``, ``began_s``, ``ended_s``, ``players`` with ``id``,
            ``name``, ``score``, ``winner`` and ``word``.
    """
    when = _when(game["began_s"])
    entered = _when(game["ended_s"])
    ranks = _ranks(game["players"])
    return {
        "about": ABOUT,
        "userInfo": {"meRefId": 0},
        "games": [
            {
                "id": 1,
                "uuid": _uuid("game", game["game"]),
                "name": game["title"],
                "bggId": 0,
                "bggName": "",
                "bggYear": 0,
                "highestWins": True,
                "noPoints": False,
                "cooperative": False,
                "usesTeams": False,
                "modificationDate": entered,
            }
        ],
        "players": [
            {
                "id": number,
                "uuid": _uuid("player", player["name"]),
                "name": player["name"],
                "isAnonymous": False,
                "bggUsername": "",
                "modificationDate": entered,
            }
            for number, player in enumerate(game["players"], start=1)
        ],
        "locations": [],
        "plays": [
            {
                "uuid": _uuid("play", game["key"]),
                "gameRefId": 1,
                "locationRefId": 0,
                "playDate": when,
                "playDateYmd": int(when[:10].replace("-", "")),
                "entryDate": entered,
                "modificationDate": entered,
                "durationMin": _minutes(game),
                "rounds": 0,
                "ignored": False,
                "manualWinner": False,
                "usesTeams": False,
                "scoringSetting": 0,
                "board": "",
                "comments": "Snake Eye",
                "playerScores": [
                    {
                        "playerRefId": number,
                        "score": _score(player),
                        "winner": player["winner"],
                        "newPlayer": False,
                        "startPlayer": number == 1,
                        "rank": ranks[player["id"]],
                        "seatOrder": number,
                        "role": player["word"],
                        "metaData": "{}",
                    }
                    for number, player in enumerate(game["players"], start=1)
                ],
            }
        ],
    }


def _uuid(kind: str, name: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"snake-eye:{kind}:{name}"))


def _when(seconds: float) -> str:
    """Return a time as the clock on the wall shows it: a play belongs to its evening."""
    return datetime.fromtimestamp(seconds, UTC).astimezone().strftime("%Y-%m-%d %H:%M:%S")


def _minutes(game: dict[str, Any]) -> int:
    return max(0, int((game["ended_s"] - game["began_s"]) // 60))


def _score(player: dict[str, Any]) -> str:
    return "" if player["score"] is None else str(player["score"])


def _ranks(players: list[dict[str, Any]]) -> dict[str, int]:
    scores = [p["score"] for p in players if p["score"] is not None]
    return {
        p["id"]: 1 + (len(scores) if p["score"] is None else sum(s > p["score"] for s in scores))
        for p in players
    }
