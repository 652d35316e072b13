"""Correcting a move from the arbiter's phone: which one, and what it could have been instead."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify

from companion_app.games.play import BROKEN, Game
from companion_app.hall.keeper import names_in
from companion_app.hall.line.message import TABLE_ID
from companion_app.hall.web.hall import hall
from companion_app.web.drawing.match import drawing, shown
from companion_app.web.serving.errors import BadRequest, NotFound
from companion_app.web.serving.exchange import language
from companion_app.web.speech import Speech
from engine.game import Move
from engine.record import move_to_json

blueprint = Blueprint("arbiter_moves", __name__)
MOST_MOVES = 40
MOST_CHOICES = 60


@blueprint.get("/api/arbiter/moves/<table>")
def moves(table: str) -> Response:
    """Return the last moves of a table's game in words, the newest first."""
    game = _game(table)
    words, coloured = Speech(language(), names_in(game)), bool(game.box.colours)
    newest = list(enumerate(game.accepted, start=1))[: -MOST_MOVES - 1 : -1]
    return jsonify(
        {"moves": [{"n": n, "text": words.move(one.move, coloured)} for n, one in newest]}
    )


@blueprint.get("/api/arbiter/moves/<table>/<int:n>")
def choices(table: str, n: int) -> Response:
    """Return what a move could have been instead, each drawn."""
    game = _game(table)
    coloured, words = bool(game.box.colours), Speech(language(), names_in(game))
    try:
        drawn = [
            {
                "move": move_to_json(one),
                "text": words.move(one, coloured),
                "drawing": drawing(game, words, shown(game, n, one)),
            }
            for one in other_moves(game, n)
        ]
    except BROKEN as error:
        raise NotFound(code="no-game") from error
    return jsonify({"choices": drawn})


def other_moves(game: Game, n: int) -> list[Move]:
    """Return the legal alternatives to the nth move: those on its cells, or all if none is."""
    if not 1 <= n <= len(game.accepted):
        raise NotFound(code="no-game")
    wrong = game.accepted[n - 1].move
    legal = [
        one
        for one in game.game.legal_moves(game.position_after(n - 1))
        if one != wrong and one.player == wrong.player
    ]
    here = [one for one in legal if _place(one) & _place(wrong)]
    return (here or legal)[:MOST_CHOICES]


def correction(table: str, key: str, n: Any, move: Any) -> dict[str, Any]:
    """Return a correction as the body of a ruling; refuse one that is not among the choices."""
    game = _game(table, key)
    if not isinstance(n, int) or isinstance(n, bool):
        raise BadRequest("n is the number of a move")
    try:
        known = any(move_to_json(one) == move for one in other_moves(game, n))
    except BROKEN as error:
        raise NotFound(code="no-game") from error
    if not known:
        raise BadRequest("move is one that could have been")
    return {"move_n": n, "move": move}


def _place(move: Move) -> frozenset[Any]:
    if move.cells is not None:
        return frozenset((move.board, *cell) for cell in move.cells)
    return frozenset() if move.at is None else frozenset([(move.board, move.snake, move.at)])


def _game(table: str, key: str = "") -> Game:
    shown = hall().overview.board.table(table) if TABLE_ID.fullmatch(table) else None
    key = key or (str(shown.document["key"]) if shown is not None else "")
    game = hall().games.game(table, key) if key else None
    if game is None:
        raise NotFound(code="no-game")
    return game
