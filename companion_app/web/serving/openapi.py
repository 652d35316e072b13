"""The interface in writing (OpenAPI 3.1): every address, what it takes and what it answers.

A test holds it against the routes of the application, both ways.
"""

from __future__ import annotations

import re
from typing import Any

Doc = dict[str, Any]
TEXT: Doc = {"type": "string"}
NUMBER: Doc = {"type": "integer"}
YES_NO: Doc = {"type": "boolean"}
ANYTHING: Doc = {"type": "object"}
PLAYERS: Doc = {"type": "array", "items": TEXT}
NUMBERS = ("number", "seq")
"""Names of path parameters that are integers."""
KINDS = {
    "svg": "image/svg+xml",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "zip": "application/zip",
    "pem": "application/x-x509-ca-cert",
    "/api/events": "text/event-stream",
    "/api/corrections/{name}": "image/jpeg",
}
"""The media type of an answer, by the suffix of its address or the whole address; else JSON."""


def _query(name: str, schema: Doc, about: str) -> Doc:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": about}


def _object(**properties: Doc) -> Doc:
    return {"type": "object", "properties": properties}


LANG = _query("lang", {"enum": ["en", "de", "fr", "ru", "cs"]}, "language of all sentences")
N = _query("n", NUMBER, "as it stood after so many moves; the end where it is missing")
PLACE: Doc = {"type": "string", "pattern": r"^\d+:-?\d+:-?\d+$"}

READ: dict[str, tuple[str, list[Doc]]] = {
    "/health": ("Whether all is well", []),
    "/api/state": ("The whole table right now", [LANG]),
    "/api/events": (
        "Server-sent events: what happens, as it happens; `beat` in silence",
        [_query("since", NUMBER, "the last event known; so does Last-Event-ID")],
    ),
    "/api/health": ("What doctor says of this machine", [LANG]),
    "/api/update": (
        "Which release runs, which waits, how the last update went, why it cannot be",
        [],
    ),
    "/api/backup.zip": ("The backup that was made; only for the host", []),
    "/api/hall": ("Which hall this table is in, and whether a hand is up", []),
    "/api/me": ("What this guest may do, and the token for changes", []),
    "/api/strings/{code}.json": ("The words of the page", []),
    "/api/table.svg": (
        "The table drawn",
        [
            LANG,
            _query("show", {"enum": ["before", "after"]}, "around a foul"),
            _query("stacked", {"enum": ["1"]}, "own fields below each other"),
        ],
    ),
    "/api/picture.jpg": ("What the camera sees right now, game or no game", []),
    "/api/camera": (
        "Which camera it is, whether its picture will do, and what to change where (boxes are "
        "left, top, width and height as shares of the picture)",
        [
            LANG,
            _query("game", TEXT, "the game to come"),
            _query("set", TEXT, "the box"),
            _query("players", TEXT, "with a comma between them"),
        ],
    ),
    "/api/camera.svg": ("The camera's picture with outlines of what was read", [LANG]),
    "/api/sheet.pdf": ("The calibration sheet to print", [_query("paper", TEXT, "a4 or letter")]),
    "/api/authority.pem": ("The certificate that makes a phone trust this machine's https", []),
    "/api/tile.svg": (
        "One tile face",
        [
            _query("game", TEXT, "the game"),
            _query("set", TEXT, "the box"),
            _query("tile", TEXT, "the tile"),
            _query("turns", NUMBER, "0 to 3"),
        ],
    ),
    "/api/moves": ("The legal moves right now", []),
    "/api/rules/{game_name}/{part}.svg": (
        "A table that shows a part of a game's summary: goal, turn, end or scoring",
        [LANG],
    ),
    "/api/games": ("The games there are rule books for", [LANG]),
    "/api/sessions": ("The phones that may do more than watch; only for the host", []),
    "/api/openapi.json": ("This document", []),
    "/api/qr.svg": (
        "The address of the page as a QR code",
        [_query("view", TEXT, "of one of its views, such as camera")],
    ),
    "/api/history": ("The kept games, the newest first", [LANG]),
    "/api/statistics": ("What the kept games say about each person", []),
    "/api/series": (
        "Games of one kind that the same people played one after the other, added up",
        [LANG],
    ),
    "/api/teaching": ("Taught boxes; for the host also the lesson that is being prepared", [LANG]),
    "/api/teaching/tiles/{number}.jpg": ("A tile found in the lesson's photos", []),
    "/api/teaching/photos/{number}.jpg": ("A photo of the lesson, to mark tiles in", []),
    "/api/teaching/boards/{number}.jpg": (
        "A board in the lesson's photos, straight from above",
        [],
    ),
    "/api/teaching/sorts/{number}.jpg": ("A cell of a colour that was found on it", []),
    "/api/teaching/boxes/{name}.zip": ("A taught box as one file", []),
    "/api/corrections": ("Labelled pictures of what people put right", [LANG]),
    "/api/corrections/{name}": ("One of them", []),
    "/api/games/{key}": ("One kept game", [N, LANG]),
    "/api/games/{key}/table.svg": ("Its table drawn", [N, LANG]),
    "/api/games/{key}/pictures/{seq}/{name}.jpg": ("A kept picture", []),
    "/api/games/{key}/look-over": ("What its moves were worth; ask until it is ready", [LANG]),
    "/api/mistakes": (
        "Where games were lost, player by player, over those that were looked over",
        [LANG],
    ),
    "/api/alone/{name}": ("A game of one phone against the machine", [LANG]),
    "/api/alone/{name}/table.svg": ("Its table drawn", [LANG]),
    "/api/games/{key}/record.json": ("The game in the record format", []),
    "/api/games/{key}/play.bgsplay": ("The game for Board Game Stats", []),
    "/api/print/{game_name}/{part}.pdf": (
        "One PDF to print in the guest's words: tiles, boards, die, calibration or instructions",
        [_query("set", TEXT, "a box"), _query("paper", {"enum": ["a4", "letter"]}, "the paper")],
    ),
    "/api/print/{game_name}.zip": (
        "Tiles to cut out, as PDF sheets",
        [_query("paper", TEXT, "a4 or letter"), _query("set", TEXT, "the box")],
    ),
}
"""GET addresses: each with its summary and query parameters."""

CHANGE: dict[str, tuple[str, bool, Doc]] = {
    "/api/login": (
        "Become the host by the PIN, or by the code on the host card",
        False,
        _object(pin=TEXT, card=TEXT),
    ),
    "/api/salvaged/seen": ("Tell of damaged games no more", True, _object()),
    "/api/card": (
        "Make a host card, shown once, or make the old one invalid",
        True,
        _object(make=YES_NO, forget=YES_NO),
    ),
    "/api/logout": ("Be a guest again; the session ends on the server too", False, _object()),
    "/api/join": (
        "Join by the code, and take the seats that this phone speaks for; none to watch",
        False,
        _object(code=TEXT, seats=PLAYERS),
    ),
    "/api/seats/free": ("Take a seat from every phone that holds it", True, _object(seat=TEXT)),
    "/api/sessions/end": (
        "End a session, or all but this one",
        True,
        _object(session=TEXT, others=YES_NO),
    ),
    "/api/settings": (
        "Change PIN or join code, who may do what, own names, room for pictures",
        True,
        _object(
            pin=TEXT,
            players_answer=YES_NO,
            pictures_mb=NUMBER,
            open_to=ANYTHING,
            names=PLAYERS,
            new_code=YES_NO,
            ideas=NUMBER,
        ),
    ),
    "/api/update": ("Install the release that waits on this machine", True, _object()),
    "/api/backup": ("Write everything that is kept into one file, to be fetched", True, _object()),
    "/api/backup/part": (
        "Take in a part of a backup (the body) at a byte (the query's at)",
        True,
        _object(),
    ),
    "/api/backup/restore": (
        "Restore the backup that was taken in, and start again",
        True,
        _object(with_secrets={"type": "boolean"}),
    ),
    "/api/pictures/wipe": ("Delete every kept picture, those of corrections too", True, _object()),
    "/api/tell": (
        "Answer, roll, pass, discard, finale for the own seat; the host also overrules, "
        "corrects and confirms an answer that drops moves",
        False,
        _object(
            answer=NUMBER,
            value={},
            confirm=YES_NO,
            roll=NUMBER,
            tiles=PLAYERS,
            overrule=NUMBER,
            correct=NUMBER,
            move=ANYTHING,
            discard=TEXT,
            finale=YES_NO,
            stand=YES_NO,
        )
        | {"additionalProperties": True},
    ),
    "/api/hall/hand": (
        "Call the arbiter of the hall, or say that he is no longer needed",
        False,
        _object(raised=YES_NO),
    ),
    "/api/teaching/photo": (
        "Find tiles in a photo (multipart, photo and shape) or in the camera's",
        True,
        _object(shape=TEXT, game=TEXT, set=TEXT),
    ),
    "/api/teaching/lesson": (
        "Name, turn and sort what was found, or forget it",
        True,
        _object(
            names=ANYTHING,
            up=ANYTHING,
            tiles=ANYTHING,
            into={},
            board=NUMBER,
            cells=ANYTHING,
            lies=TEXT,
            sort=NUMBER,
            colour=TEXT,
            drop=YES_NO,
            forget=YES_NO,
        ),
    ),
    "/api/teaching/mark": (
        "Add a tile by its corners in a photo",
        True,
        _object(photo={"type": "integer"}, outline=ANYTHING),
    ),
    "/api/teaching/learn": (
        "Learn the named groups as a box",
        True,
        _object(name=TEXT, game=TEXT, ups=YES_NO, replace=YES_NO),
    ),
    "/api/teaching/boxes": (
        "Rename or delete a taught box",
        True,
        _object(rename=TEXT, to=TEXT, delete=TEXT),
    ),
    "/api/teaching/import": (
        "Take in a box from a file (multipart, box)",
        True,
        _object(name=TEXT),
    ),
    "/api/teaching/trial": (
        "Read a photo with a taught box (multipart, photo and set)",
        True,
        _object(set=TEXT),
    ),
    "/api/corrections/forget": ("Delete one labelled picture, or all", True, _object(file=TEXT)),
    "/api/foul/take-back": ("Say that the tile of a foul was lifted", True, _object()),
    "/api/undo": (
        "Take back what was done last, a move or an answer; with count so many moves",
        True,
        _object(count=NUMBER),
    ),
    "/api/redo": ("Do a move again", True, _object()),
    "/api/pause": ("Let the camera look away, or go on", True, _object(on=YES_NO)),
    "/api/games/rename": (
        "Call a player of a game otherwise",
        True,
        _object(key=TEXT, player=TEXT, name=TEXT),
    ),
    "/api/games/delete": (
        "Delete a game with its pictures; not the one that is on",
        True,
        _object(key=TEXT),
    ),
    "/api/games/{key}/try": (
        "What else could be done in a move, or whether that is good",
        False,
        _object(n=NUMBER, move=ANYTHING),
    ),
    "/api/machine/seat": (
        "Give the machine a seat at a level, or let it leave (null)",
        True,
        _object(player=TEXT, level={"type": ["integer", "null"]}),
    ),
    "/api/machine/mute": ("Let the machine speak no more, or again", False, _object(on=YES_NO)),
    "/api/machine/hand": (
        "Which tiles lie open for the machine; null: what the camera sees aside",
        False,
        _object(player=TEXT, tiles={"type": ["array", "null"]}),
    ),
    "/api/machine/draw": (
        "Which cards were drawn for the machine's roll",
        False,
        _object(tiles=PLAYERS),
    ),
    "/api/ideas": (
        "Three moves worth trying, each with why, as often as the host allows",
        False,
        _object(hand=PLAYERS),
    ),
    "/api/alone": (
        "Begin a game of this phone against the machine",
        False,
        _object(game=TEXT, set=TEXT, players=PLAYERS, options=ANYTHING, level=NUMBER),
    ),
    "/api/alone/{name}": (
        "Make a move in it, or leave it",
        False,
        _object(move=ANYTHING, leave=YES_NO),
    ),
    "/api/end": ("End the game as it stands", True, _object()),
    "/api/resume": ("Take up a game where it was left", True, _object(key=TEXT)),
    "/api/new": (
        "Begin a game",
        True,
        _object(
            game=TEXT,
            set=TEXT,
            players=PLAYERS,
            names=ANYTHING,
            options=ANYTHING,
            record=ANYTHING,
            machine=ANYTHING,
        ),
    ),
    "/api/camera": ("Take another camera", True, _object(source=TEXT)),
    "/api/camera/picture": (
        "A phone's picture: the body, or a single photo (multipart, photo)",
        True,
        _object(),
    ),
    "/api/camera/calibrate": (
        "Learn the camera from the sheet that lies on the table",
        True,
        _object(),
    ),
    "/api/camera/forget": ("Forget what was learnt about the camera", True, _object()),
    "/api/table": (
        "Read the table as it lies, to take up a game in its middle",
        True,
        _object(game=TEXT, set=TEXT, players=PLAYERS, options=ANYTHING),
    ),
    "/api/https": ("Serve the page over https as well", True, _object()),
    "/api/photo-score": (
        "Score a photo (multipart) or a table state",
        False,
        _object(game=TEXT, set=TEXT, table=ANYTHING, options=ANYTHING),
    ),
}

ERROR: Doc = {
    "description": "Refused; says why",
    "content": {
        "application/json": {"schema": _object(error=_object(code=TEXT, text=TEXT, detail=TEXT))}
    },
}


def _in_path(path: str) -> list[Doc]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": NUMBER if name in NUMBERS else TEXT,
        }
        for name in re.findall(r"{(\w+)}", path)
    ]


def document() -> Doc:
    """Return the whole OpenAPI document."""
    paths: Doc = {}
    for path, (about, parameters) in READ.items():
        kind = KINDS.get(path) or KINDS.get(path.rpartition(".")[2], "application/json")
        paths[path] = {
            "get": {
                "summary": about,
                "parameters": [*_in_path(path), *parameters],
                "responses": {
                    "200": {"description": about, "content": {kind: {"schema": {}}}},
                    "default": ERROR,
                },
            }
        }
    for path, (about, host, schema) in CHANGE.items():
        paths.setdefault(path, {})["post"] = {
            "summary": about,
            "description": "Only the host may do this." if host else "",
            "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
            "security": [{"page": [], "token": []}],
            "responses": {
                "200": {
                    "description": about,
                    "content": {"application/json": {"schema": ANYTHING}},
                },
                "default": ERROR,
            },
        }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Snake Eye",
            "version": "1",
            "description": "Places are named field:x:y (hex: board:q:r). Changes are POSTs "
            "that carry the session cookie and, as X-Snake-Eye, the token of /api/me.",
        },
        "paths": paths,
        "components": {
            "schemas": {"Place": PLACE},
            "securitySchemes": {
                "page": {"type": "apiKey", "in": "cookie", "name": "snake_eye"},
                "token": {"type": "apiKey", "in": "header", "name": "X-Snake-Eye"},
            },
        },
    }
