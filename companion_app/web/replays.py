"""What the hands do with kept games: replay them, to show, export or sum them up.

Every function runs in a worker process, with plain data in and out.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

from companion_app.live.errors import StoreError
from companion_app.live.kept import Kept, KeptGames
from companion_app.live.log_line import names_in
from companion_app.live.match import Match
from companion_app.live.store import Store
from companion_app.spread import spread
from companion_app.web import snapshot
from companion_app.web.drawing import match as match_drawing
from companion_app.web.machine import ghost
from companion_app.web.place import Place
from companion_app.web.serving.errors import NotFound
from companion_app.web.speech import Speech
from engine.record import record_to_json

Doc = dict[str, Any]
MOST_AT_HAND = 12
"""The size of a worker's LRU cache of replayed games."""
NOTED_LATER = ("names", "hand", "ruling", "source")
"""Kinds of log lines that may be written long after a game: they do not move its end."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """A replayed game."""

    match: Match
    times: Doc
    names: dict[str, str]
    fouls: Counter[str]
    """The number of fouls of each player."""
    seq: int
    demo: bool = False
    """Whether the game was played on the demo table, which statistics ignore."""


def replayed(place: Place, key: str) -> Replayed:
    """Return a replayed game, from the cache unless its log has grown.

    Raises:
        NotFound: there is no such game.
        StoreError: the lines of its log do not make a game.
    """
    lines = KeptGames(place.file).lines(key)
    if not any(line.kind == "started" for line in lines):
        raise NotFound(code="no-game")
    return _replayed_upto(lines[-1].seq, place, key)


@lru_cache(maxsize=MOST_AT_HAND)
def _replayed_upto(seq: int, place: Place, key: str) -> Replayed:
    """Return a game replayed up to a line of its log."""
    kept = KeptGames(place.file)
    lines = kept.lines(key, upto=seq)
    # A match that is only read uses nothing of its store but the lines.
    match = Match.of_lines(cast(Store, kept), key, lines, place.set_folders)
    fouls = Counter(str(line.body["move"]["player"]) for line in lines if line.kind == "foul")
    played = [line for line in lines if line.kind not in NOTED_LATER]
    times = {"began_s": lines[0].at_s, "ended_s": played[-1].at_s}
    sources = [str(line.body.get("source", "")) for line in lines if line.kind == "source"]
    demo = any(source.partition(":")[0] == "demo" for source in sources)
    return Replayed(match, times, names_in(lines), fouls, seq, demo)


# --- summaries -----------------------------------------------------------------------------------


def summed_up(place: Place, keys: list[str]) -> dict[str, Kept | str]:
    """Return the summaries of games, independent of language; for an unreadable one the reason."""
    made: dict[str, Kept | str] = {}
    for key in keys:
        try:
            made[key] = game_in_short(place, key)
        except (StoreError, NotFound) as error:
            made[key] = str(error)
    return made


def game_in_short(place: Place, key: str) -> Kept:
    """Return the summary of a game, independent of language."""
    game = replayed(place, key)
    match = game.match
    whole = snapshot.match_to_json(match, Speech("en", {}))
    return Kept(
        game.seq,
        {
            "game": whole["game"],
            "moves": len(match.accepted),
            "ended": match.ended or match.game.outcome(match.position).over,
            "winners": whole["winners"],
            "fouls": game.fouls.total(),
            "names": game.names,
            "demo": game.demo,
            "players": [
                {k: player[k] for k in ("id", "colour", "score", "winner")}
                | {"coloured": player["id"] in match.box.colours, "fouls": game.fouls[player["id"]]}
                for player in whole["players"]
            ],
        }
        | game.times,
    )


# --- one game ------------------------------------------------------------------------------------


def game_document(place: Place, key: str, language: str, n: int | None) -> Doc:
    """Return a game as it stood after ``n`` moves, or at its end, and its scores move by move."""
    game = replayed(place, key)
    match = game.match
    shown = snapshot.match_to_json(match, Speech(language, game.names), n)
    curve = [dict(match.game.outcome(position).scores) for position in match.positions]
    return {**shown, **game.times, "length": len(match.accepted), "curve": curve}


def game_drawing(place: Place, key: str, language: str, n: int | None) -> str:
    """Return the table of a game after ``n`` moves, or at its end, as SVG."""
    game = replayed(place, key)
    words = Speech(language, game.names)
    return match_drawing.drawing(game.match, words, match_drawing.shown(game.match, n))


def game_record(place: Place, key: str) -> Doc:
    """Return a game in the record format."""
    return dict(record_to_json(replayed(place, key).match.record()))


def game_looked_over(place: Place, key: str, language: str, found: Doc) -> Doc:
    """Return the review of a game, with every better move in words and as a ghost."""
    game = replayed(place, key)
    match, words = game.match, Speech(language, game.names)
    moves = []
    for said in found["moves"][: len(match.accepted)]:
        better = None
        if said["best"] is not None:
            move = match.parsed(said["best"], "best")
            before = match.positions[said["n"] - 1]
            lay, later = (
                match.game.layout(before),
                match.game.layout(match.game.apply(before, move)),
            )
            coloured = match.game.facts.coloured_moves
            better = {
                "text": words.move_in_place(move, coloured, (lay, later), match.box),
                "ghost": ghost(lay, later, match),
            }
        moves.append({**said, "best": better})
    players = [
        {"id": who, "name": words.player(who), "colour": snapshot.colour_of(match, who), **apart}
        for who, apart in found["players"].items()
    ]
    return {"players": players, "moves": moves}


def game_before(place: Place, key: str, language: str, n: int) -> Doc:
    """Return a game as it stood before its nth move: its record, known hands, the legal moves.

    Where hands are hidden, only the tile that was laid is known: it was luck, its place was chosen.
    """
    game = replayed(place, key)
    match, words = game.match, Speech(language, game.names)
    if not 1 <= n <= len(match.accepted):
        raise NotFound
    record = dict(record_to_json(match.record()))
    made, legal = match.accepted[n - 1].move, match.game.legal_moves(match.positions[n - 1])
    hands = {}
    if match.game.facts.hidden and made.tile is not None:
        hands = {made.player: [made.tile]}
        legal = [move for move in legal if move.tile == made.tile]
    return {
        "record": {**record, "moves": record["moves"][: n - 1]},
        "hands": hands,
        "legal": [snapshot.listed_move(move, match, words) for move in spread(legal)],
    }
