"""Commands on written games and tables: referee, moves, perft, rules, score."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from companion_app.another_game import NO_SCORE, shows_another_game
from companion_app.answers import (
    ANSWERED,
    BAD_INPUT,
    NO,
    InputError,
    answer,
    complain,
    print_json,
    shown_name,
)
from companion_app.boxes import box_for, box_on_the_table, players_seen
from companion_app.cli.arguments import (
    Commands,
    add_command,
    add_game,
    between,
    games_in_words,
    option_in_words,
    told_options,
    told_players,
)
from companion_app.home import set_folders
from companion_app.live.places import added_up, leading
from companion_app.web.speech import Speech
from engine import referee as judging
from engine.asked import check_counts, check_start, check_table, parse_given
from engine.errors import EngineError, RecordError
from engine.game import AnyGame, Json, Move, Rule, Start
from engine.games import GAMES, game_named
from engine.given import LARGEST_BYTES, load_json
from engine.record import (
    TABLE_FORMAT,
    VERSION,
    Record,
    parse_counts,
    parse_table,
)
from engine.tiles import TileSet
from engine.wording import in_english

ENGLISH = Speech("en")
LEGAL = {"one": "{n} legal move", "other": "{n} legal moves"}
MOVES = {"one": "{n} move", "other": "{n} moves"}
UNSURE = {
    "one": "{n} tile is unsure and not counted",
    "other": "{n} tiles are unsure and not counted",
}
SEQUENCES = {"one": "{n} sequence of {moves}", "other": "{n} sequences of {moves}"}

RECORD = "a game in writing (.json), or - for standard input"


def add_referee_command(commands: Commands) -> None:
    """Add ``referee`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "referee",
        referee,
        ["referee game.json", "referee monday.json tuesday.json", "referee - --json < games.jsonl"],
    )
    parser.add_argument(
        "records",
        nargs="+",
        metavar="RECORD",
        help="games in writing (.json), several are added up; - for standard input, one a line",
    )


def add_moves_command(commands: Commands) -> None:
    """Add ``moves`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "moves",
        moves,
        ["moves game.json", "moves game.json --json", "moves - < games.jsonl"],
    )
    parser.add_argument("record", metavar="RECORD", help=RECORD + ", one a line")


def add_perft_command(commands: Commands) -> None:
    """Add ``perft`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "perft",
        perft,
        [
            "perft --game schlangennest --players blue,red --depth 2",
            "perft --game schlangennest --players blue,red --option size=5x7 --depth 3 --json",
        ],
        games_in_words(),
    )
    add_game(parser)
    parser.add_argument("--players", required=True, metavar="A,B", help="players in turn order")
    depth = between(int, 0, 100, "a depth is a whole number from 0 to 100")
    parser.add_argument(
        "--depth", required=True, type=depth, metavar="N", help="moves a sequence, 0 to 100"
    )


def add_rules_command(commands: Commands) -> None:
    """Add ``rules`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands, "rules", rules, ["rules --game carnival", "rules --game snekagon --json"]
    )
    parser.add_argument(
        "--game", required=True, choices=GAMES, metavar="G", help="one of " + ", ".join(GAMES)
    )


def add_score_command(commands: Commands) -> None:
    """Add ``score`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "score",
        score,
        [
            "score table.jpg --game schlangennest",
            "score table.json --game carnival --json",
            "score table.jpg --game sssnake --players Ann,Ben --option rolls=trust",
        ],
        games_in_words(),
    )
    parser.add_argument(
        "table",
        metavar="IMAGE|TABLE.json",
        help="a photo (JPEG, PNG, WebP, HEIC), or a table in writing (tiles alone will do)",
    )
    add_game(parser)
    parser.add_argument("--profile", metavar="FILE", help="what calibrate learnt of the camera")
    parser.add_argument("--players", metavar="A,B", help="players in turn order; else those seen")


def referee(arguments: Namespace) -> int:
    """Judge written games; with several, add up the scores."""
    if arguments.records == ["-"]:
        return answer_lines(judging.referee_record, _illegal_status)
    records, answers = [], []
    for name in arguments.records:
        with named(name):
            records.append(record_from(name))
            answers.append(judging.referee_record(records[-1]))
    document = answers[0] if len(answers) == 1 else judging.series_of(answers)
    answer(arguments, document, _judgements(records, answers, document.get("totals", {})))
    return max(_illegal_status(one) for one in answers)


def moves(arguments: Namespace) -> int:
    """List the legal moves at the end of a record."""

    def answered(record: Record) -> dict[str, Json]:
        return judging.moves_to_json(judging.moves_at_end(record))

    if arguments.record == "-":
        return answer_lines(answered, lambda _: ANSWERED)
    with named(arguments.record):
        record = record_from(arguments.record)
        legal = judging.moves_at_end(record)
    ways = Counter(_move_in_words(move, record) for move in legal)
    answer(
        arguments,
        judging.moves_to_json(legal),
        [
            *(text + (f" ({count} ways)" if count > 1 else "") for text, count in ways.items()),
            in_english(LEGAL, {"n": str(len(legal))}),
        ],
    )
    return ANSWERED


def perft(arguments: Namespace) -> int:
    """Count move sequences from the start of a game."""
    game, tile_set = _game_and_set(arguments)
    if game.facts.hidden:
        raise InputError(f"perft cannot count {game.facts.name}: the hands are hidden")
    players = told_players(game, arguments.players)
    start = Start(players, told_options(game, arguments.option))
    check_start(game, tile_set, start, "--players")
    nodes = judging.perft(game, game.opening(start, tile_set), arguments.depth)
    moves = in_english(MOVES, {"n": str(arguments.depth)})
    answer(
        arguments,
        {"depth": arguments.depth, "nodes": nodes},
        [in_english(SEQUENCES, {"n": str(nodes), "moves": moves})],
    )
    return ANSWERED


def rules(arguments: Namespace) -> int:
    """List the rules of a game with their ids, and its options with their values."""
    facts = game_named(arguments.game).facts
    answer(
        arguments,
        judging.rules_to_json(facts),
        [
            facts.summary.goal,
            facts.summary.turn,
            facts.summary.end,
            facts.summary.scoring,
            "",
            *(f"{rule.id}: {rule.text} ({_source(rule)})" for rule in facts.rules),
            "",
            *(f"{option_in_words(option)}: {option.text}" for option in facts.options),
            "",
            f"The numbers of our readings are those of {files('engine') / 'RULINGS.md'}.",
        ],
    )
    return ANSWERED


def _source(rule: Rule) -> str:
    """Return where a rule is printed, with the numbers of our own readings of it."""
    numbers = ", ".join(map(str, rule.rulings))
    return ENGLISH.source(rule.source) + (f" {numbers}" if numbers else "")


def score(arguments: Namespace) -> int:
    """Score a table, from a JSON file or a picture."""
    game, tile_set = _game_and_set(arguments)
    options = told_options(game, arguments.option)
    players = () if arguments.players is None else told_players(game, arguments.players)
    check_start(game, tile_set, Start(players, options), "--players")
    with named(arguments.table):
        given = _table_from(arguments, Record(game, tile_set, Start(players, options)))
        layout, table = parse_table(game, tile_set, given, more=game.facts.counts)
        head = {"format": TABLE_FORMAT, "version": VERSION, "game": game.facts.name}
        full = head | {"set": tile_set.name} | dict(table)
        if shows_another_game(table):
            answer(arguments, {"table": full} | NO_SCORE, _doubts(table))
            return NO
        start = Start(
            players or players_seen(game, tile_set, layout),
            options,
            layout,
            midgame=True,
            tokens=parse_counts(table.get("tokens", {}), "tokens"),
            out=parse_counts(table.get("out", {}), "out"),
        )
        if _is_json(arguments.table):
            check_table(table)
            check_counts(tile_set, layout, start.out, "tiles")
            game.facts.check_given(tile_set, start if players else Start(()), "--players")
        scored = judging.score_table(game, tile_set, start)
    answer(arguments, {"table": full} | scored, (*_doubts(table), *_score(scored)))
    good = _is_json(arguments.table) or table["quality"]["ok"]
    return NO if scored["violations"] or not good else ANSWERED


def _doubts(table: Mapping[str, Json]) -> Iterator[str]:
    """Yield what makes the score of a table that was read from a picture doubtful."""
    yield from (advice["text"] for advice in table.get("quality", {}).get("advice", ()))
    if unsure := len(table.get("unsure", ())):
        yield in_english(UNSURE, {"n": str(unsure)})


def _is_json(name: str) -> bool:
    return name == "-" or Path(name).suffix.lower() == ".json"


def _table_from(arguments: Namespace, asked: Record) -> Json:
    """Return a table state, from a JSON file or read from a picture."""
    if _is_json(arguments.table):
        return _json_from(arguments.table)
    from companion_app.cli.reading import read_picture, request_from
    from vision import shown, table_state_to_json

    request = request_from(Namespace(**vars(arguments), shape=None, grid=None))
    if "eyes" in asked.start.options:
        request = replace(request, tile_set=box_on_the_table(asked))
    return table_state_to_json(read_picture(arguments.table, request), shown(arguments.table))


def answer_lines(
    answered: Callable[[Record], dict[str, Json]], status_of: Callable[[dict[str, Json]], int]
) -> int:
    """Answer each record on standard input with one line; a bad record does not stop the others."""
    status = ANSWERED
    for number, line in enumerate(_lines_given(), start=1):
        if not line.strip():
            continue
        try:
            document = answered(parse_given(load_json(line), set_folders()))
            status = max(status, status_of(document))
        except EngineError as error:
            complain(f"line {number}: {error}")
            document = {"error": str(error)}
            status = BAD_INPUT
        print_json(document)
    return status


def _lines_given() -> Iterator[bytes]:
    """Yield the lines of standard input; an overlong line is cut just above ``LARGEST_BYTES``."""
    while line := sys.stdin.buffer.readline(LARGEST_BYTES + 1):
        rest = line
        while len(line) > LARGEST_BYTES and rest and not rest.endswith(b"\n"):
            rest = sys.stdin.buffer.readline(LARGEST_BYTES)
        yield line


def _illegal_status(document: dict[str, Json]) -> int:
    return NO if any(move["legal"] is False for move in document["moves"]) else ANSWERED


@contextmanager
def named(name: str) -> Iterator[None]:
    """Add the file's name to a ``RecordError``."""
    try:
        yield
    except RecordError as error:
        raise error.of("standard input" if name == "-" else shown_name(name)) from None


def record_from(name: str) -> Record:
    """Return the record in a file, or on standard input."""
    record = parse_given(_json_from(name), set_folders())
    # The opening checks that players, options and set-up are consistent.
    record.game.opening(record.start, record.tile_set)
    return record


def _json_from(name: str) -> Json:
    if name == "-":
        return load_json(sys.stdin.buffer.read(LARGEST_BYTES + 1))
    try:
        with Path(name).open("rb") as file:
            return load_json(file.read(LARGEST_BYTES + 1))
    except OSError as error:
        raise InputError(f"{shown_name(name)} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{name!r} is no file name: {error}") from error


def _game_and_set(arguments: Namespace) -> tuple[AnyGame, TileSet]:
    game = game_named(arguments.game)
    return game, box_for(game, arguments.set)


def _judgements(
    records: Iterable[Record], answers: Iterable[dict[str, Json]], totals: Mapping[str, Json]
) -> Iterator[str]:
    for record, said in zip(records, answers, strict=True):
        yield from _judgement(record, said)
    if totals:
        yield "All games together:"
        yield from (f"{player}: {_points(points)}" for player, points in totals.items())


def _judgement(record: Record, said: dict[str, Json]) -> Iterator[str]:
    for n, (move, verdict) in enumerate(zip(record.moves, said["moves"], strict=True), start=1):
        words = {True: "legal", False: "ILLEGAL", None: "not judged"}[verdict["legal"]]
        yield f"{n}. {_move_in_words(move, record)}: {words}"
        yield from (f"    {broken['text']}" for broken in verdict["violations"])
    yield from _score(said)


def _score(said: dict[str, Json]) -> Iterator[str]:
    """Yield each player's score with its reasons, violations, open questions, and the winner."""
    for player, points in said["scores"].items():
        yield f"{player}: {_points(points)}"
        lines = said["lines"].get(player, ())
        for why, (times, earned) in added_up((one["why"], one["points"]) for one in lines).items():
            yield f"  {earned:+4d}  {why}" + (f" ({times} times)" if times > 1 else "")
    yield from (broken["text"] for broken in said.get("violations", ()))
    for question in said.get("open", ()):
        yield f"open: {question['question']}"
        for one in question["answers"]:
            scores = ", ".join(f"{who} {_points(n)}" for who, n in one["scores"].items())
            yield f"  {one['answer']}: {scores}"
    yield _standing(said)


def _points(points: int | None) -> str:
    if points is None:
        return "can no longer be closed"
    return f"{points} point" + ("" if abs(points) == 1 else "s")


def _standing(said: dict[str, Json]) -> str:
    if said["over"]:
        return f"Over. {over_in_words(said['winners'])}."
    ahead = leading(said["scores"])
    if not ahead or len(ahead) == len(said["scores"]):
        return "Not over yet. Nobody is ahead."
    return f"Not over yet. Ahead: {_listed(ahead)}."


def over_in_words(winners: Sequence[str]) -> str:
    """Return who has won a game that is over; several share it in a draw."""
    if len(winners) > 1:
        return f"A draw between {_listed(winners)}"
    return f"Won by {winners[0]}" if winners else "Nobody has won"


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def _move_in_words(move: Move, record: Record) -> str:
    return ENGLISH.move(move, record.game.facts.coloured_moves)
