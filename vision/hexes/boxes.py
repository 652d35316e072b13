"""Who finds and reads the boards of a box: networks for printed ones, or what its owner taught."""

from __future__ import annotations

from collections.abc import Sequence

from engine.setfile import built_in_names
from engine.tiles import TileSet
from vision.classify.taught import find_taught, taught_folder
from vision.core.pyramid import Pyramid
from vision.hexes.boards import FoundBoards, boards_in
from vision.hexes.cells import CellReadings
from vision.hexes.looks import read_cells
from vision.hexes.models import HexModels
from vision.hexes.plane import HexBoard
from vision.hexes.taught.boards import find_taught_boards
from vision.hexes.taught.reader import BoardReader


def taught_reader(tile_set: TileSet) -> BoardReader | None:
    """Return what reads the boards of a box that its owner taught; none where they are printed.

    Raises:
        ModelError: it was taught, but its files are broken.
    """
    if tile_set.name in built_in_names():
        return None
    taught = find_taught(tile_set.name, (taught_folder(),))
    return taught.board if taught is not None else None


def boards_of(pyramid: Pyramid, tile_set: TileSet, most: int, models: HexModels) -> FoundBoards:
    """Return the boards of a box in a picture, each in one of its six turns."""
    if taught_reader(tile_set) is None:
        return boards_in(pyramid, most, models)
    return FoundBoards(find_taught_boards(pyramid.whole, most))


def cells_of(
    pyramid: Pyramid, boards: Sequence[HexBoard], tile_set: TileSet, models: HexModels
) -> tuple[CellReadings, ...]:
    """Return what lies on the cells of boards, each in the turn that it is given in."""
    reader = taught_reader(tile_set)
    if reader is None:
        return read_cells(pyramid, boards, models)
    return tuple(reader.read(pyramid.whole, board) for board in boards)
