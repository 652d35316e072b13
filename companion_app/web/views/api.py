"""Read-only views: the state, the drawn table, the camera's picture, the rules, the games."""

from __future__ import annotations

from dataclasses import asdict

from flask import Blueprint, Response, current_app, jsonify, request

from companion_app.boxes import some_players
from companion_app.games.kept import KeptGames
from companion_app.help_orders import help_is_off
from companion_app.line.commands import EyeAway, EyeCommands
from companion_app.live.damage import told
from companion_app.spread import spread
from companion_app.web import snapshot
from companion_app.web.context import companion, join_code_shown, speech, svg_answer
from companion_app.web.drawing import match as match_drawing
from companion_app.web.drawing.examples import PARTS as SHOWN_PARTS
from companion_app.web.drawing.examples import example_drawing
from companion_app.web.drawing.table import spot
from companion_app.web.rows import board_side
from companion_app.web.serving import access, guard
from companion_app.web.serving.errors import NotFound
from companion_app.web.serving.exchange import Doc, fresh, language
from companion_app.web.serving.openapi import document
from companion_app.web.serving.routes import PARTS, reaches
from companion_app.web.snapshot import Now
from companion_app.web.speech import LANGUAGES, Speech, catalogue
from engine.draw import face, svg
from engine.draw.display import moved, placed, turned
from engine.draw.palette import coat
from engine.game import AnyGame, Json, Option
from engine.games import GAMES, game_named, has_die
from engine.record import find_set, move_to_json
from engine.tiles import TileSet

views = Blueprint("api", __name__)
MOST_MOVES_SHOWN = 400


@views.get("/health")
def health() -> Doc:
    """Say whether the page and the store work."""
    one = companion()
    games = KeptGames(one.place.file).count()
    standing = one.eye.standing()
    if not one.eye.is_there:
        raise EyeAway
    # The line stays open to a process that was stopped, so it has to answer.
    one.eye.ask(EyeCommands.here)
    checks = [
        {"name": "page", "ok": True, "text": f"phones listening: {one.hub.listening}", "fix": ""},
        {"name": "store", "ok": True, "text": f"games kept: {games}", "fix": ""},
        {
            "name": "table",
            "ok": standing.trouble is None,
            "text": standing.trouble or standing.seeing,
            "fix": "",
        },
    ]
    return {"ok": all(check["ok"] for check in checks), "checks": checks, "looks": standing.looks}


@views.get("/api/state")
def state() -> Response:
    """Return the whole state of the table; ``304`` when it has not changed."""
    now, words = companion().now(), speech()
    text = companion().shared.answer(
        now.mark,
        ("state", words.language),
        lambda: current_app.json.dumps(snapshot.state(now, words)),
    )
    answer = Response(text, mimetype="application/json")
    answer.add_etag()
    return answer.make_conditional(request)  # type: ignore[return-value]


@views.get("/api/me")
def me() -> Doc:
    """Return this guest's rights, settings for the page, and the token that changes need."""
    settings = companion().settings.now
    return {
        "token": guard.own_token(),
        "host": access.is_host(),
        "role": access.role(),
        "seats": list(access.seats()),
        "taken": companion().sessions.taken(settings.join_number, access.sitting()),
        "asks_who": access.asks_who(),
        "may": {part: reaches(access.role(), settings.least(part)) for part in PARTS},
        "may_answer": reaches(access.role(), settings.least("telling")),
        "join_code": join_code_shown(),
        "open_to": settings.open_now(),
        "names": list(settings.names) if access.is_host() else [],
        "card": bool(settings.card_hash),
        "salvaged": _salvaged(),
        "players_answer": settings.players_answer,
        "pictures_mb": settings.pictures_mb,
        "ideas": settings.ideas,
        "help_off": help_is_off(companion().home),
        "language": language(),
        "languages": {code: catalogue(code)["name"] for code in LANGUAGES},
        "address": companion().address,
        "reads_photos": companion().read_photo is not None,
        "camera": companion().eye.standing().source is not None,
    }


def _salvaged() -> str | None:
    """Return a sentence on games that were damaged; ``None`` once it was dismissed."""
    found = told(companion().home)
    return None if found is None else speech({}).page("salvaged", **asdict(found))


@views.get("/api/strings/<code>.json")
def strings(code: str) -> Response:
    """Return the texts of the page in one language."""
    if code not in LANGUAGES:
        raise NotFound
    return fresh(jsonify(catalogue(code)["page"]))


@views.get("/api/table.svg")
def table() -> Response:
    """Return the table as SVG: as accepted (``show=before``), or with the announced foul."""
    now, words = companion().now(), speech()
    before, stacked = request.args.get("show") == "before", request.args.get("stacked") == "1"
    return svg_answer(
        companion().shared.answer(
            now.mark,
            ("table", words.language, before, stacked),
            lambda: _drawn(now, words, before, stacked),
        )
    )


def _drawn(now: Now, words: Speech, before: bool, stacked: bool) -> str:
    if now.match is None:
        raise NotFound(code="no-game")
    shown = match_drawing.shown_now(now.match, None if before else now.pending)
    return match_drawing.drawing(now.match, words, shown, stacked=stacked)


@views.get("/api/picture.jpg")
def picture() -> Response:
    """Return the camera's current picture, also without a game."""
    jpeg = companion().eye.ask(EyeCommands.picture)
    if not jpeg:
        raise NotFound(code="no-picture")
    return Response(jpeg, mimetype="image/jpeg")


@views.get("/api/tile.svg")
def tile() -> Response:
    """Return one tile face, for questions and corrections."""
    name, box_name = request.args.get("tile", ""), request.args.get("game", "")
    turns = request.args.get("turns", "0")
    game = game_named(box_name)
    box = find_set(game, request.args.get("set"), companion().place.set_folders)
    if name not in box or turns not in ("0", "1", "2", "3"):
        raise NotFound
    shown = face(box, box[name])
    wide, high = shown.size_mm
    middle = (wide / 2, high / 2)
    art = placed(
        [shown.cut()], moved(*middle), turned(90 * int(turns)), moved(-middle[0], -middle[1])
    )
    return _for_a_day(svg_answer(svg([art], (0, 0, wide, high), speech().tile(name))))


@views.get("/api/moves")
def moves() -> Doc:
    """Return the legal moves right now, each with its places."""
    match = companion().now().match
    if match is None or match.ended:
        return {"moves": []}
    companion().allow_help()
    legal = spread(match.game.legal_moves(match.position), MOST_MOVES_SHOWN)
    return {
        "moves": [
            {"move": move_to_json(move), "spots": [spot(p) for p in match.cells_of(move)]}
            for move in legal
        ]
    }


@views.get("/api/rules/<game_name>/<part>.svg")
def rules_picture(game_name: str, part: str) -> Response:
    """Return an example table that illustrates a part of a game's summary."""
    if game_name not in GAMES or part not in SHOWN_PARTS:
        raise NotFound
    return _for_a_day(svg_answer(example_drawing(game_name, part, language())))


def _for_a_day(answer: Response) -> Response:
    answer.headers["Cache-Control"] = "max-age=86400"
    return answer


def _prints(box: TileSet) -> list[str]:
    """Return the printable parts of a box."""
    boards = ["boards"] if "board" in box.extras else []
    die = ["die"] if has_die(box.game) else []
    return ["instructions", "tiles", *boards, *die, "calibration"]


@views.get("/api/games")
def games() -> Doc:
    """Return all games that have a rule book, with players and options in words."""
    return {"games": [_game_to_json(game, speech({})) for game in GAMES.values()]}


def _game_to_json(game: AnyGame, words: Speech) -> Doc:
    facts, box = game.facts, find_set(game, None)
    board = box.extras.get("board", {})
    return {
        "game": facts.name,
        "title": facts.title,
        "about": words.page(f"about-{facts.name}"),
        "fewest": facts.fewest_players,
        "most": facts.most_players,
        "at_first": list(some_players(game)) if facts.player_names else [],
        "two_sit_opposite": facts.two_sit_opposite,
        "board_side": board_side(box),
        "players": [
            {"id": name, "word": words.player(name), "colour": coat(name, box.colours).base}
            for name in facts.player_names or ()
        ],
        "options": [
            _option_to_json(facts.name, option, board.get(option.name, option.default), words)
            for option in facts.options
        ],
        "sets": _sets(game),
        "prints": _prints(box),
        "summary": words.summary(facts.name, facts.summary),
        "rules": [
            {
                "id": rule.id,
                "text": words.rule(facts.name, rule),
                "source": words.source(rule.source),
                "rulings": list(rule.rulings),
            }
            for rule in facts.rules
        ],
        "tiles": [
            {"tile": name, "label": words.tile(name), "count": count}
            for name, count in box.counts.items()
        ],
    }


def _option_to_json(game: str, option: Option, default: Json, words: Speech) -> Doc:
    """Return an option with its values in words, and what it makes sense with."""
    return {
        "name": option.name,
        "default": default,
        "text": words.option(game, option.name, option.text),
        "question": words.option_question(option.name),
        "values": [
            {"value": value, "word": words.option_value(option.name, value)}
            for value in option.values
        ],
        "more": option.more,
        "players": list(option.players),
        "only_with": {other: list(values) for other, values in option.only_with.items()},
    }


def _sets(game: AnyGame) -> list[dict[str, str]]:
    """Return the boxes that a game can be played with: its own, then those of the owner."""
    own = find_set(game, None)
    listed = [{"set": own.name, "title": own.title or game.facts.title}]
    for name, title, of in companion().own_boxes.named.of(companion().place.set_folders):
        if of == game.facts.name and name != own.name:
            listed.append({"set": name, "title": title})
    return listed


@views.get("/api/openapi.json")
def openapi() -> Doc:
    """Return the OpenAPI description of this interface."""
    return document()
