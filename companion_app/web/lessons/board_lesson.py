"""Lessons about boards: photos of boards, the tiles that lie on them, and their colours.

Tiles are detected first; the owner then corrects which cells form one tile, and its colour. The
shape of the cells determines the kind of tile. A *sort* is a cluster of cells of one colour.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from math import hypot
from pathlib import Path
from secrets import token_hex
from typing import Annotated, Any

from msgspec import Meta

from companion_app.web.lessons.lesson_form import has_form
from companion_app.web.serving.errors import BadRequest, NotFound, WebError
from engine.draw.hexes import outline
from engine.draw.palette import coat
from engine.lattice import Cell, hex_neighbours
from engine.setfile import built_in_set
from engine.tiles import TileSet

Doc = dict[str, Any]
BOARD = "board"
"""The shape of a lesson about tiles on a board; others are about squares or loose hexes."""
BARE = "bare"
QUALITY = 88
SWATCH_PX = 44


def view_file(number: int) -> str:
    """Return the file name of a board's rectified top view."""
    return f"{BOARD}-{number + 1:02d}.jpg"


def empty_board_lesson(game: str, taught: str | None) -> Doc:
    """Return a lesson without photos; with a taught box its colours are known from the start."""
    colours = built_in_set(game).colours if taught else ()
    sorts = [{"colour": colour, "look": None} for colour in colours]
    return {
        "shape": BOARD,
        "game": game,
        "set": taught,
        "begun": token_hex(4),
        "photos": [],
        "tiles": [],
        "names": {},
        "up": {},
        "boards": [],
        "sorts": sorts,
    }


def add_board(lesson: Doc, folder: Path, photo: str, sets: Path) -> None:
    """Find the board in one more photo, and the tiles on it.

    Raises:
        WebError: the photo shows no board.
    """
    import cv2
    import numpy as np

    from models.teaching.board_found import find_on_board, straight_above
    from vision import find_taught, load_picture

    box = built_in_set(lesson["game"])
    taught = find_taught(lesson["set"], (sets,)) if lesson["set"] else None
    picture = load_picture(folder / photo)
    known = [None if one["look"] is None else np.array(one["look"]) for one in lesson["sorts"]]
    found = find_on_board(picture, box, known, taught.board if taught is not None else None)
    if found is None:
        raise WebError(code="teach-no-board")
    view = straight_above(picture, found.board)
    number = len(lesson["boards"])
    cv2.imwrite(str(folder / view_file(number)), view, [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
    lesson["photos"].append(photo)
    lesson["boards"].append(
        {
            "photo": photo,
            "places": _places(picture, found.board),
            "pieces": [
                {"sort": one.sort, "cells": [list(cell) for cell in one.cells]}
                for one in found.pieces
            ],
        }
    )
    for look in found.looks[len(known) :]:
        lesson["sorts"].append({"colour": "", "look": None if look is None else look.tolist()})
    _name_sorts(
        lesson, box, [_paint(view, lesson["boards"][-1], n) for n in range(len(lesson["sorts"]))]
    )


def _places(picture: Any, board: Any) -> list[list[float]]:
    """Return the 3 x 3 homography from a board's plane to the pixels of the whole photo."""
    import cv2
    import numpy as np

    # The board model has no lens distortion, so that four points define the homography exactly.
    corners = np.array([[-5.0, -4], [5, -4], [5, 4], [-5, 4]])
    seen = picture.whole_px(board.px(corners))
    made = cv2.getPerspectiveTransform(corners.astype(np.float32), seen.astype(np.float32))
    return [[float(value) for value in row] for row in made]


def _paint(view: Any, board: Doc, sort: int) -> Any:
    """Return the median colour of a sort's cells, in Lab; ``None`` where there are none."""
    import numpy as np

    cells = [tuple(c) for one in board["pieces"] if one["sort"] == sort for c in one["cells"]]
    if not cells:
        return None
    parts = [_swatch(view, cell).reshape(-1, 3) for cell in cells]
    middle = np.median(np.concatenate(parts), axis=0).astype(np.uint8)
    return _lab(middle)


def _lab(bgr: Any) -> Any:
    import cv2
    import numpy as np

    return cv2.cvtColor(np.asarray(bgr, np.uint8)[None, None], cv2.COLOR_BGR2LAB)[0, 0].astype(
        float
    )


def _swatch(view: Any, cell: tuple[int, int]) -> Any:
    from models.teaching.board_found import shown_at

    x, y = (round(value - SWATCH_PX / 2) for value in shown_at(cell))
    return view[y : y + SWATCH_PX, x : x + SWATCH_PX]


def _name_sorts(lesson: Doc, box: TileSet, paints: Sequence[Any]) -> None:
    """Assign free colours to new sorts by the least total distance; the owner may change them."""
    new = [n for n, one in enumerate(lesson["sorts"]) if not one["colour"]]
    taken = {one["colour"] for one in lesson["sorts"]}
    free = [colour for colour in box.colours if colour not in taken]
    coats = {colour: _lab(_bgr(coat(colour).base)) for colour in free}

    def unlike(colours: Iterable[str]) -> float:
        return sum(
            hypot(*(paints[n] - coats[colour])[1:])
            for n, colour in zip(new, colours, strict=True)
            if paints[n] is not None
        )

    for n, colour in zip(new, min(permutations(free, len(new)), key=unlike), strict=True):
        lesson["sorts"][n]["colour"] = colour


def _bgr(colour: str) -> tuple[int, int, int]:
    return int(colour[5:7], 16), int(colour[3:5], 16), int(colour[1:3], 16)


def swatch(lesson: Doc, folder: Path, sort: int) -> Any:
    """Return a picture of one cell of a sort.

    Raises:
        NotFound: no cell of it is left.
    """
    import cv2

    for number, board in enumerate(lesson["boards"]):
        cells = [one["cells"][0] for one in board["pieces"] if one["sort"] == sort]
        view = cv2.imread(str(folder / view_file(number))) if cells else None
        if view is not None:
            return _swatch(view, (cells[0][0], cells[0][1]))
    raise NotFound


# --- what the owner says -------------------------------------------------------------------------


def change_boards(lesson: Doc, sent: Mapping[str, Any]) -> None:
    """Apply the owner's changes: join or clear cells, recolour a sort, drop a photo."""
    box = built_in_set(lesson["game"])
    if "colour" in sent:
        _recolour(lesson, sent.get("sort"), sent["colour"], box)
    if "cells" in sent:
        cells = _cells(sent["cells"], box)
        _lay(lesson, _board(lesson, sent.get("board")), cells, sent.get("lies"), box)
    if sent.get("drop") is True:
        _board(lesson, sent.get("board"))["dropped"] = True


def _recolour(lesson: Doc, sort: Any, colour: Any, box: TileSet) -> None:
    """Give a sort a colour; a sort that had this colour gets the other one's in exchange."""
    if type(sort) is not int or not 0 <= sort < len(lesson["sorts"]) or colour not in box.colours:
        raise BadRequest("say a sort and a colour of the game")
    own = lesson["sorts"][sort]
    for one in lesson["sorts"]:
        if one["colour"] == colour:
            one["colour"] = own["colour"]
    own["colour"] = colour


def _board(lesson: Doc, number: Any) -> Doc:
    if type(number) is not int or not 0 <= number < len(lesson["boards"]):
        raise BadRequest("board is the number of a board")
    board: Doc = lesson["boards"][number]
    return board


def _cells(sent: Any, box: TileSet) -> list[list[int]]:
    far = int(box.extras["board"]["side"]) - 1
    step = Annotated[int, Meta(ge=-far, le=far)]
    good = has_form(sent, Annotated[list[tuple[step, step]], Meta(min_length=1)])
    if not good or any(abs(x + y) > far for x, y in sent):
        raise BadRequest("cells are cells of the board")
    return [list(cell) for cell in sorted({(cell[0], cell[1]) for cell in sent})]


def _lay(lesson: Doc, board: Doc, cells: list[list[int]], lies: Any, box: TileSet) -> None:
    """Make cells one tile of a colour, or bare; other tiles lose these cells and keep the rest."""
    if lies != BARE and lies not in box.colours:
        raise BadRequest("lies is a colour of the game, or bare")
    for one in board["pieces"]:
        one["cells"] = [cell for cell in one["cells"] if cell not in cells]
    board["pieces"] = [one for one in board["pieces"] if one["cells"]]
    if lies == BARE:
        return
    colours = [one["colour"] for one in lesson["sorts"]]
    if lies not in colours:
        lesson["sorts"].append({"colour": lies, "look": None})
        colours.append(lies)
    board["pieces"].append({"sort": colours.index(lies), "cells": cells})


# --- what is shown and learnt --------------------------------------------------------------------


def shown_boards(lesson: Doc) -> Doc:
    """Return a lesson with the kind of each tile, and with what photos have shown so far."""
    from models.teaching.board_found import tile_of

    box = built_in_set(lesson["game"])
    boards = []
    for number, board in enumerate(lesson["boards"]):
        pieces = [
            {
                **one,
                "colour": _colour(lesson, one),
                "tile": tile_of(box, _colour(lesson, one), [tuple(cell) for cell in one["cells"]]),
            }
            for one in board["pieces"]
        ]
        boards.append(
            {
                "number": number,
                "photo": board["photo"],
                "pieces": pieces,
                "dropped": board.get("dropped", False),
            }
        )
    kept = [board for board in boards if not board["dropped"]]
    sorts = [
        {
            "number": n,
            "colour": one["colour"],
            "seen": any(p["sort"] == n for board in kept for p in board["pieces"]),
        }
        for n, one in enumerate(lesson["sorts"])
    ]
    odd = sum(one["tile"] is None for board in kept for one in board["pieces"])
    return {
        **lesson,
        "boards": boards,
        "sorts": sorts,
        "odd": odd,
        "needs": _needs(box, kept),
        "side": box.extras["board"]["side"],
    }


def _colour(lesson: Doc, piece: Doc) -> str:
    return str(lesson["sorts"][piece["sort"]]["colour"])


def _needs(box: TileSet, boards: Sequence[Doc]) -> list[Doc]:
    """Return by colour how many kinds were shown, and whether any is large or two tiles touch."""
    needs = []
    for colour in box.colours:
        by_board = [[one for one in b["pieces"] if one["colour"] == colour] for b in boards]
        tiles = {one["tile"] for own in by_board for one in own if one["tile"]}
        needs.append(
            {
                "colour": colour,
                "tiles": len(tiles),
                "of": len(box.of_colour(colour)),
                "large": any(len(one["cells"]) > 1 for own in by_board for one in own),
                "touch": any(_touch(own) for own in by_board),
            }
        )
    return needs


def _touch(pieces: Sequence[Doc]) -> bool:
    """Say whether any two tiles are adjacent."""
    owner: dict[Cell, int] = {
        (cell[0], cell[1]): number for number, one in enumerate(pieces) for cell in one["cells"]
    }
    return any(
        owner.get(near, number) != number
        for cell, number in owner.items()
        for near in hex_neighbours(cell)
    )


def board_labels(lesson: Doc, name: str) -> Doc:
    """Return the confirmed tiles as labels for teaching.

    Raises:
        WebError: the cells of some tile have the shape of no kind of the game.
    """
    import numpy as np

    shown = shown_boards(lesson)
    if shown["odd"]:
        raise WebError(code="teach-odd")
    photos = {}
    for board, kept in zip(shown["boards"], lesson["boards"], strict=True):
        if not board["dropped"]:
            places = np.array(kept["places"])
            photos[board["photo"]] = [
                {"tile": one["tile"], "outline": _outline(places, one["cells"])}
                for one in board["pieces"]
            ]
    return {"set": name, "photos": photos}


def _outline(places: Any, cells: Sequence[Sequence[int]]) -> list[list[float]]:
    import cv2
    import numpy as np

    corners = np.array(outline([(cell[0], cell[1]) for cell in cells], 1.0), np.float64)
    seen = cv2.perspectiveTransform(corners[None], places)[0]
    return [[round(float(v), 1) for v in point] for point in seen]
