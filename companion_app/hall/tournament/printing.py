"""Pairings, score slips and standings on paper, as a page that any browser prints.

HTML and not PDF: names come in every script, and only the browser has a font for each.
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from unicodedata import normalize

from companion_app.hall.tournament.model import Round, Table, Tournament
from companion_app.hall.tournament.standings import number_in_words, standings, tie_breaks_in_words
from companion_app.hall.tournament.view import names
from companion_app.hall.tournament.words import say

STYLE = "/static/hall_print.css"
"""URL of the style sheet; the hall's content security policy allows no inline styles."""


def pairings_page(tournament: Tournament, round_: Round, language: str) -> str:
    """Return the pairings of a round, by table and by name, for the wall."""
    called = names(tournament, language)
    title = say(language, "print-pairings", round=round_.number)
    parts = [f"<h1>{_e(title)}</h1>"]
    if round_.rated:
        parts.append(f"<p>{_e(say(language, 'help-off'))}</p>")
    parts += [
        f"<h2>{_e(_heading(table, language))}</h2><p>{_seats(table, called, language)}</p>"
        for table in round_.tables
    ]
    if round_.byes:
        free = ", ".join(called[player] for player in round_.byes)
        parts.append(f"<p>{_e(say(language, 'print-bye', names=free))}</p>")
    parts.append(f"<h2>{_e(say(language, 'print-by-name'))}</h2>")
    seats = sorted(
        ((called[player], table.number) for table in round_.tables for player in table.players),
        key=lambda seat: (_plain(seat[0]), seat),
    )
    lines = (
        f"<p>{_e(name)} · {_e(say(language, 'print-table', number=number))}</p>"
        for name, number in seats
    )
    parts.append(f'<div class="columns">{"".join(lines)}</div>')
    return _page(title, parts, language)


def slips_page(tournament: Tournament, round_: Round, language: str) -> str:
    """Return a slip for each table, to be filled in by hand where no camera counts."""
    called = names(tournament, language)
    title = say(language, "print-slips", round=round_.number)
    heads = _cells("th", (say(language, f"print-{key}") for key in ("player", "score", "place")))
    sign = f'<th class="sign">{_e(say(language, "print-sign"))}</th>'
    parts = []
    for table in round_.tables:
        lines = "".join(
            f"<tr><td>{_e(called[player])}</td><td></td><td></td><td></td></tr>"
            for player in table.players
        )
        head = f"{tournament.settings.name} · {title} · {_heading(table, language)}"
        parts.append(
            f'<div class="slip"><h2>{_e(head.removeprefix(" · "))}</h2>'
            f"<table><tr>{heads}{sign}</tr>{lines}</table></div>"
        )
    return _page(title, parts, language)


def standings_page(tournament: Tournament, language: str, group: str | None = None) -> str:
    """Return the standings with the tie-breaks in words under them."""
    called = names(tournament, language)
    begun = sum(round_.stage != "paired" for round_ in tournament.rounds)
    title = say(language, "print-standings", round=begun)
    kinds = [say(language, f"short-{name}") for name in tournament.settings.tie_breaks]
    heads = ("#", say(language, "print-player"), say(language, "print-points"), *kinds)
    later = say(language, "print-provisional")
    lines = []
    for row in standings(tournament, group):
        note = f" <small>{_e(later)}</small>" if row.provisional else ""
        numbers = _cells("td", (number_in_words(n) for n in (row.points, *row.breaks)))
        lines.append(
            f"<tr><td>{row.rank}</td><td>{_e(called[row.player])}{note}</td>{numbers}</tr>"
        )
    words = "".join(f"<li>{_e(one)}</li>" for one in tie_breaks_in_words(tournament, language))
    table = f"<table><tr>{_cells('th', heads)}</tr>{''.join(lines)}</table>"
    return _page(title, [f"<h1>{_e(title)}</h1>", table, f"<ol>{words}</ol>"], language)


def _plain(name: str) -> str:
    """Return a sort key that puts letters with accents beside those without."""
    return normalize("NFKD", name).casefold()


def _heading(table: Table, language: str) -> str:
    head = say(language, "print-table", number=table.number)
    return f"{head} · {say(language, 'print-group', group=table.group)}" if table.group else head


def _seats(table: Table, called: dict[str, str], language: str) -> str:
    first, *others = (_e(called[player]) for player in table.players)
    starts = f"<b>{first}</b> <small>{_e(say(language, 'print-starts'))}</small>"
    return " · ".join([starts, *others])


def _cells(kind: str, texts: Iterable[str]) -> str:
    return "".join(f"<{kind}>{_e(text)}</{kind}>" for text in texts)


def _page(title: str, parts: Iterable[str], language: str) -> str:
    return (
        f'<!doctype html><html lang="{_e(language)}"><head><meta charset="utf-8">'
        f'<title>{_e(title)}</title><link rel="stylesheet" href="{STYLE}"></head>'
        f"<body>{''.join(parts)}</body></html>\n"
    )


def _e(text: str) -> str:
    return escape(text)
