"""Exports: CSV that is safe from formula injection, and plays for Board Game Stats."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from companion_app.hall.tournament.model import Round, Table, Tournament
from companion_app.hall.tournament.standings import number_in_words, standings
from companion_app.hall.tournament.view import names
from companion_app.web.bgstats import play_file
from engine.games import GAMES

FORMULA = ("=", "+", "-", "@", "|", "%", "＝", "＋", "－", "＠")
"""Beginnings of cells that a spreadsheet takes for formulas, full-width characters included."""


def safe_cell(text: str) -> str:
    """Return a text that a spreadsheet shows and never evaluates."""
    risky = text.lstrip().startswith(FORMULA) or text.startswith(("'", "\t", "\r", "\n"))
    return f"'{text}" if risky else text


def standings_csv(tournament: Tournament, language: str = "en", staff: bool = False) -> str:
    """Return the standings as CSV, with a byte order mark for spreadsheets."""
    called = names(tournament, language, staff)
    kinds = tournament.settings.tie_breaks
    head = ["rank", "player", "group", "points", *kinds, "played"]
    rows = [
        [
            str(row.rank),
            called[row.player],
            tournament.players[row.player].group,
            number_in_words(row.points),
            *map(number_in_words, row.breaks),
            str(row.played),
        ]
        for row in standings(tournament)
    ]
    return _csv([head, *rows], numbers=(0, 3, *range(4, 5 + len(kinds))))


def results_csv(tournament: Tournament, language: str = "en", staff: bool = False) -> str:
    """Return every result as CSV, one line for each player at a table."""
    called = names(tournament, language, staff)
    rows = [["round", "table", "seat", "player", "score", "winner", "forfeit", "source"]]
    for round_, table in _tables(tournament):
        for seat, player in enumerate(table.players, start=1):
            result = table.result
            score = result.scores.get(player) if result else None
            rows.append(
                [
                    str(round_.number),
                    str(table.number),
                    str(seat),
                    called[player],
                    "" if score is None else str(score),
                    "1" if result and player in result.winners else "0",
                    "1" if player in table.forfeits else "0",
                    result.source if result else "",
                ]
            )
    return _csv(rows, numbers=(0, 1, 2, 4, 5, 6))


def bg_stats(tournament: Tournament, key: str, staff: bool = False) -> list[dict[str, Any]]:
    """Return a play for Board Game Stats of every table that was really played.

    Args:
        tournament: closed rounds and open ones; only results that stand are taken.
        key: the hall's id of the tournament, so that importing twice makes no second play.
        staff: whether full names are given.
    """
    called = names(tournament, staff=staff)
    plays = []
    for round_, table in _tables(tournament):
        if table.done and table.result is not None and len(table.playing) >= 2:
            began_s = round_.clock.started_s if round_.clock else 0.0
            length_s = round_.clock.length_s if round_.clock else 0.0
            scores, winners = table.result.scores, table.result.winners
            plays.append(
                play_file(
                    {
                        "key": f"{key}:{round_.number}:{table.number}",
                        "game": tournament.settings.game,
                        "title": GAMES[tournament.settings.game].facts.title,
                        "began_s": began_s,
                        "ended_s": began_s + length_s,
                        "players": [
                            {
                                "id": player,
                                "name": called[player],
                                "score": scores.get(player),
                                "winner": player in winners,
                                "word": "",
                            }
                            for player in table.playing
                        ],
                    }
                )
            )
    return plays


def _tables(tournament: Tournament) -> Iterable[tuple[Round, Table]]:
    return ((round_, table) for round_ in tournament.rounds for table in round_.tables)


def _csv(rows: Sequence[Sequence[str]], numbers: Sequence[int]) -> str:
    """Return CSV; cells outside the ``numbers`` columns are made safe from formula injection."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    for row in rows:
        writer.writerow([cell if n in numbers else safe_cell(cell) for n, cell in enumerate(row)])
    return "\ufeff" + out.getvalue()
