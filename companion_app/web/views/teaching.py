"""Teaching in the page: photos of the owner's tiles, their names, and the shelf of taught boxes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Blueprint, Response, current_app, jsonify, request

from companion_app.hands.work import PHOTO
from companion_app.web.context import companion, speech
from companion_app.web.lessons.board_lesson import BOARD
from companion_app.web.lessons.lesson import LessonDraft
from companion_app.web.lessons.photo_reading import tried
from companion_app.web.serving import access
from companion_app.web.serving.errors import BadRequest, WebError
from companion_app.web.serving.exchange import asked
from engine.games import GAMES, game_named
from engine.record import find_set
from vision import ModelError

blueprint = Blueprint("teaching", __name__)
DRAFT = "snake-eye-lesson"


def sets_folder() -> Path:
    """Return the owner's folder of sets."""
    folders = companion().place.set_folders
    return folders[0] if folders else companion().home / "sets"


def draft() -> LessonDraft:
    """Return the lesson that is being prepared."""
    known: dict[str, LessonDraft] = current_app.extensions
    if DRAFT not in known:
        home = companion().home
        known[DRAFT] = LessonDraft(home / "lesson", sets_folder(), home / "corrections",
                                   companion().hands)  # fmt: skip
    return known[DRAFT]


def _shown() -> dict[str, Any]:
    """Return the lesson, and why it was not learnt in the guest's words."""
    shown = draft().shown()
    if "code" in shown["learning"]:
        shown["learning"]["text"] = speech().page(f"error-{shown['learning']['code']}")
    return shown


@blueprint.get("/api/teaching")
@access.part_of("boxes")
def shelf() -> Response:
    """Return the taught boxes, and for the host the lesson that is being prepared."""
    from models.teaching.shelf import refused

    # First how the lesson stands: what is learnt by then lies on the shelf.
    lesson = _shown() if access.is_host() else {}
    games = _games()
    words = {tile: speech().tile(tile) for tiles in games.values() for tile in tiles}
    titles = {name: game.facts.title for name, game in GAMES.items()}
    answer = {"boxes": _listed(), "games": games, "boards": _boards(),
              "titles": titles, "words": words}  # fmt: skip
    if access.is_host():
        answer["refused"] = [
            {"file": file, "text": speech().page("teach-refused", name=file), "detail": why}
            for file, why in refused(sets_folder()).items()
        ]
    return jsonify(answer | lesson)


def _listed() -> list[dict[str, Any]]:
    """Return the taught boxes, each with a word on who signed it."""
    from models.teaching.shelf import listed

    words, boxes = speech(), listed(sets_folder())
    for box in boxes:
        signed = box["signed"]
        signed["text"] = words.page(f"box-{signed['state']}", name=signed["by"])
    return boxes


def _games() -> dict[str, list[str]]:
    """Return the tiles that can be taught, by game: those of one cell."""
    out = {}
    for name in GAMES:
        box = find_set(game_named(name), None)
        if box.lattice == "square":
            out[name] = [kind.name for kind in box.kinds.values() if len(kind.cells) == 1]
    return out


def _boards() -> dict[str, dict[str, Any]]:
    """Return the games with boards: their colours in the guest's words, and if they can be taught.

    Clay and the holes of boards are labelled on the command line only.
    """
    words, out = speech(), {}
    for name in GAMES:
        box = find_set(game_named(name), None)
        if "board" in box.extras:
            colours = {colour: words.colour(colour) for colour in box.colours}
            out[name] = {"title": box.title, "colours": colours, "can": "clay" not in box.extras,
                         "tiles": {tile: words.tile(tile) for tile in box.counts}}  # fmt: skip
    return out


@blueprint.post("/api/teaching/photo")
@access.must_be_host
@access.takes_files
def photo() -> Response:
    """Add a photo: sent (multipart, ``photo`` and ``shape``), or the table camera's own (JSON).

    With the shape ``board`` also ``game``, and ``set`` where a taught box is to be improved.
    """
    access.limit_uploads(companion().limiter)
    sent = request.form if request.mimetype != "application/json" else asked()
    shape = sent.get("shape")
    if shape not in ("square", "hex", BOARD):
        raise BadRequest("shape is square, hex or board")
    game = str(sent.get("game", "")) if shape == BOARD else ""
    if shape == BOARD and not _boards().get(game, {}).get("can"):
        raise BadRequest("game is one whose board can be taught")
    file = request.files.get("photo")
    if file is not None:
        data = file.stream.read()
    else:
        data = companion().eye.ask("picture").data
        if not data:
            raise WebError(code="no-camera")
    draft().add_photo(data, shape, game, _taught(sent.get("set"), game))  # type: ignore[arg-type]
    return jsonify(_shown())


def _taught(name: object, game: str) -> str | None:
    """Return the name of a taught box that knows the boards of a game, if it is one."""
    from models.teaching.shelf import listed

    known = [box["name"] for box in listed(sets_folder()) if game and box["game"] == game]
    return str(name) if name in known else None


@blueprint.get("/api/teaching/boards/<int:number>.jpg")
@access.must_be_host
def board(number: int) -> Response:
    """Return a photographed board, straight from above."""
    return Response(draft().board_picture(number), mimetype="image/jpeg")


@blueprint.get("/api/teaching/sorts/<int:number>.jpg")
@access.must_be_host
def sort(number: int) -> Response:
    """Return a cell of one of the sorts that were found on boards."""
    return Response(draft().swatch(number), mimetype="image/jpeg")


@blueprint.get("/api/teaching/tiles/<int:number>.jpg")
@access.must_be_host
def tile(number: int) -> Response:
    """Return one found tile."""
    return Response(draft().tile_picture(number), mimetype="image/jpeg")


@blueprint.post("/api/teaching/lesson")
@access.must_be_host
def change_lesson() -> Response:
    """Name and turn groups, move tiles from one to another; or put the lesson away."""
    sent = asked()
    if sent.get("forget") is True:
        draft().forget()
    else:
        draft().change(sent)
    return jsonify(_shown())


@blueprint.post("/api/teaching/learn")
@access.must_be_host
def learn() -> Response:
    """Begin to learn; ``/api/teaching`` says how it goes."""
    from models.teaching.errors import TeachingError

    sent = asked()
    game = sent.get("game") or None
    if game is not None:
        game_named(game)
    try:
        draft().learn(_title(sent.get("name")), game, ups=sent.get("ups") is True,
                      anew=sent.get("replace") is True)  # fmt: skip
    except TeachingError as error:
        raise WebError(str(error), code="cannot-teach") from error
    return jsonify(_shown())


def _title(value: object) -> str:
    """Return what a box is to be called.

    Raises:
        WebError: nothing that can be seen.
    """
    from models.teaching.shelf import LONGEST_TITLE

    text = "".join(c for c in str(value or "") if c.isprintable())
    title = " ".join(text.split())[:LONGEST_TITLE]
    if not title:
        raise WebError(code="teach-no-name")
    return title


@blueprint.get("/api/teaching/photos/<int:number>.jpg")
@access.must_be_host
def lesson_photo(number: int) -> Response:
    """Return a photo of the lesson, to mark tiles in."""
    return Response(draft().photo_picture(number), mimetype="image/jpeg")


@blueprint.post("/api/teaching/mark")
@access.must_be_host
def mark() -> Response:
    """Add a tile by its corners (``outline``, shares of the picture) in a photo (``photo``)."""
    sent = asked()
    number = sent.get("photo")
    draft().mark(number if type(number) is int else -1, sent.get("outline"))
    return jsonify(_shown())


@blueprint.post("/api/teaching/boxes")
@access.must_be_host
def boxes() -> Response:
    """Rename (``rename``, ``to``) or delete (``delete``) a taught box."""
    from models.teaching.errors import TeachingError
    from models.teaching.shelf import delete

    sent = asked()
    try:
        if "delete" in sent:
            delete(sets_folder(), str(sent["delete"]))
        elif "rename" in sent:
            _rename(str(sent["rename"]), _title(sent.get("to")))
        else:
            raise BadRequest("say rename or delete")
    except TeachingError as error:
        raise WebError(str(error), code="cannot-teach") from error
    return jsonify({"boxes": _listed()})


def _rename(name: str, title: str) -> None:
    """Call a box otherwise; its files too, since that is what others see who are given it."""
    from models.teaching.parcel import exported, rename
    from models.teaching.shelf import give_title, name_for

    exported(sets_folder(), name)
    to = name_for(sets_folder(), title)
    if to != name:
        rename(sets_folder(), name, to)
    give_title(sets_folder(), to, title)


@blueprint.post("/api/teaching/import")
@access.must_be_host
@access.takes_files
def take_in() -> Response:
    """Take in a box from a file (multipart, ``box``); it is checked, and nothing in it is run."""
    from models.teaching.errors import TeachingError
    from models.teaching.parcel import taken_in
    from models.teaching.shelf import give_title, name_for

    access.limit_uploads(companion().limiter)
    file = request.files.get("box")
    if file is None:
        raise BadRequest("send a box")
    try:
        other = request.form.get("name")
        title = _title(other) if other else None
        to = name_for(sets_folder(), title) if title else None
        name = taken_in(sets_folder(), file.stream.read(), to)
        if title:
            give_title(sets_folder(), name, title)
    except TeachingError as error:
        raise WebError(str(error), code="bad-box") from error
    return jsonify({"name": name, "boxes": _listed()})


@blueprint.get("/api/teaching/boxes/<name>.zip")
@access.part_of("boxes")
def give_away(name: str) -> Response:
    """Return a taught box as one file."""
    from models.teaching.errors import TeachingError
    from models.teaching.parcel import exported

    try:
        data = exported(sets_folder(), name)
    except TeachingError as error:
        raise WebError(str(error), code="cannot-teach") from error
    named = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return Response(data, mimetype="application/zip", headers=named)


@blueprint.post("/api/teaching/trial")
@access.must_be_host
@access.takes_files
def trial() -> Response:
    """Read a photo (multipart, ``photo`` and ``set``) with a taught box: what is sure, what not."""
    access.limit_uploads(companion().limiter)
    file, name = request.files.get("photo"), str(request.form.get("set", ""))
    if file is None:
        raise BadRequest("send a photo")
    try:
        return jsonify(companion().hands.do(PHOTO, tried, file.stream.read(), name, sets_folder()))
    except ModelError as error:
        raise WebError(str(error), code="box-broken") from error
