"""Reads lists of players as people have them: any delimiter, any encoding, any column order."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.reading import clean

MOST_PLAYERS = 5000
MOST_BYTES = 2_000_000
DELIMITERS = ";\t,|"
HEADS: Mapping[str, tuple[str, ...]] = {
    "name": (
        "name",
        "player",
        "full name",
        "spieler",
        "spielerin",
        "nom",
        "joueur",
        "jméno",
        "hráč",
        "имя",
        "игрок",
        "фио",
    ),
    "first": ("first name", "given name", "firstname", "vorname", "prénom", "křestní jméno"),
    "last": (
        "last name",
        "family name",
        "surname",
        "lastname",
        "nachname",
        "nom de famille",
        "příjmení",
        "фамилия",
    ),
    "nickname": (
        "nickname",
        "nick",
        "spitzname",
        "surnom",
        "pseudo",
        "přezdívka",
        "ник",
        "прозвище",
    ),
    "group": ("group", "gruppe", "groupe", "skupina", "группа", "class", "klasse"),
    "person": ("person", "id", "member", "mitglied", "membre", "člen"),
}
"""Column headings that are recognized, in the languages of the page."""
CODE_PAGES = ("cp1252", "cp1250", "cp1251")
"""How spreadsheets save on Windows: in western Europe, in central Europe, in Cyrillic."""
OWN_CODE_PAGE = {"cs": "cp1250", "ru": "cp1251"}
"""The code page of a language; all others have the first."""


@dataclass(frozen=True, slots=True)
class Note:
    """Why a line was left out: the key of a sentence in the catalogues, and its values."""

    key: str
    line: int
    name: str = ""


@dataclass(frozen=True, slots=True)
class Read:
    """A parsed list: data of ``add-player`` events without ids, and notes on lines left out."""

    players: tuple[dict[str, str], ...]
    notes: tuple[Note, ...]


def read_players(given: bytes, known: Iterable[str] = (), language: str = "") -> Read:
    """Return the players of a list, each once.

    Args:
        given: the bytes of the file.
        known: names that are entered already.
        language: of whoever sends it, for a file whose encoding its headings do not tell.
    """
    if len(given) > MOST_BYTES:
        raise TournamentError("csv-too-large", most=MOST_PLAYERS)
    lines = _lines(_text(given, language))
    columns = _columns(lines)
    players: list[dict[str, str]] = []
    notes: list[Note] = []
    seen, entered = set[str](), {_same(name) for name in known}
    for number, cells in lines[1 if columns.head else 0 :]:
        player = columns.player(cells)
        if not player["name"]:
            if any(clean(cell) for cell in cells):
                notes.append(Note("csv-no-name", number))
        elif _same(player["name"]) in entered:
            notes.append(Note("csv-known", number, player["name"]))
        elif _same(player["name"]) in seen:
            notes.append(Note("csv-twice", number, player["name"]))
        else:
            seen.add(_same(player["name"]))
            players.append(player)
    if len(players) > MOST_PLAYERS:
        raise TournamentError("csv-too-large", most=MOST_PLAYERS)
    if not players and not notes:
        raise TournamentError("csv-empty")
    return Read(tuple(players), tuple(notes))


@dataclass(frozen=True, slots=True)
class _Columns:
    at: Mapping[str, int]
    head: bool

    def player(self, cells: Sequence[str]) -> dict[str, str]:
        """Return what a line says of a player."""
        said = {key: clean(cells[n]) if n < len(cells) else "" for key, n in self.at.items()}
        name = said.get("name", "")
        if "first" in said or "last" in said:
            # Where only one of first and last name has a column, "name" is the other.
            name = clean(f"{said.get('first', name)} {said.get('last', name)}")
        kept = {key: said[key] for key in ("nickname", "group", "person") if said.get(key)}
        return {"name": name, **kept}


def _text(given: bytes, language: str) -> str:
    for bom, encoding in (
        (b"\xef\xbb\xbf", "utf-8-sig"),
        (b"\xff\xfe", "utf-16"),
        (b"\xfe\xff", "utf-16"),
    ):
        if given.startswith(bom):
            return given.decode(encoding, errors="replace")
    try:
        return given.decode("utf-8")
    except UnicodeDecodeError:
        pages = (OWN_CODE_PAGE.get(language, CODE_PAGES[0]), *CODE_PAGES)
        return max((given.decode(one, errors="replace") for one in pages), key=_known_headings)


def _known_headings(text: str) -> int:
    columns = _columns(_lines(text))
    return len(columns.at) if columns.head else 0


def _lines(text: str) -> list[tuple[int, list[str]]]:
    text = text.replace("\0", "")
    first = next((line for line in text.splitlines() if line.strip()), "")
    if first.lower().startswith("sep=") and len(first) == 5:
        # Spreadsheets write which delimiter they use into a line of its own.
        delimiter, text = first[4], text.replace(first, "", 1)
    else:
        delimiter = max(DELIMITERS, key=first.count)
    try:
        lines = _parsed(text, delimiter)
        if any("\n" in cell or "\r" in cell for _, cells in lines for cell in cells):
            # A stray mark opened that cell, unless all marks are in order.
            _parsed(text, delimiter, strict=True)
    except csv.Error:
        # A stray quotation mark must not lose the list: split the lines without quoting.
        plain = enumerate(text.splitlines(), start=1)
        lines = [
            (n, [cell.strip().strip('"') for cell in line.split(delimiter)])
            for n, line in plain
            if line.strip()
        ]
    return lines


def _parsed(text: str, delimiter: str, strict: bool = False) -> list[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
    return [(reader.line_num, cells) for cells in reader if any(map(str.strip, cells))]


def _columns(lines: Sequence[tuple[int, list[str]]]) -> _Columns:
    heads = [clean(cell).casefold() for cell in lines[0][1]] if lines else []
    at = {
        key: heads.index(word)
        for key, words in HEADS.items()
        if (word := next((w for w in words if w in heads), None)) is not None
    }
    if {"name", "first", "last"} & at.keys():
        return _Columns(at, head=True)
    return _Columns({"name": 0, "nickname": 1, "group": 2}, head=False)


def _same(name: str) -> str:
    return " ".join(name.casefold().split())
