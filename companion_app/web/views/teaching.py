"""Views for teaching: photos of the owner's tiles, their names, and the taught boxes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flask import Blueprint, Response, current_app, request

from companion_app.hands.work import BOX, PHOTO
from companion_app.line.commands import EyeCommands
from companion_app.web.context import companion, speech
from companion_app.web.lessons.board_lesson import BOARD
from companion_app.web.lessons.lesson import LessonDraft
from companion_app.web.serving import access, guard
from companion_app.web.serving.errors import BadRequest, WebError
from companion_app.web.serving.exchange import Doc, a_file, asked, sent_file
from engine.games import GAMES, game_named
from engine.given import without_hidden
from engine.record import find_set
from vision import ModelError

views = Blueprint("teaching", __name__)
DRAFT = "snake-eye-lesson"


def sets_folder() -> Path:
    """Return the owner's folder of sets."""
    folders = companion().place.set_folders
    return folders[0] if folders else companion().home / "sets"


def draft() -> LessonDraft:
    """Return the lesson that is being prepared."""
    home = companion().home
    made = LessonDraft(home / "lesson", sets_folder(), home / "corrections", companion().hands)
    known: LessonDraft = current_app.extensions.setdefault(DRAFT, made)
    return known


@contextmanager
def _refusing(code: str = "cannot-teach") -> Iterator[None]:
    """Turn a ``TeachingError`` into a refusal with its reason."""
    from models.teaching.errors import TeachingError

    try:
        yield
    except TeachingError as error:
        # A sentence of the page says what to do there; the error names labels and options.
        detail = error.about if error.code else str(error)
        raise WebError(detail, code=error.code or code) from error


def _shown() -> Doc:
    """Return the lesson; the reason why learning failed is in the guest's language."""
    shown = draft().shown()
    if "code" in shown["learning"]:
        said = speech().page(f"error-{shown['learning']['code']}")
        shown["learning"]["text"] = f"{said} {shown['learning']['text']}".strip()
    return shown


@views.get("/api/teaching")
def shelf() -> Doc:
    """Return the taught boxes, and for the host the lesson that is being prepared."""
    # Read the lesson before the boxes: a lesson shown as learnt is then among them.
    lesson = _shown() if access.is_host() else {}
    games = _games()
    answer: Doc = {
        "boxes": _listed(),
        "games": games,
        "boards": _boards(),
        "titles": {name: game.facts.title for name, game in GAMES.items()},
        "words": {tile: speech().tile(tile) for tiles in games.values() for tile in tiles},
    }
    if access.is_host():
        answer["refused"] = [
            {"file": file, "text": speech().page("teach-refused", name=file), "detail": why}
            for file, why in companion().own_boxes.refused.of((sets_folder(),)).items()
        ]
    return answer | lesson


def _listed() -> list[Doc]:
    """Return the taught boxes."""
    from models.teaching.shelf import listed

    return listed(sets_folder())


def _games() -> dict[str, list[str]]:
    """Return by game the tiles of one cell, which can be taught; only games of square cards."""
    boxes = {name: find_set(game, None) for name, game in GAMES.items()}
    return {
        name: [kind.name for kind in box.kinds.values() if len(kind.cells) == 1]
        for name, box in boxes.items()
        if box.lattice == "square"
    }


def _boards() -> dict[str, Doc]:
    """Return the games with boards: colours in the guest's language, and if they can be taught."""
    words, boxes = speech(), {name: find_set(game, None) for name, game in GAMES.items()}
    return {
        name: {
            "title": box.title,
            "can": "clay" not in box.extras,
            "colours": {colour: words.colour(colour) for colour in box.colours},
            "tiles": {tile: words.tile(tile) for tile in box.counts},
        }
        for name, box in boxes.items()
        if "board" in box.extras
    }


@views.post("/api/teaching/photo")
def photo() -> Doc:
    """Add a photo: an uploaded one (multipart, ``photo`` and ``shape``), or the camera's (JSON).

    With the shape ``board`` also ``game``, and ``set`` where a taught box is to be improved.
    """
    guard.limit(*guard.UPLOADS)
    sent = request.form if request.mimetype != "application/json" else asked()
    shape = sent.get("shape")
    if shape not in ("square", "hex", BOARD):
        raise BadRequest("shape is square, hex or board")
    game = str(sent.get("game", "")) if shape == BOARD else ""
    if shape == BOARD and not _boards().get(game, {}).get("can"):
        raise BadRequest("game is one whose board can be taught")
    own = "photo" not in request.files
    data = companion().eye.ask(EyeCommands.picture) if own else sent_file("photo")
    if own and not data:
        raise WebError(code="no-camera")
    draft().add_photo(data, shape, game, _taught(sent.get("set"), game))  # type: ignore[arg-type]
    return _shown()


def _taught(name: object, game: str) -> str | None:
    """Return ``name`` if it is a taught box of a game, else ``None``."""
    from models.teaching.shelf import listed

    known = [box["name"] for box in listed(sets_folder()) if game and box["game"] == game]
    return str(name) if name in known else None


@views.get("/api/teaching/boards/<int:number>.jpg")
@views.get("/api/teaching/sorts/<int:number>.jpg")
@views.get("/api/teaching/tiles/<int:number>.jpg")
@views.get("/api/teaching/photos/<int:number>.jpg")
def picture(number: int) -> Response:
    """Return a rectified board, a cell of a sort, a found tile, or a photo to mark tiles in."""
    part = request.path.split("/")[3]
    return Response(draft().picture(part, number), mimetype="image/jpeg")


@views.post("/api/teaching/lesson")
def change_lesson() -> Doc:
    """Name and turn groups, move tiles from one to another; or delete the lesson (``forget``)."""
    sent = asked()
    if sent.get("forget") is True:
        draft().forget()
    else:
        draft().change(sent)
    return _shown()


@views.post("/api/teaching/learn")
def learn() -> Doc:
    """Start learning; ``/api/teaching`` tells the progress."""
    sent = asked()
    game = sent.get("game") or None
    if game is not None:
        game_named(game)
    with _refusing():
        draft().learn(
            _title(sent.get("name")),
            game,
            ups=sent.get("ups") is True,
            anew=sent.get("replace") is True,
        )
    return _shown()


def _title(value: object) -> str:
    """Return the printable title of a box; refuse an empty one."""
    from models.teaching.shelf import LONGEST_TITLE

    title = without_hidden(str(value or ""))[:LONGEST_TITLE]
    if not title:
        raise WebError(code="teach-no-name")
    return title


@views.post("/api/teaching/mark")
def mark() -> Doc:
    """Add a tile by its corners (``outline``, shares of the picture) in a photo (``photo``)."""
    sent = asked()
    number = sent.get("photo")
    draft().mark(number if type(number) is int else -1, sent.get("outline"))
    return _shown()


@views.post("/api/teaching/boxes")
def boxes() -> Doc:
    """Rename (``rename``, ``to``) or delete (``delete``) a taught box."""
    from models.teaching.shelf import delete, rename

    sent = asked()
    with _refusing():
        if "delete" in sent:
            name = str(sent["delete"])
            _check_not_played(name)
            delete(sets_folder(), name)
        elif "rename" in sent:
            rename(sets_folder(), str(sent["rename"]), _title(sent.get("to")))
        else:
            raise BadRequest("say rename or delete")
    return {"boxes": _listed()}


def _check_not_played(name: str) -> None:
    """Refuse to delete the box of the running game, which could not be read without it."""
    match = companion().now().match
    if match is None or match.box.name != name or match.ended:
        return
    if not match.game.outcome(match.position).over:
        raise WebError(code="box-played", status=409)


@views.post("/api/teaching/import")
def take_in() -> Doc:
    """Import a box from a file (multipart, ``box``); it is validated, and no code in it is run."""
    from models.teaching.parcel import taken_in
    from models.teaching.shelf import give_title, name_for

    guard.limit(*guard.UPLOADS)
    data, other = sent_file("box"), request.form.get("name")
    with _refusing("bad-box"):
        title = _title(other) if other else None
        to = name_for(sets_folder(), title) if title else None
        name = companion().hands.do(BOX, taken_in, sets_folder(), data, to)
        if title:
            give_title(sets_folder(), name, title)
    return {"name": name, "boxes": _listed()}


@views.get("/api/teaching/boxes/<name>.zip")
def give_away(name: str) -> Response:
    """Return a taught box as one file."""
    from models.teaching.parcel import exported

    with _refusing():
        return a_file(exported(sets_folder(), name), "application/zip", f"{name}.zip")


@views.post("/api/teaching/trial")
def trial() -> Doc:
    """Read a photo (multipart, ``photo`` and ``set``) with a taught box, to try the box out."""
    from models.teaching.trial import tried

    guard.limit(*guard.UPLOADS)
    data, name = sent_file("photo"), str(request.form.get("set", ""))
    try:
        return companion().hands.do(PHOTO, tried, data, name, sets_folder())
    except ModelError as error:
        raise WebError(str(error), code="box-broken") from error
