"""The interface in writing (OpenAPI 3.1): every address, what it takes and what it answers.

It is made of the table of access.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from companion_app.web.serving.routes import HOST, TABLE, Route

Doc = dict[str, Any]
TEXT: Doc = {"type": "string"}
NUMBER: Doc = {"type": "integer"}
ANYTHING: Doc = {"type": "object"}
TYPES: Mapping[str, Doc] = {
    "text": TEXT,
    "texts": {"type": "array", "items": TEXT},
    "texts-or-null": {"type": ["array", "null"]},
    "number": NUMBER,
    "number-or-null": {"type": ["integer", "null"]},
    "yes-no": {"type": "boolean"},
    "object": ANYTHING,
    "any": {},
}
"""The types that rows of the table name; words with a bar between them are the values there are."""
MEDIA = {
    "svg": "image/svg+xml",
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "zip": "application/zip",
    "pem": "application/x-x509-ca-cert",
    "/api/events": "text/event-stream",
    "/api/corrections/{name}": "image/jpeg",
}
"""The media type of an answer, by the suffix of its address or the whole address; else JSON."""
PLACE: Doc = {"type": "string", "pattern": r"^\d+:-?\d+:-?\d+$"}
PARAMETER = re.compile(r"<(int:)?(\w+)>")


def _object(**properties: Doc) -> Doc:
    return {"type": "object", "properties": properties}


ERROR: Doc = {
    "description": "Refused; says why",
    "content": {
        "application/json": {"schema": _object(error=_object(code=TEXT, text=TEXT, detail=TEXT))}
    },
}


def path_of(route: Route) -> str:
    """Return the address of a route as the document writes it."""
    return PARAMETER.sub(r"{\2}", route.address)


def _schema(kind: str) -> Doc:
    return TYPES[kind] if kind in TYPES else {"enum": kind.split("|")}


def _in_path(route: Route) -> list[Doc]:
    return [
        {"name": name, "in": "path", "required": True, "schema": NUMBER if number else TEXT}
        for number, name in PARAMETER.findall(route.address)
    ]


def _in_query(route: Route) -> list[Doc]:
    told = ((name, *kind.partition(": ")) for name, kind in route.takes.items())
    return [
        {
            "name": name,
            "in": "query",
            "required": False,
            "schema": _schema(kind),
            "description": about,
        }
        for name, kind, _, about in told
    ]


def _read(route: Route) -> Doc:
    path = path_of(route)
    media = MEDIA.get(path) or MEDIA.get(path.rpartition(".")[2], "application/json")
    return {
        "summary": route.about,
        "parameters": [*_in_path(route), *_in_query(route)],
        "responses": {
            "200": {"description": route.about, "content": {media: {"schema": {}}}},
            "default": ERROR,
        },
    }


def _change(route: Route) -> Doc:
    schema = _object(**{name: _schema(kind) for name, kind in route.takes.items()})
    return {
        "summary": route.about,
        "description": "Only the host may do this." if route.part.least == HOST else "",
        "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
        "security": [{"page": [], "token": []}],
        "responses": {
            "200": {
                "description": route.about,
                "content": {"application/json": {"schema": ANYTHING}},
            },
            "default": ERROR,
        },
    }


def document() -> Doc:
    """Return the whole OpenAPI document."""
    paths: Doc = {}
    for route in TABLE.values():
        if route.about:
            written = _read(route) if route.method == "GET" else _change(route)
            paths.setdefault(path_of(route), {})[route.method.lower()] = written
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
