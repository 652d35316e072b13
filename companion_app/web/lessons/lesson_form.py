"""What the file of a lesson may hold: one from elsewhere is no lesson, and is never half used."""

from __future__ import annotations

import re
from typing import Any, TypeGuard

from engine.games import GAMES
from engine.given import is_whole

MOST = 4000
PHOTO = re.compile(r"photo-[0-9]{2}\.jpg")
LONGEST_NAME = 80
FARTHEST = 100_000


def is_lesson(value: Any) -> TypeGuard[dict[str, Any]]:
    """Say whether a value is a lesson that the page prepared."""
    if not isinstance(value, dict) or value.get("shape") not in ("square", "hex", "board"):
        return False
    photos = value.get("photos")
    if not _is_list(photos) or not all(isinstance(p, str) and PHOTO.fullmatch(p) for p in photos):
        return False
    names, up = value.get("names"), value.get("up")
    return (
        isinstance(names, dict) and all(_is_text(name) for name in names.values())
        and isinstance(up, dict) and all(_is_small(steps) for steps in up.values())
        and _is_list(value.get("tiles"))
        and all(_is_tile(tile, photos) for tile in value["tiles"])
        and (value["shape"] != "board" or _is_board_lesson(value, photos))
    )  # fmt: skip


def _is_tile(tile: Any, photos: list[str]) -> bool:
    return (
        isinstance(tile, dict) and tile.get("photo") in photos and _is_points(tile.get("outline"))
        and _is_small(tile.get("group")) and _is_small(tile.get("steps"))
    )  # fmt: skip


def _is_board_lesson(value: dict[str, Any], photos: list[str]) -> bool:
    sorts, boards, own = value.get("sorts"), value.get("boards"), value.get("set")
    return (
        _is_text(value.get("game")) and value["game"] in GAMES
        and (own is None or _is_text(own)) and _is_text(value.get("begun"))
        and _is_list(sorts) and all(_is_sort(one) for one in sorts)
        and _is_list(boards) and all(_is_board(one, photos, len(sorts)) for one in boards)
    )  # fmt: skip


def _is_sort(sort: Any) -> bool:
    look = sort.get("look", 0) if isinstance(sort, dict) else 0
    numbers = look is None or (_is_list(look) and all(_is_number(n) for n in look))
    return numbers and _is_text(sort.get("colour"))


def _is_board(board: Any, photos: list[str], sorts: int) -> bool:
    return (
        isinstance(board, dict) and board.get("photo") in photos
        and _is_map(board.get("places"))
        and _is_list(board.get("pieces"))
        and all(_is_piece(one, sorts) for one in board["pieces"])
        and isinstance(board.get("dropped", False), bool)
    )  # fmt: skip


def _is_piece(piece: Any, sorts: int) -> bool:
    return (
        isinstance(piece, dict) and _is_small(piece.get("sort")) and 0 <= piece["sort"] < sorts
        and bool(piece.get("cells")) and _is_points(piece["cells"])
        and all(is_whole(n) for cell in piece["cells"] for n in cell)
    )  # fmt: skip


def _is_map(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 3
        and all(isinstance(row, list) and len(row) == 3 for row in value)
        and all(_is_number(n) for row in value for n in row)
    )  # fmt: skip


def _is_points(value: Any) -> bool:
    return _is_list(value) and all(
        isinstance(point, list) and len(point) == 2 and all(_is_number(n) for n in point)
        for point in value
    )


def _is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list) and len(value) <= MOST


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= LONGEST_NAME


def _is_small(value: Any) -> bool:
    return is_whole(value) and abs(value) <= MOST


def _is_number(value: Any) -> bool:
    return (isinstance(value, int | float) and not isinstance(value, bool)
            and abs(value) <= FARTHEST)  # fmt: skip
