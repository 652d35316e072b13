"""Views for the machine: seats, voice, hand, hints, reviews, games of one phone against it."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, request

from companion_app.games.play import Game
from companion_app.hands.work import REPLAY
from companion_app.help_orders import help_is_off
from companion_app.line.commands import EyeCommands
from companion_app.live.machine import LEVELS, NAME
from companion_app.refusal import Refusal
from companion_app.web import replays, snapshot
from companion_app.web.alone import AloneGame
from companion_app.web.context import companion, done, speech, svg_answer
from companion_app.web.drawing import match as match_drawing
from companion_app.web.game_asked import record_asked
from companion_app.web.machine import ghost, reasons_in_words, words_for
from companion_app.web.serving import access, guard
from companion_app.web.serving.errors import BadRequest
from companion_app.web.serving.exchange import Doc, asked, language, told, told_or_none
from companion_app.web.speech import Speech
from companion_app.web.summaries import in_words
from engine.record import record_to_json

views = Blueprint("machine", __name__)
MOST_TILES = 20
HIGHEST = max(LEVELS)
GAVE_AWAY = 0.05
"""The least loss of win expectation (0 to 1) that counts as a mistake."""
MOST_MISTAKES = 60
AS_GOOD = 0.04
"""A move counts as good if its win expectation is at most this much below the best."""


@views.post("/api/machine/seat")
def seat() -> Doc:
    """Give the machine a seat (``player``) at a ``level``, or with null take the seat from it."""
    problem = "player is a player, level a number from 1 to 5 or null"
    player, level = told("player", str, problem), told_or_none("level", int, problem)
    if level is not None:
        companion().allow_help()
    return done(EyeCommands.seat, player, level)


@views.post("/api/machine/mute")
def mute() -> Doc:
    """Mute the machine (``on``), or unmute it."""
    return done(EyeCommands.mute, asked().get("on") is not False)


@views.post("/api/machine/hand")
def hand() -> Doc:
    """Tell the machine which tiles lie open for it (``player``, ``tiles``).

    Without ``tiles`` the machine takes the tiles that the camera sees aside.
    """
    problem = "player is a player, tiles a list of tiles"
    return done(EyeCommands.show_hand, told("player", str, problem), _tiles("tiles", problem))


@views.post("/api/machine/draw")
def draw() -> Doc:
    """Tell the machine which cards (``tiles``) were drawn for its roll."""
    problem = "tiles is a list of tiles"
    told("tiles", list, problem)
    return done(EyeCommands.draw, _tiles("tiles", problem) or ())


def _tiles(name: str, problem: str) -> list[str] | None:
    sent = told_or_none(name, list, problem)
    if sent and (len(sent) > MOST_TILES or not all(isinstance(tile, str) for tile in sent)):
        raise BadRequest(problem)
    return sent


# --- hints ---------------------------------------------------------------------------------------


@views.post("/api/ideas")
def ideas() -> Doc:
    """Return hints for the player to move: up to three good moves, each with a short reason.

    The host sets how many hints a player may take in a game. In Carnival the ``hand`` is sent too.
    """
    companion().allow_help()
    most = companion().settings.now.ideas
    if not most:
        raise Refusal(code="hints-off", status=409)
    match = companion().now().match
    if match is None or match.ended:
        raise Refusal(code="no-game")
    if not access.is_host() and match.position.to_move not in access.seats():
        raise Refusal(code="not-your-seat", status=403)
    problem = "hand is a list of tiles of the box"
    held, player = _tiles("hand", problem), match.position.to_move
    if not all(tile in match.box for tile in held or ()):
        raise BadRequest(problem)
    body = {"record": record_to_json(match.record()), "hands": {player: held} if held else {}}
    found = companion().player.ask("hints", body)
    if found["needs"] is not None or not found["moves"]:
        return {"ideas": [], "needs": found["needs"], "left": None}
    left = companion().eye.ask(EyeCommands.take_hint, player, most)
    return {"ideas": [_idea(one, match) for one in found["moves"]], "needs": None, "left": left}


def _idea(said: Any, match: Game) -> dict[str, Any]:
    move = match.parsed(said["move"], "idea")
    words = speech()
    return {
        "move": said["move"],
        "text": words_for(match, move, words),
        "why": reasons_in_words(said["why"], words),
        "ghost": ghost(match.layout, match.after(move), match),
    }


# --- after the game ------------------------------------------------------------------------------


@views.get("/api/games/<key>/look-over")
def look_over(key: str) -> Doc:
    """Return the review of a game: expected results, turning points, luck and skill by seat.

    A review may take minutes: clients poll until it is ``ready``.
    """
    guard.limit(*guard.LOOKS)
    one = companion()
    _must_not_help_on(key)
    record = one.hands.do(REPLAY, replays.game_record, one.place, key)
    found = one.looked_over.of(key, record)
    if found is None:
        return {"ready": False}
    said = one.hands.do(REPLAY, replays.game_looked_over, one.place, key, language(), found)
    return {"ready": True, **said}


@views.get("/api/mistakes")
def mistakes() -> Doc:
    """Return by person the moves that were mistakes, over all finished and reviewed games.

    ``missing`` are the finished games without a current review, the newest first.
    """
    guard.limit(*guard.LOOKS)
    one = companion()
    found = one.looked_over.all()
    people: dict[str, list[Any]] = {}
    missing = []
    for game in in_words(one.summaries.listed(), language()):
        key = game["key"]
        if not game["ended"] or game["demo"]:
            continue
        # A game that has gained or lost moves since its review needs another one.
        moves = found.get(key, {}).get("moves", ())
        if len(moves) != game["moves"]:
            missing.append(key)
            continue
        names = {player["id"]: player["name"] for player in game["players"]}
        for move in moves:
            name = names[move["player"]]
            if move["best"] is not None and move["skill"] <= -GAVE_AWAY and name != NAME:
                people.setdefault(name, []).append(
                    {
                        "key": key,
                        "title": game["title"],
                        "began_s": game["began_s"],
                        "n": move["n"],
                        "cost": -move["skill"],
                    }
                )
    listed = [{"name": name, "mistakes": made[:MOST_MISTAKES]} for name, made in people.items()]
    return {"players": listed, "missing": missing}


@views.post("/api/games/<key>/try")
def try_again(key: str) -> Doc:
    """Return the legal moves in place of the ``n``th; with ``move``, whether that one is good.

    A move within ``AS_GOOD`` of the best counts as good.
    """
    problem = "n is the number of a move, move another one in its place"
    n, move = told("n", int, problem), told_or_none("move", dict, problem)
    guard.limit(*guard.LOOKS)
    one = companion()
    _must_not_help_on(key)
    said = one.hands.do(REPLAY, replays.game_before, one.place, key, language(), n)
    if move is None:
        return {"legal": said["legal"]}
    asked_for = {"record": said["record"], "hands": said["hands"], "level": HIGHEST}
    found = one.player.ask("move", asked_for)
    best = max((idea["value"] for idea in found["moves"]), default=0.0)
    good = [idea["move"] for idea in found["moves"] if idea["value"] >= best - AS_GOOD]
    known = one.looked_over.known(key, one.hands.do(REPLAY, replays.game_record, one.place, key))
    better = known["moves"][n - 1]["best"] if known is not None else None
    return {"good": move in good or (better is not None and move == better)}


def _must_not_help_on(key: str) -> None:
    """Refuse to review an unfinished game while the hall has switched help off."""
    one = companion()
    if not help_is_off(one.home):
        return
    if not one.hands.do(REPLAY, replays.game_in_short, one.place, key).summary["ended"]:
        one.allow_help()


# --- games of one phone, which count in no statistics --------------------------------------------


@views.post("/api/alone")
def begin_alone() -> Doc:
    """Begin a game of this phone: ``game``, ``level``, and optionally players, set and options."""
    level = asked().get("level", 1)
    if type(level) is not int or level not in LEVELS:
        raise BadRequest("level is a number from 1 to 5")
    companion().allow_help()
    record = record_asked(asked())
    seat = record.start.players[0]
    return show_alone(companion().alone.begin(record, seat, level, guard.caller()))


@views.post("/api/alone/<name>")
def play_alone(name: str) -> Doc:
    """Make a move (``move``), or leave the game (``leave``)."""
    if asked().get("leave") is True:
        companion().alone.leave(name)
        return {"left": True}
    move = told("move", dict, "move is a move")
    companion().allow_help()
    companion().alone.play(name, move)
    return show_alone(name)


@views.get("/api/alone/<name>/table.svg")
def table_alone(name: str) -> Response:
    """Return the table of a game of one phone as SVG."""
    _, match, words = _alone(name)
    shown, stacked = match_drawing.shown(match), request.args.get("stacked") == "1"
    return svg_answer(match_drawing.drawing(match, words, shown, stacked=stacked))


@views.get("/api/alone/<name>")
def show_alone(name: str) -> Doc:
    """Return a game of one phone as it stands, with the legal moves."""
    game, match, words = _alone(name)
    legal = (match.parsed(one, "legal") for one in game.legal)
    return snapshot.match_to_json(match, words) | {
        "drawing": match_drawing.mark_of(match, None),
        "language": words.language,
        "alone": {
            "id": name,
            "seat": game.seat,
            "level": game.level,
            "over": game.over,
            "hand": [{"tile": tile, "label": words.tile(tile)} for tile in game.hand],
        },
        "over": game.over,
        "legal": [snapshot.listed_move(move, match, words) for move in legal],
    }


def _alone(name: str) -> tuple[AloneGame, Game, Speech]:
    """Return a game of one phone, the same as a match, and the words for its guest."""
    game = companion().alone.game(name)
    others = [who for who in game.record.start.players if who != game.seat]
    words = Speech(language(), dict.fromkeys(others, NAME))
    return game, match_drawing.match_to_show(game.record, list(game.moves)), words
