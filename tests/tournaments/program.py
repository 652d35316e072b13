"""Asks bbpPairings, the Swiss program that federations use, for its pairing of the same round."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from companion_app.hall.tournament.model import Round, Tournament
from companion_app.hall.tournament.points import table_points
from companion_app.hall.tournament.rounds import to_pair
from companion_app.hall.tournament.standings import points_of

NAMES = ("bbpPairings", "bbpPairings.exe")
NO_PAIRING = 1


def program() -> str | None:
    """Return where the program lies: ``$BBPPAIRINGS`` or on the path."""
    given = os.environ.get("BBPPAIRINGS")
    return given or next(filter(None, map(shutil.which, NAMES)), None)


def its_pairing(command: str, tournament: Tournament) -> list[tuple[str, ...]] | None:
    """Return its tables for the next round, a bye as a table of one; none where it finds none."""
    with tempfile.TemporaryDirectory() as folder:
        given, answer = Path(folder) / "in.trf", Path(folder) / "out.txt"
        given.write_text(report_file(tournament), encoding="ascii")
        ran = subprocess.run(
            [command, "--dutch", str(given), "-p", str(answer)],
            capture_output=True,
            check=False,
            text=True,
            timeout=120,
        )
        if ran.returncode == NO_PAIRING:
            return None
        if ran.returncode:
            raise RuntimeError(f"bbpPairings: {ran.stderr or ran.stdout}")
        lines = answer.read_text(encoding="ascii").split("\n")[1:]
    pairs = (line.split() for line in lines if line.strip())
    return [tuple(f"p{number}" for number in pair if number != "0") for pair in pairs]


def report_file(tournament: Tournament) -> str:
    """Return the tournament so far as a file of the federations (TRF)."""
    points = points_of(tournament).totals
    playing = {player.id for player in to_pair(tournament)}
    lines = ["012 Simulated"]
    for number, player in enumerate(tournament.players, start=1):
        rounds = [_entry(tournament, round_, player) for round_ in tournament.rounds]
        if player not in playing:
            rounds.append("  0000 - Z")
        head = f"001 {number:4}      {'Player ' + str(number):<33} {2000 - number:4}"
        head = f"{head:<80}{_decimal(points[player]):>4} {number:4}"
        lines.append(head + "".join(rounds))
    lines.append(f"XXR {tournament.settings.rounds}")
    lines.append("XXC white1")
    lines += [f"XXP {' '.join(p[1:] for p in sorted(pair))}" for pair in tournament.forbidden]
    return "\n".join(lines) + "\n"


def _entry(tournament: Tournament, round_: Round, player: str) -> str:
    if player in round_.byes:
        return "  0000 - U"
    table = round_.table_of(player)
    if table is None:
        return "  0000 - Z"
    (other,) = (one for one in table.players if one != player)
    colour = "w" if table.players[0] == player else "b"
    if len(table.playing) < 2:
        sign = "+" if player in table.playing else "-"
    else:
        earned = table_points(tournament.settings, table)[player]
        sign = {Fraction(1): "1", Fraction(0): "0"}.get(earned, "=")
    return f"  {other[1:]:>4} {colour} {sign}"


def _decimal(points: Fraction) -> str:
    return f"{float(points):.1f}"


def distance(tables: Sequence[Sequence[str]], tournament: Tournament) -> Fraction:
    """Return the sum of the differences in points at all tables of two."""
    points = points_of(tournament).totals
    pairs = (table for table in tables if len(table) == 2)
    return sum((abs(points[one] - points[two]) for one, two in pairs), Fraction(0))
