"""The commands of the machine player: ``suggest``, ``analyse`` and ``play``."""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from errno import EISDIR, ENOENT
from html import escape
from pathlib import Path
from typing import Any

from companion_app.answers import ANSWERED, InputError, answer, print_line, shown_name, writing
from companion_app.boxes import box_for, some_players
from companion_app.cli.arguments import (
    SMALLEST,
    Commands,
    add_command,
    add_game,
    between,
    games_in_words,
    told_options,
    told_players,
)
from companion_app.cli.record_commands import (
    ENGLISH,
    answer_lines,
    named,
    over_in_words,
    record_from,
)
from companion_app.cli.terminal_game import TerminalGame
from companion_app.seat.thinking import figures_of, step_to_json
from engine import play as player
from engine import referee as judging
from engine.asked import check_start
from engine.game import Json, Move, Start
from engine.games import game_named
from engine.play.analysis import Analysis, analyse
from engine.record import Record, move_to_json, parse_move

LONGEST_SECONDS = 3600.0
MOST_LOOKS = 10_000_000
_seconds = between(
    float, SMALLEST, LONGEST_SECONDS, f"seconds are a number above 0, up to {LONGEST_SECONDS:g}"
)
_looks = between(int, 1, MOST_LOOKS, f"looks are a whole number from 1 to {MOST_LOOKS}")
_level = between(
    int, player.LOWEST, player.HIGHEST, f"levels are {player.LOWEST} to {player.HIGHEST}"
)
WIDTH, HEIGHT = 800, 240
STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;
color:#222;background:#fff}table{border-collapse:collapse;width:100%}td,th{padding:.2rem .5rem;
text-align:left;border-bottom:1px solid #ddd}td.n{text-align:right}
tr.turning{background:#fff3d6}svg{width:100%;height:auto;border:1px solid #ddd}"""
UNITS = (
    "In shares of a win (a draw is half of one): what rolls brought, and what choices surely cost "
    "against better ones. Where hands are hidden, luck is not told."
)
LINES = ("#0b5fa5", "#b3261e", "#8a6d00", "#1b7a3d", "#6b3fa0")


def add_suggest_command(commands: Commands) -> None:
    """Add ``suggest`` to the commands of ``snake-eye``."""
    suggest = add_command(
        commands,
        "suggest",
        _suggest,
        [
            "suggest game.json",
            "suggest game.json --seconds 5",
            "suggest - --looks 50 < games.jsonl",
            "suggest game.json --level 2 --seed 7 --json",
        ],
    )
    suggest.add_argument(
        "record", metavar="RECORD", help="a game in writing (.json), or - for one a line"
    )
    _add_thinking(suggest)


def add_analyse_command(commands: Commands) -> None:
    """Add ``analyse`` to the commands of ``snake-eye``."""
    analysed = add_command(
        commands,
        "analyse",
        _analyse,
        ["analyse game.json --out game.html", "analyse game.json --out seen.json --looks 100"],
    )
    analysed.add_argument("record", metavar="RECORD", help="a game in writing (.json)")
    analysed.add_argument("--out", required=True, metavar="FILE", help="a .html page or .json")
    analysed.add_argument(
        "--looks", type=_looks, metavar="N", help="how often a position is played out"
    )
    analysed.add_argument("--seed", type=int, default=0, metavar="N", help="for the same answer")


def add_play_command(commands: Commands) -> None:
    """Add ``play`` to the commands of ``snake-eye``."""
    played = add_command(
        commands,
        "play",
        _play,
        [
            "play --game snekagon",
            "play --game sssnake --players Ann,machine --level 3",
            "play --game schlangennest --option size=5x7 --out game.json",
        ],
        games_in_words(),
    )
    add_game(played)
    played.add_argument("--players", metavar="A,B", help="in turn order; two where it is missing")
    played.add_argument("--seat", metavar="A", help="whom you play; the first where it is missing")
    played.add_argument("--out", metavar="FILE", help="write the game there when it ends")
    _add_thinking(played)
    played.set_defaults(seed=None)


def _add_thinking(parser: argparse.ArgumentParser) -> None:
    budget = parser.add_mutually_exclusive_group()
    budget.add_argument("--seconds", type=_seconds, metavar="S", help="how long to think; 1")
    budget.add_argument(
        "--looks", type=_looks, metavar="N", help="how many looks ahead: the same answer every time"
    )
    parser.add_argument(
        "--level",
        type=_level,
        default=player.HIGHEST,
        metavar="L",
        help="1 to 5, how far and how well it looks; 5",
    )
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="for the same answer")


def _budget(arguments: Namespace) -> player.Budget:
    if arguments.looks is not None:
        return player.Budget(looks=arguments.looks)
    return player.Budget(seconds=arguments.seconds or 1.0)


# --- suggest -------------------------------------------------------------------------------------


def _suggest(arguments: Namespace) -> int:
    """Suggest moves at the end of a record."""

    def thought_of(record: Record) -> player.Thought:
        position, seat = judging.position_at_end(record), player.Seat(record.hand)
        budget, level, seed = _budget(arguments), arguments.level, arguments.seed
        return player.think(record.game, position, seat, budget, level, seed)

    if arguments.record == "-":
        return answer_lines(lambda one: _thought_to_json(thought_of(one)), lambda _: ANSWERED)
    with named(arguments.record):
        record = record_from(arguments.record)
        thought = thought_of(record)
    answer(arguments, _thought_to_json(thought), _in_words(record, thought))
    return ANSWERED


def _in_words(record: Record, thought: player.Thought) -> Iterator[str]:
    for idea in thought.ideas[:10]:
        words = ENGLISH.move(idea.move, record.game.facts.coloured_moves)
        yield f"{idea.value:5.0%} {words}  {json.dumps(move_to_json(idea.move))}"
    if thought.needs:
        yield f"First somebody must {thought.needs}."
    elif not thought.ideas:
        yield "The game is over."


def _thought_to_json(thought: player.Thought) -> dict[str, Json]:
    document: dict[str, Json] = {
        "moves": [
            {"move": move_to_json(i.move), "value": round(i.value, 4), "share": round(i.share, 4)}
            for i in thought.ideas
        ],
        "looked_at": thought.looked_at,
        "expected": {who: round(value, 4) for who, value in thought.expected.items()},
        "line": [move_to_json(move) for move in thought.line],
    }
    return document if thought.needs is None else document | {"needs": thought.needs}


# --- analyse -------------------------------------------------------------------------------------


def _analyse(arguments: Namespace) -> int:
    """Analyse a game and write the result to a file."""
    out = Path(arguments.out)
    ending = out.suffix.lower()
    if ending not in (".json", ".html"):
        raise InputError(f"--out {shown_name(arguments.out)}: must end with .json or .html")
    _check_out(arguments.out)
    if out.exists() and Path(arguments.record).exists() and out.samefile(arguments.record):
        raise InputError(f"--out {shown_name(arguments.out)}: is the game itself")
    with named(arguments.record):
        record = record_from(arguments.record)
        judging.position_at_end(record)
        told = _progress(len(record.moves))
        seen = analyse(record, arguments.looks, arguments.seed, told, os.cpu_count() or 1)
    document = analysis_to_json(record, seen)
    text = json.dumps(document, ensure_ascii=False, indent=1)
    if ending == ".html":
        text = game_page(record, document)
    _write(arguments.out, text)
    answer(
        arguments,
        {"file": str(out), "players": document["players"]},
        [
            *(
                f"{who}: luck {_figure(apart, 'luck')}, skill {_figure(apart, 'skill')}"
                for who, apart in document["players"].items()
            ),
            UNITS,
            f"{out} written",
        ],
    )
    return ANSWERED


def _check_out(name: str) -> None:
    """Refuse before the work what could not be written after it."""
    path = Path(name)
    why = ENOENT if not path.parent.is_dir() else EISDIR if path.is_dir() else 0
    with writing(name):
        if why:
            raise OSError(why, os.strerror(why))


def _write(name: str, text: str) -> None:
    with writing(name):
        Path(name).write_text(text + "\n", encoding="utf-8")


def _progress(moves: int) -> Callable[[int], None]:
    """Return what tells the progress: in place in a terminal, else a line each tenth of a game."""
    in_place = sys.stderr.isatty()

    def told(done: int) -> None:
        if in_place:
            sys.stderr.write(f"\r{done} of {moves} moves" + ("\n" if done == moves else ""))
        elif done == moves or done * 10 // moves > (done - 1) * 10 // moves:
            sys.stderr.write(f"{done} of {moves} moves\n")
        sys.stderr.flush()

    return told


def analysis_to_json(record: Record, seen: Analysis) -> dict[str, Json]:
    """Return the analysis of a game as a JSON document."""
    moves = [
        {
            "n": number + 1,
            "move": move_to_json(step.move),
            **step_to_json(step),
            "best": [] if step.best is None else [move_to_json(step.best)],
            "turning": number in seen.turning,
        }
        for number, step in enumerate(seen.steps)
    ]
    position = record.game.opening(record.start, record.tile_set)
    for entry, step in zip(moves, seen.steps, strict=True):
        if step.best is not None:
            entry["better"] = _in_place(record, position, step.best)
        position = record.game.apply(position, step.move)
    return {
        "game": record.game.facts.name,
        "players": {who: figures_of(seen, who) for who in record.start.players},
        "moves": moves,
        "turning_points": [number + 1 for number in seen.turning],
    } | judging.outcome_to_json(record.game.outcome(judging.position_at_end(record)))


def _in_place(record: Record, position: Any, move: Move) -> str:
    """Return a move in words, with its place."""
    game = record.game
    layouts = game.layout(position), game.layout(game.apply(position, move))
    return ENGLISH.move_in_place(move, game.facts.coloured_moves, layouts, record.tile_set)


def _figure(apart: Mapping[str, Json], name: str) -> str:
    """Return a figure with its interval, or that it is not sure."""
    low, high = apart[f"{name}_interval"]
    if not low <= 0 <= high:
        return f"{apart[name]:+.2f} ({low:+.2f} to {high:+.2f})"
    return "none that is sure" if low < high else "none"


# --- the page of a game --------------------------------------------------------------------------


def game_page(record: Record, document: Json) -> str:
    """Return the HTML page for the analysis of a game."""
    title = f"{record.game.facts.title}, looked over"
    winners = document["winners"]
    ended = "Not over yet."
    if document["over"]:
        ended = f"{over_in_words(winners)}."
    return "\n".join(
        [
            '<!doctype html><html lang="en"><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width">',
            f"<title>{escape(title)}</title><style>{STYLE}</style>",
            f"<h1>{escape(title)}</h1><p>{escape(ended)}</p>",
            _curve(record, document),
            _luck_and_skill(document),
            "<h2>Moves</h2><p>Marked: where the game surely turned. Expected: the mover's share of "
            "a win before and after the move; a draw counts as half. What could not be made sure "
            "is left out.</p>",
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
        f'<tr><td>{escape(who)}<td class="n">{_figure(apart, "luck")}'
        f'<td class="n">{_figure(apart, "skill")}</tr>'
        for who, apart in document["players"].items()
    )
    head = "<table><tr><th>player<th>luck<th>skill</tr>"
    return f"<h2>Luck and skill</h2><p>{UNITS}</p>{head}{rows}</table>"


def _row(record: Record, entry: Json) -> str:
    who = entry["move"]["player"]
    better = entry.get("better", "")
    luck, skill = (f"{entry[key]:+.2f}" if entry[key] else "" for key in ("luck", "skill"))
    kind = ' class="turning"' if entry["turning"] else ""
    return (
        f'<tr{kind}><td class="n">{entry["n"]}<td>{escape(_words(record, entry["move"]))}'
        f'<td class="n">{entry["before"][who]:.0%} → {entry["after"][who]:.0%}'
        f'<td class="n">{luck}<td class="n">{skill}'
        f"<td>{escape(better)}</tr>"
    )


def _words(record: Record, entry: Json) -> str:
    move = parse_move(record.game, record.tile_set, record.start.players, entry, "move")
    return ENGLISH.move(move, record.game.facts.coloured_moves)


# --- play ----------------------------------------------------------------------------------------


def _play(arguments: Namespace) -> int:
    """Play a game in the terminal."""
    if arguments.out:
        _check_out(arguments.out)
    game = game_named(arguments.game)
    players = some_players(game, ("you", "machine"))
    if arguments.players is not None:
        players = told_players(game, arguments.players)
    seat = arguments.seat or players[0]
    if seat not in players:
        raise InputError(f"--seat {seat}: is not one of {', '.join(players)}")
    start = Start(players, told_options(game, arguments.option))
    box = box_for(game, arguments.set)
    check_start(game, box, start, "--players")
    table = TerminalGame(
        game,
        start,
        box,
        seat,
        _budget(arguments),
        arguments.level,
        random.Random(arguments.seed),
    )
    table.play(sys.stdin)
    if arguments.out:
        _write(arguments.out, json.dumps(table.record_json()))
        print_line(f"{arguments.out} written")
    return ANSWERED
