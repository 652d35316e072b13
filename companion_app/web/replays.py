"""What the hands do with kept games: replay them, to show, export or sum them up.

Every function runs in a worker process, with plain data in and out.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from companion_app.games.kept import Kept, KeptGames
from companion_app.games.play import Game, Games
from companion_app.line.standing import kind_of
from companion_app.live.errors import StoreError
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
"""Replayed games that a worker remembers."""


GAMES = Games[tuple[Place, str, str]](MOST_AT_HAND)
"""A worker's cache of replayed games."""


def replayed(place: Place, key: str) -> Game:
    """Return a game as its log stands.

    Raises:
        NotFound: there is no such game.
        StoreError: the lines of its log do not make a game.
    """
    lines = KeptGames(place.file).lines(key)
    begun = next((line for line in lines if line.kind == "started"), None)
    if begun is None:
        raise NotFound(code="no-game")
    # A name that was forgotten may have stood for a player, in lines that were read before.
    players = " ".join(map(str, begun.body.get("record", {}).get("players", ())))
    return GAMES.at(
        (place, key, players),
        lambda after: [line for line in lines if line.seq > after],
        lines[-1].seq,
        place.set_folders,
    )


def _times(game: Game) -> Doc:
    return {"began_s": game.began_s, "ended_s": game.ended_s}


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
    match = replayed(place, key)
    fouls = Counter(match.fouls)
    whole = snapshot.match_to_json(match, Speech("en", {}))
    return Kept(
        match.seq,
        {
            "game": whole["game"],
            "moves": len(match.accepted),
            "ended": match.ended or match.game.outcome(match.position).over,
            "winners": whole["winners"],
            "fouls": fouls.total(),
            "names": dict(match.names),
            "demo": any(kind_of(source) == "demo" for source in match.sources),
            "players": [
                {k: player[k] for k in ("id", "colour", "score", "winner")}
                | {"coloured": player["id"] in match.box.colours, "fouls": fouls[player["id"]]}
                | {"machine": match.machine.seats.get(player["id"])}
                for player in whole["players"]
            ],
        }
        | _times(match),
    )


# --- one game ------------------------------------------------------------------------------------


def game_document(place: Place, key: str, language: str, n: int | None) -> Doc:
    """Return a game as it stood after ``n`` moves, or at its end, and its scores move by move."""
    match = replayed(place, key)
    shown = snapshot.match_to_json(match, Speech(language, match.names), n)
    curve = [dict(match.game.outcome(position).scores) for position in match.positions]
    for player in shown["players"]:
        player["machine"] = match.machine.seats.get(player["id"])
    return {**shown, **_times(match), "length": len(match.accepted), "curve": curve}


def game_drawing(place: Place, key: str, language: str, n: int | None) -> str:
    """Return the table of a game after ``n`` moves, or at its end, as SVG."""
    game = replayed(place, key)
    words = Speech(language, game.names)
    return match_drawing.drawing(game, words, match_drawing.shown(game, n))


def game_record(place: Place, key: str) -> Doc:
    """Return a game in the record format."""
    return dict(record_to_json(replayed(place, key).record()))


def game_looked_over(place: Place, key: str, language: str, found: Doc) -> Doc:
    """Return the review of a game, with every better move in words and as a ghost."""
    match = replayed(place, key)
    words = Speech(language, match.names)
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
    match = replayed(place, key)
    words = Speech(language, match.names)
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
