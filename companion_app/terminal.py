"""Plays a recorded game in the terminal: each move, its verdict, and the table drawn in text."""

from __future__ import annotations

import json
import sys
import time
from argparse import Namespace
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from companion_app.answers import ANSWERED, InputError, print_line
from engine.game import Move, Verdict
from engine.nest.position import NestPosition
from engine.lattice import E, N, S, W, bounding_box
from engine.record import parse_move, parse_record
from engine.snakes import Card

DEMO = "schlangennest.json"
CELL_WIDTH, CELL_HEIGHT = 7, 3
ANSI = {"blue": "34", "red": "31", "yellow": "33", "green": "32", "grey": "90"}

Canvas = list[list[tuple[str, str]]]
"""Rows of characters, each with its colour."""


def run(arguments: Namespace) -> int:
    """Play the recorded game of Schlangennest that comes with the program."""
    if arguments.json:
        raise InputError("run has no JSON yet: it plays a recorded game in the terminal")
    demo = json.loads((files("companion_app") / "demo" / DEMO).read_text(encoding="utf-8"))
    pause_s = 1 / arguments.speed
    for line in play(demo, colours=sys.stdout.isatty()):
        print_line(line)
        sys.stdout.flush()
        if not line:
            time.sleep(pause_s)
    return ANSWERED


def play(demo: dict[str, Any], *, colours: bool) -> Iterator[str]:
    """Yield the lines of a game: moves, verdicts, tables; an empty line after each move.

    Args:
        demo: a ``record``, and ``fouls``: moves that are tried before a numbered one, judged,
            and taken back.
        colours: whether to colour the snakes for a terminal.
    """
    record = parse_record(demo["record"])
    game = record.game
    position = game.opening(record.start, record.tile_set)
    yield f"{game.facts.title}, a recorded game of {' and '.join(record.start.players)}"
    yield ""
    for number, move in enumerate(record.moves):
        for foul in (f for f in demo.get("fouls", ()) if f["before"] == number):
            players = record.start.players
            tried = parse_move(game, record.tile_set, players, foul["move"], "fouls")
            yield from _announce(f"{number + 1}.", tried, game.judge(position, tried))
            yield f"    {tried.player} takes it back."
            yield ""
        verdict = game.judge(position, move)
        yield from _announce(f"{number + 1}.", move, verdict)
        position = game.apply(position, move)
        yield from draw_table(position, colours=colours)
        scores = game.outcome(position).scores
        yield "    " + ", ".join(f"{player} {points}" for player, points in scores.items())
        yield ""
    outcome = game.outcome(position)
    if outcome.over:
        yield "The game is over. " + " and ".join(outcome.winners) + " won."


def _announce(number: str, move: Move, verdict: Verdict) -> Iterator[str]:
    what = f"{move.tile or ''} at {move.at}" if move.at else ""
    yield f"{number} {move.player} {move.do}s {what}: {'legal' if verdict.legal else 'ILLEGAL'}"
    for broken in verdict.violations:
        yield f"    {broken.text} [{broken.rule.id}]"


def draw_table(position: NestPosition, *, colours: bool) -> Iterator[str]:
    """Yield the rows of the table, its snakes as lines: double where coloured, thin where grey."""
    box = bounding_box(position.cards)
    if box is None:
        return
    left, top, right, bottom = box
    blank = (" ", "grey")
    canvas: Canvas = [
        [blank] * ((right - left + 1) * CELL_WIDTH) for _ in range((bottom - top + 1) * CELL_HEIGHT)
    ]
    for (x, y), card in position.cards.items():
        _draw_card(canvas, (x - left) * CELL_WIDTH, (y - top) * CELL_HEIGHT, card)
    for row in canvas:
        yield "    " + _row_text(row, colours=colours).rstrip()


def _row_text(row: list[tuple[str, str]], *, colours: bool) -> str:
    if not colours:
        return "".join(char for char, _ in row)
    return "".join(
        char if char == " " else f"\x1b[{ANSI.get(colour, '0')}m{char}\x1b[0m"
        for char, colour in row
    )


def _draw_card(canvas: Canvas, x: int, y: int, card: Card) -> None:
    """Draw each strand from the middle of its edges; a grey one gives way in the middle."""
    for strand in sorted(card.strands, key=lambda s: s.colour != "grey"):
        double = strand.colour != "grey"
        for column, row, char in _strand(frozenset(strand.edges), strand.cap, double=double):
            canvas[y + row][x + column] = (char, strand.colour)


def _strand(edges: frozenset[int], cap: str | None, *, double: bool) -> list[tuple[int, int, str]]:
    """Return column, row and character of the marks of one strand."""
    flat, tall = ("═", "║") if double else ("─", "│")
    mark = {"head": "◆", "tail": "●", None: ""}[cap]
    if cap:
        edge = next(iter(edges))
        return {
            N: [(3, 0, mark)],
            S: [(3, 2, mark)],
            W: [(0, 1, flat), (1, 1, flat), (2, 1, mark)],
            E: [(4, 1, mark), (5, 1, flat), (6, 1, flat)],
        }[edge]
    if edges == {W, E}:
        return [(column, 1, flat) for column in range(CELL_WIDTH)]
    if edges == {N, S}:
        return [(3, row, tall) for row in range(CELL_HEIGHT)]
    corner = {
        frozenset({N, W}): "╝╯", frozenset({N, E}): "╚╰",
        frozenset({S, W}): "╗╮", frozenset({S, E}): "╔╭",
    }[edges][not double]  # fmt: skip
    if N in edges:
        side = range(3) if W in edges else range(4, CELL_WIDTH)
        return [(3, 0, tall), (3, 1, corner), *((column, 1, flat) for column in side)]
    # The other corner of the card holds the middle, so this one swings round it.
    if W in edges:
        bend = "╚╗" if double else "╰╮"
        return [(0, 1, flat), (1, 1, flat), (2, 1, corner), (2, 2, bend[0]), (3, 2, bend[1])]
    bend = "╔╝" if double else "╭╯"
    return [(6, 1, flat), (5, 1, flat), (4, 1, corner), (4, 2, bend[1]), (3, 2, bend[0])]
