"""Commands on written games and tables: referee, moves, perft, rules, draw, score."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from companion_app.answers import ANSWERED, BAD_INPUT, NO, InputError, print_json, print_line
from companion_app.arguments import told_options
from companion_app.boxes import box_for
from companion_app.home import set_folders
from engine import referee as judging
from engine.draw import draw_layout
from engine.errors import EngineError, RecordError
from engine.game import AnyGame, Json, Move, Place, Start
from engine.games import game_named
from engine.placement import Layout, Piece, Placement
from engine.record import (
    TABLE_FORMAT,
    VERSION,
    Record,
    load_json,
    move_to_json,
    parse_counts,
    parse_players,
    parse_record,
    parse_table,
)  # fmt: skip
from engine.tiles import TileSet

LARGEST_FILE_BYTES = 64 * 1024 * 1024


def referee(arguments: Namespace) -> int:
    """Judge written games; with several, add up the scores."""
    if arguments.records == ["-"]:
        return _answer_lines(judging.referee_record, _illegal_status)
    records = [_record_from(name) for name in arguments.records]
    if len(records) == 1:
        answers = [judging.referee_record(records[0])]
        document = answers[0]
    else:
        document = judging.referee_series(records)
        answers = document["games"]
    if arguments.json:
        print_json(document)
    else:
        for record, answer in zip(records, answers, strict=True):
            _print_judgement(record, answer)
    return max(_illegal_status(answer) for answer in answers)


def moves(arguments: Namespace) -> int:
    """List the legal moves at the end of a record."""

    def answer(record: Record) -> dict[str, Json]:
        return judging.moves_to_json(judging.moves_at_end(record))

    if arguments.record == "-":
        return _answer_lines(answer, lambda _: ANSWERED)
    document = answer(_record_from(arguments.record))
    if arguments.json:
        print_json(document)
    else:
        for move in document["moves"]:
            print_line(_move_in_words(move))
        print_line(f"{len(document['moves'])} legal moves")
    return ANSWERED


def perft(arguments: Namespace) -> int:
    """Count move sequences from the start of a game."""
    game, tile_set = _game_and_set(arguments)
    if game.facts.hidden:
        raise InputError(f"perft cannot count {game.facts.name}: the hands are hidden")
    players = parse_players(game, arguments.players.split(","), "--players")
    start = Start(players, told_options(game, arguments.option))
    nodes = judging.perft(game, game.opening(start, tile_set), arguments.depth)
    if arguments.json:
        print_json({"depth": arguments.depth, "nodes": nodes})
    else:
        print_line(f"{nodes} sequences of {arguments.depth} moves")
    return ANSWERED


def rules(arguments: Namespace) -> int:
    """List the rules of a game with their ids."""
    facts = game_named(arguments.game).facts
    if arguments.json:
        print_json(judging.rules_to_json(facts))
    else:
        summary = facts.summary
        for sentence in (summary.goal, summary.turn, summary.end, summary.scoring, ""):
            print_line(sentence)
        for rule in facts.rules:
            print_line(f"{rule.id}: {rule.text} ({rule.source})")
    return ANSWERED


def draw(arguments: Namespace) -> int:
    """Draw the position at the end of a record; the cells of a foul are marked."""
    record = _record_from(arguments.record)
    played = judging.replay(record)
    fouls = [violation for broken in played.verdicts for violation in broken or ()]
    legal = [
        move for move, broken in zip(record.moves, played.verdicts, strict=True) if broken == ()
    ]
    svg = draw_layout(
        record.tile_set, record.game.layout(played.position),
        marked=[cell for foul in fouls for cell in _drawn(foul.cells, foul.snake, record)],
        last=_last_cells(legal[-1], record) if legal else (),
        players=record.start.players, title=record.game.facts.title,
    )  # fmt: skip
    out = Path(arguments.out)
    try:
        out.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise InputError(f"{out} cannot be written: {error.strerror}") from error
    if arguments.json:
        print_json({"file": str(out), "bytes": len(svg.encode())})
    else:
        print_line(f"{out} written")
    return ANSWERED


def _drawn(cells: Iterable[Place], snake: str | None, record: Record) -> list[Place]:
    """Return cells as drawings name them: with the number of the field where there are several."""
    if snake is None:
        return list(cells)
    field = record.start.players.index(snake)
    return [(field, *cell) for cell in cells]


def _last_cells(move: Move, record: Record) -> list[Place]:
    if move.cells is not None:
        board = () if move.board is None else (move.board,)
        return [(*board, *cell) for cell in move.cells]
    if move.at is None:
        return []
    return _drawn([move.at], move.snake if record.game.facts.player_names is None else None, record)


def score(arguments: Namespace) -> int:
    """Score a table as it lies, written or in a picture."""
    game, tile_set = _game_and_set(arguments)
    document = _table_from(arguments)
    layout, table = parse_table(game, tile_set, document, arguments.table)
    options = told_options(game, arguments.option)
    if arguments.players:
        players = parse_players(game, arguments.players.split(","), "--players")
    else:
        players = players_seen(game, tile_set, layout)
    start = Start(
        players, options, layout, midgame=True,
        tokens=parse_counts(table.get("tokens", {}), "tokens"),
        out=parse_counts(table.get("out", {}), "out"),
    )  # fmt: skip
    answer = {"table": _full_table(game, tile_set, table)} | judging.score_table(
        game, tile_set, start
    )
    if arguments.json:
        print_json(answer)
    else:
        _print_score(answer)
    return NO if answer["violations"] else ANSWERED


def _table_from(arguments: Namespace) -> Json:
    """Return a table state: written, or read from a picture."""
    if arguments.table == "-" or Path(arguments.table).suffix.lower() == ".json":
        return _json_from(arguments.table)
    from companion_app.reading import read_picture, request_from
    from vision.tables import table_state_to_json

    request = request_from(Namespace(**vars(arguments), shape=None, grid=None))
    return table_state_to_json(read_picture(arguments.table, request), arguments.table)


def players_seen(game: AnyGame, tile_set: TileSet, layout: Layout) -> tuple[str, ...]:
    """Return the colours or fields that lie on a table, in the game's order."""
    names = game.facts.player_names
    if names is None:
        fields = {placed.field or 0 for placed in layout.cards}
        count = max([game.facts.fewest_players, *(field + 1 for field in fields)])
        return tuple(str(number + 1) for number in range(count))
    placed: list[Placement | Piece] = [*layout.cards, *layout.pieces]
    seen = {tile_set[one.tile].colour for one in placed}
    return tuple(n for n in names if n in seen) or names[: game.facts.fewest_players]


def _answer_lines(
    answer: Callable[[Record], dict[str, Json]], status_of: Callable[[dict[str, Json]], int]
) -> int:
    """Answer each record on standard input with a line, whatever the others are like."""
    status = ANSWERED
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if not line.strip():
            continue
        try:
            document = answer(parse_record(load_json(line), set_folders()))
            status = max(status, status_of(document))
        except EngineError as error:
            sys.stderr.write(f"snake-eye: line {number}: {error}\n")
            document = {"error": str(error)}
            status = BAD_INPUT
        print_json(document)
    return status


def _illegal_status(document: dict[str, Json]) -> int:
    return NO if any(move["legal"] is False for move in document["moves"]) else ANSWERED


def _record_from(name: str) -> Record:
    try:
        return parse_record(_json_from(name), set_folders())
    except RecordError as error:
        if name == "-" or str(error).startswith(name):
            raise
        raise RecordError(name, str(error)) from None


def _json_from(name: str) -> Json:
    if name == "-":
        return load_json(sys.stdin.buffer.read(LARGEST_FILE_BYTES), "standard input")
    path = Path(name)
    try:
        if path.stat().st_size > LARGEST_FILE_BYTES:
            raise InputError(f"{name} is larger than {LARGEST_FILE_BYTES >> 20} MB")
        return load_json(path.read_bytes(), name)
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{name!r} is no file name: {error}") from error


def _game_and_set(arguments: Namespace) -> tuple[AnyGame, TileSet]:
    game = game_named(arguments.game)
    return game, box_for(game, arguments.set)


def _full_table(game: AnyGame, tile_set: TileSet, table: Any) -> dict[str, Json]:
    head = {"format": TABLE_FORMAT, "version": VERSION, "game": game.facts.name}
    return head | {"set": tile_set.name} | dict(table)


def _print_judgement(record: Record, answer: dict[str, Json]) -> None:
    for move, verdict in zip(record.moves, answer["moves"], strict=True):
        words = {True: "legal", False: "ILLEGAL", None: "not judged"}[verdict["legal"]]
        print_line(f"{_move_in_words(move_to_json(move))}: {words}")
        for broken in verdict["violations"]:
            print_line(f"    {broken['rule']}: {broken['text']}")
    _print_score(answer)


def _print_score(answer: dict[str, Json]) -> None:
    for player, points in answer["scores"].items():
        print_line(f"{player}: {'unreachable' if points is None else points}")
    for broken in answer.get("violations", ()):
        print_line(f"{broken['rule']}: {broken['text']}")
    for question in answer.get("open", ()):
        print_line(f"open: {question['question']}")
    if answer["over"]:
        print_line("over; won by " + " and ".join(answer["winners"]))


def _move_in_words(move: dict[str, Json]) -> str:
    rest = " ".join(
        f"{key} {_plain(value)}" for key, value in move.items() if key not in ("player", "do")
    )
    return f"{move['player']} {move['do']} {rest}".rstrip()


def _plain(value: Json) -> str:
    if isinstance(value, list):
        return ",".join(_plain(item) for item in value)
    if isinstance(value, dict):
        return "/".join(_plain(item) for item in value.values())
    return str(value)
