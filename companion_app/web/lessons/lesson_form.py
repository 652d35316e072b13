"""The form of a lesson's file; a file of another form is ignored as a whole."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeGuard

import msgspec
from msgspec import Meta

from engine.games import GAMES

MOST = 4000
FARTHEST = 100_000
Text = Annotated[str, Meta(max_length=260)]
Photo = Annotated[str, Meta(pattern=r"^photo-[0-9]{2}\.jpg$")]
Small = Annotated[int, Meta(ge=-MOST, le=MOST)]
Cell = Annotated[int, Meta(ge=-FARTHEST, le=FARTHEST)]
Number = Annotated[float, Meta(ge=-FARTHEST, le=FARTHEST)]
Row = tuple[Number, Number, Number]
FEW = Meta(max_length=MOST)


class MarkedTile(msgspec.Struct):
    """A tile on a photo, in its group."""

    photo: Text
    outline: Annotated[list[tuple[Number, Number]], FEW]
    group: Small
    steps: Small


class MarkedPiece(msgspec.Struct):
    """A piece of a sort on the cells of a board."""

    sort: Annotated[int, Meta(ge=0, le=MOST)]
    cells: Annotated[list[tuple[Cell, Cell]], Meta(min_length=1, max_length=MOST)]


class MarkedBoard(msgspec.Struct):
    """A board on a photo."""

    photo: Text
    places: tuple[Row, Row, Row]
    pieces: Annotated[list[MarkedPiece], FEW]
    dropped: bool | None = None


class SortOfPiece(msgspec.Struct):
    """Pieces of one colour, and how they look."""

    colour: Text
    look: Annotated[list[Number], FEW] | None


class Lesson(msgspec.Struct):
    """A lesson that the page prepared."""

    shape: Literal["square", "hex", "board"]
    photos: Annotated[list[Photo], FEW]
    names: Annotated[dict[str, Text], FEW]
    up: Annotated[dict[str, Small], FEW]
    tiles: Annotated[list[MarkedTile], FEW]


class BoardLesson(Lesson):
    """A lesson with boards."""

    game: Text
    set: Text | None
    begun: Text
    sorts: Annotated[list[SortOfPiece], FEW]
    boards: Annotated[list[MarkedBoard], FEW]


def has_form(value: Any, form: Any) -> bool:
    """Say whether a JSON value has the form of a type."""
    try:
        msgspec.convert(value, form)
    except ValueError:
        return False
    return True


def is_lesson(value: Any) -> TypeGuard[dict[str, Any]]:
    """Say whether a value is a lesson that the page prepared."""
    try:
        lesson = msgspec.convert(value, Lesson)
        if lesson.shape != "board":
            return all(tile.photo in lesson.photos for tile in lesson.tiles)
        board_lesson = msgspec.convert(value, BoardLesson)
    except ValueError:
        return False
    boards = board_lesson.boards
    photos = {one.photo for one in boards} | {one.photo for one in lesson.tiles}
    sorts = [piece.sort for board in boards for piece in board.pieces]
    return (
        board_lesson.game in GAMES
        and photos <= {*lesson.photos}
        and max(sorts, default=-1) < len(board_lesson.sorts)
    )
