"""The referee's questions for the page: a sentence, and answers with pictures of the guesses."""

from __future__ import annotations

from companion_app.games.play import Game
from companion_app.live.questions import QuestionShown
from companion_app.web.drawing.table import spot
from companion_app.web.speech import Speech
from engine.game import Json

Doc = dict[str, Json]

NAMED = ("discard", "pass", "hidden")
"""Choices that give a question its own sentence, instead of the one for its subject."""


def question_in_words(shown: QuestionShown, match: Game, speech: Speech) -> Doc:
    """Return a question for the page: its sentence, its answers with pictures, and the places."""
    question = shown.question
    about, named = question["about"], (name for name in NAMED if name in shown.named)
    asks = f"ask-{next(named, about)}" + ("-drops" if "drops" in question else "")
    return {
        **question,
        "text": speech.page(asks, player=", ".join(map(speech.player, shown.asked_of))),
        "concerns": list(shown.concerns),
        "answers": [
            _answer(about, guess, number, match, speech)
            for number, guess in enumerate(question["guesses"])
        ],
        "spots": list(map(spot, shown.places)),
    }


def _answer(about: str, guess: Json, number: int, match: Game, speech: Speech) -> Doc:
    if about == "roll":
        return {"value": guess, "label": str(guess)}
    if about == "next":
        return {"value": guess, "label": speech.player(str(guess))}
    if isinstance(guess, list) and guess and isinstance(guess[0], str):
        answer = _tile_answer(guess, match, speech)
        return answer if about == "tile" else answer | {"value": guess[0]}
    if about == "hand":
        return {"value": guess, "label": speech.page(f"hand-{guess}"), "tile": None}
    return {"value": number, "label": _row_in_words(guess, speech), "tile": _tile_in(guess, match)}


def _tile_answer(guess: list[Json], match: Game, speech: Speech) -> Doc:
    """Return the answer for a guessed tile, with its picture; for a hex cell only its colour."""
    tile, share = str(guess[0]), guess[1]
    turns = guess[2] if len(guess) > 2 else 0
    if tile in match.box:
        turned = {"tile": tile, "turns": turns} if match.box.lattice == "square" else tile
        return {
            "value": turned,
            "label": speech.tile(tile),
            "tile": tile,
            "turns": turns,
            "share": share,
        }
    if tile == "none":
        return {"value": tile, "label": speech.page("nothing-there"), "tile": None, "share": share}
    single = f"{tile}/1"
    return {
        "value": tile,
        "label": speech.colour(tile),
        "tile": single if single in match.box else None,
        "share": share,
    }


def _tile_in(guess: Json, match: Game) -> str | None:
    """Return the tile of a guess that is a single move; ``None`` for any other guess."""
    if not isinstance(guess, list) or len(guess) != 1 or not isinstance(guess[0], dict):
        return None
    named = guess[0].get("tile")
    for tile in (named, f"{guess[0].get('player')}/{named}"):
        if tile in match.box:
            return str(tile)
    return None


def _row_in_words(guess: Json, speech: Speech) -> str:
    """Return a guessed sequence of moves in words."""
    moves = guess if isinstance(guess, list) else [guess]
    said = [
        f"{speech.player(str(m.get('player', '')))}: {speech.tile(str(m.get('tile', '')))}"
        for m in moves
        if isinstance(m, dict)
    ]
    return " → ".join(said) or speech.page("answer-taken-back")
