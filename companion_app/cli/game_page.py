"""The analysis of a game as one HTML page: the curve, the turning points, every move."""

from __future__ import annotations

from html import escape

from companion_app.cli.record_commands import ENGLISH
from engine.game import Json, Move
from engine.record import Record, parse_move

WIDTH, HEIGHT = 800, 240
STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#222;background:#fff}table{border-collapse:collapse;width:100%}td,th{padding:.2rem .5rem;
text-align:left;border-bottom:1px solid #ddd}td.n{text-align:right}
tr.turning{background:#fff3d6}svg{width:100%;height:auto;border:1px solid #ddd}"""
LINES = ("#0b5fa5", "#b3261e", "#8a6d00", "#1b7a3d", "#6b3fa0")


def game_page(record: Record, document: Json) -> str:
    """Return the HTML page for the analysis of a game."""
    title = f"{record.game.facts.title}, looked over"
    winners = " and ".join(document["winners"])
    ended = "Not over yet."
    if document["over"]:
        ended = f"Won by {winners}." if winners else "Nobody has won."
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f"<h1>{escape(title)}</h1><p>{escape(ended)}</p>",
            _curve(record, document),
            _luck_and_skill(document),
            "<h2>Moves</h2><p>Marked: where the game turned. Expected: the mover's share of a win "
            "before and after the move.</p>",
            "<table><tr><th>#<th>move<th>expected<th>luck<th>skill<th>better</tr>",
            *(_row(record, entry) for entry in document["moves"]),
            "</table></html>",
        ]
    )


def _curve(record: Record, document: Json) -> str:
    """Return an SVG chart of every player's expected result, move by move."""
    moves = document["moves"]
    step = WIDTH / max(1, len(moves))
    lines = []
    for number, who in enumerate(record.start.players):
        values = [entry["after"][who] for entry in moves]
        if moves:
            values.insert(0, moves[0]["before"][who])
        points = " ".join(f"{i * step:.1f},{HEIGHT * (1 - v):.1f}" for i, v in enumerate(values))
        colour = LINES[number % len(LINES)]
        lines.append(
            f'<polyline fill="none" stroke="{colour}" stroke-width="3" points="{points}">'
            f"<title>{escape(who)}</title></polyline>"
            f'<text x="8" y="{20 + 18 * number}" fill="{colour}">{escape(who)}</text>'
        )
    label = "The expected result of each player, move by move"
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{label}">'
        + "".join(lines)
        + "</svg>"
    )


def _luck_and_skill(document: Json) -> str:
    rows = "".join(
        f'<tr><td>{escape(who)}<td class="n">{apart["luck"]:+.2f}'
        f'<td class="n">{apart["skill"]:+.2f}</tr>'
        for who, apart in document["players"].items()
    )
    return (
        "<h2>Luck and skill</h2><p>In wins: what rolls and draws brought, and what choices cost "
        "against the best ones.</p><table><tr><th>player<th>luck<th>skill</tr>" + rows + "</table>"
    )


def _row(record: Record, entry: Json) -> str:
    who = entry["move"]["player"]
    better = " ".join(_words(record, move) for move in entry["best"][:1])
    kind = ' class="turning"' if entry["turning"] else ""
    return (
        f'<tr{kind}><td class="n">{entry["n"]}<td>{escape(_words(record, entry["move"]))}'
        f'<td class="n">{entry["before"][who]:.0%} → {entry["after"][who]:.0%}'
        f'<td class="n">{entry["luck"]:+.2f}<td class="n">{entry["skill"]:+.2f}'
        f"<td>{escape(better)}</tr>"
    )


def _words(record: Record, entry: Json) -> str:
    move: Move = parse_move(record.game, record.tile_set, record.start.players, entry, "move")
    return ENGLISH.move(move, record.game.facts.coloured_moves)
