"""The public feed as an OpenAPI 3.1 document. A test compares it with the routes, both ways."""

from __future__ import annotations

from typing import Any

Doc = dict[str, Any]
TEXT: Doc = {"type": "string"}
NUMBER: Doc = {"type": "integer"}
YES_NO: Doc = {"type": "boolean"}
PLAYER: Doc = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "name": TEXT,
        "coloured": YES_NO,
        "colour": TEXT,
        "score": {"type": ["integer", "null"]},
        "turn": YES_NO,
        "winner": YES_NO,
    },
}
TABLE: Doc = {
    "type": "object",
    "required": ["id"],
    "properties": {
        "id": TEXT,
        "name": TEXT,
        "version": NUMBER,
        "number": NUMBER,
        "key": TEXT,
        "away": YES_NO,
        "gone": {**YES_NO, "description": "it was sent away; nothing else is said of it"},
        "broken": {**YES_NO, "description": "what it sent makes no game"},
        "camera": TEXT,
        "calls": {"type": "array", "items": TEXT},
        "game": TEXT,
        "title": TEXT,
        "players": {"type": "array", "items": PLAYER},
        "moves": NUMBER,
        "over": YES_NO,
        "foul": {"type": ["object", "null"]},
        "hand": NUMBER,
        "drawing": TEXT,
    },
}
ID: Doc = {
    "name": "id_",
    "in": "path",
    "required": True,
    "schema": TEXT,
    "description": "a table's id, or its name, which stays when its box is swapped",
}


def _query(name: str, schema: Doc, about: str) -> Doc:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": about}


LANG = _query("lang", {"enum": ["en", "de", "fr", "ru", "cs"]}, "language of all sentences")
N = _query("n", NUMBER, "as it stood after so many moves; the end where it is missing")
GAME = _query("game", TEXT, "a game of this table; its last where it is missing")
ALL: Doc = {
    "type": "object",
    "properties": {
        "serial": NUMBER,
        "now_s": {"type": "number"},
        "tables": {"type": "array", "items": TABLE},
    },
}
TOURNAMENT_ID: Doc = {"name": "id_", "in": "path", "required": True, "schema": TEXT}
SHORT: Doc = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "name": TEXT,
        "game": TEXT,
        "round": NUMBER,
        "rounds": NUMBER,
        "stage": TEXT,
        "over": YES_NO,
        "players": NUMBER,
    },
}
TOURNAMENT: Doc = {
    "type": "object",
    "properties": {
        "id": TEXT,
        "events": NUMBER,
        "format": TEXT,
        "version": NUMBER,
        "settings": {"type": "object"},
        "over": YES_NO,
        "tie_breaks": {"type": "array"},
        "players": {"type": "array", "items": {"type": "object"}},
        "rounds": {"type": "array", "items": {"type": "object"}},
        "groups": {"type": "array", "items": TEXT},
        "standings": {"type": "object"},
        "overall": {"type": "array", "items": {"type": "object"}},
    },
}
PATHS: dict[str, tuple[str, str, list[Doc], Doc]] = {
    "/api/hall": ("How all tables stand", "application/json", [], ALL),
    "/api/hall/events": (
        "Server-sent events: `tables`, all that changed in one, at most once a second",
        "text/event-stream",
        [_query("since", NUMBER, "the serial that is known; so does Last-Event-ID")],
        TEXT,
    ),
    "/api/hall/tables/{id_}": (
        "One table, and a game of it as it stood",
        "application/json",
        [ID, GAME, N, LANG],
        TABLE,
    ),
    "/api/hall/tables/{id_}/events": (
        "Server-sent events: `table`, whenever it changes",
        "text/event-stream",
        [ID],
        TEXT,
    ),
    "/api/hall/tables/{id_}/table.svg": (
        "The table drawn",
        "image/svg+xml",
        [ID, GAME, N, LANG, _query("v", TEXT, "makes the address one that may be kept")],
        TEXT,
    ),
    "/api/hall/tournaments": (
        "All tournaments in short",
        "application/json",
        [],
        {"type": "object", "properties": {"tournaments": {"type": "array", "items": SHORT}}},
    ),
    "/api/hall/tournaments/{id_}": (
        "A tournament as the public sees it, later than it is where its director wants it so",
        "application/json",
        [TOURNAMENT_ID, LANG],
        TOURNAMENT,
    ),
    "/api/hall/tournaments/{id_}/events": (
        "Server-sent events: `tournament`, with the number of the last event to be seen",
        "text/event-stream",
        [TOURNAMENT_ID],
        TEXT,
    ),
    "/api/hall/tournaments/{id_}/why": (
        "Why one player stands before another, in words",
        "application/json",
        [TOURNAMENT_ID, _query("one", TEXT, "a player"), _query("two", TEXT, "another"), LANG],
        {"type": "object", "properties": {"text": TEXT}},
    ),
    "/api/hall/tournaments/{id_}/export": (
        "A file: CSV that no spreadsheet computes, JSON, or plays for Board Game Stats",
        "*/*",
        [
            TOURNAMENT_ID,
            LANG,
            _query(
                "as",
                {
                    "enum": [
                        "standings.csv",
                        "results.csv",
                        "tournament.json",
                        "log.json",
                        "bgstats.zip",
                    ]
                },
                "which file",
            ),
        ],
        TEXT,
    ),
    "/api/hall/openapi.json": ("This document", "application/json", [], {"type": "object"}),
}


def document() -> Doc:
    """Return the document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Snake Eye hall",
            "version": "1",
            "description": "What goes on in a hall of tables. Everybody may read it.",
        },
        "paths": {
            path: {
                "get": {
                    "summary": summary,
                    "parameters": parameters,
                    "responses": {
                        "200": {"description": summary, "content": {kind: {"schema": schema}}},
                        "404": {"description": "There is no such table or game"},
                        "429": {"description": "Too often; Retry-After says when"},
                        "503": {"description": "No room for one more listener"},
                    },
                }
            }
            for path, (summary, kind, parameters, schema) in PATHS.items()
        },
    }
