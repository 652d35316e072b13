"""Reads and writes settings as JSON, and refuses settings that cannot be played."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from fractions import Fraction
from typing import Any

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.model import Settings
from companion_app.hall.tournament.points import SCHEMES, rows
from companion_app.hall.tournament.reading import clean
from engine.games import GAMES

TIE_BREAKS = ("share", "score", "wins", "buchholz", "buchholz-cut", "sonneborn", "direct")
LIMITS = {
    "rounds": (1, 99),
    "size": (2, 5),
    "fewest": (2, 5),
    "most": (2, 5),
    "confirmations": (0, 5),
    "round_minutes": (1, 24 * 60),
}


def read_settings(written: object) -> Settings:
    """Return settings from JSON; what is left out has its default for that size of table."""
    if not isinstance(written, Mapping):
        raise TournamentError("bad-setting", setting="settings")
    known = {field.name for field in fields(Settings)}
    for key in written:
        if key not in known:
            raise TournamentError("bad-setting", setting=str(key)[:40])
    values = {**_defaults(written), **written}
    for key, (least, most) in LIMITS.items():
        value = values.get(key, least)
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise TournamentError("bad-setting", setting=key)
    if "own_points" in values:
        values["own_points"] = tuple(_row(row) for row in _list(values, "own_points"))
    if values.get("bye_points") is not None:
        values["bye_points"] = _number(values["bye_points"], "bye_points")
    if "tie_breaks" in values:
        values["tie_breaks"] = tuple(map(str, _list(values, "tie_breaks")))
    for key in ("name", "game", "points"):
        if not isinstance(values.get(key, ""), str):
            raise TournamentError("bad-setting", setting=key)
    values["name"] = clean(values.get("name", ""))
    settings = Settings(**values)
    _check(settings)
    return settings


def write_settings(settings: Settings) -> dict[str, Any]:
    """Return settings as JSON; ``read_settings`` reads them back."""
    written = asdict(settings)
    written["own_points"] = [[str(number) for number in row] for row in settings.own_points]
    written["tie_breaks"] = list(settings.tie_breaks)
    if settings.bye_points is not None:
        written["bye_points"] = str(settings.bye_points)
    return written


def _defaults(written: Mapping[str, Any]) -> dict[str, Any]:
    size = written.get("size", 4)
    if size == 2:
        return {
            "fewest": 2,
            "most": 2,
            "points": "wins",
            "rounds": 5,
            "tie_breaks": ["buchholz-cut", "buchholz", "sonneborn", "score"],
        }
    if size in (3, 5):
        places = {3: [[5, 3, 1], [5, 3, 2, 1]], 5: [[5, 3, 2, 1], [5, 3, 2, 1, 0]]}[size]
        return {"fewest": min(size, 4), "most": max(size, 4), "points": "own", "own_points": places}
    return {}


def _check(settings: Settings) -> None:
    if settings.game not in GAMES:
        raise TournamentError("bad-setting", setting="game")
    facts = GAMES[settings.game].facts
    if not facts.fewest_players <= settings.fewest <= settings.most <= facts.most_players:
        raise TournamentError(
            "size-not-in-game",
            game=facts.title,
            least=facts.fewest_players,
            most=facts.most_players,
        )
    if not settings.fewest <= settings.size <= settings.most:
        raise TournamentError("bad-setting", setting="size")
    if settings.points not in (*SCHEMES, "own"):
        raise TournamentError("bad-setting", setting="points")
    for size in range(settings.fewest, settings.most + 1):
        if size not in rows(settings):
            raise TournamentError("no-points-for-size", n=size)
    for name in settings.tie_breaks:
        if name not in TIE_BREAKS:
            raise TournamentError("bad-setting", setting="tie_breaks")
    if not isinstance(settings.rated, bool):
        raise TournamentError("bad-setting", setting="rated")


def _list(values: Mapping[str, Any], key: str) -> list[Any]:
    if not isinstance(values[key], list | tuple):
        raise TournamentError("bad-setting", setting=key)
    return list(values[key])


def _row(row: object) -> tuple[Fraction, ...]:
    if not isinstance(row, list | tuple) or not 2 <= len(row) <= 5:
        raise TournamentError("bad-setting", setting="own_points")
    numbers = tuple(_number(one, "own_points") for one in row)
    if list(numbers) != sorted(numbers, reverse=True):
        raise TournamentError("bad-setting", setting="own_points")
    return numbers


def _number(value: object, key: str) -> Fraction:
    try:
        # No exponents: a short text such as 1e999999999 would exhaust memory.
        if not isinstance(value, int | float | str) or not re.fullmatch(
            r"[\d./]{1,12}", str(value)
        ):
            raise ValueError(value)
        number = Fraction(str(value))
    except (ValueError, ZeroDivisionError) as error:
        raise TournamentError("bad-setting", setting=key) from error
    if not 0 <= number <= 1000 or number.denominator > 1000:
        raise TournamentError("bad-setting", setting=key)
    return number
