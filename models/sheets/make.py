"""Makes everything that ``print`` writes: sheets, one picture per face, and the manifest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.draw import Face, all_faces
from engine.draw.tokens import extra_faces
from engine.games import has_die, several_boards
from engine.tiles import TileSet
from models.art.faces import PaintedFace, faces
from models.sheets.paper import SIZES_MM, Sheet, SheetError, sheet_of
from models.sheets.single import (
    calibration_facts,
    calibration_sheet,
    die_sheet,
    instruction_sheet,
)
from models.sheets.tiles import board_sheets, fitting_cell_mm, tile_sheets
from models.sheets.words import Words
from vision.core.types import BACK

PX_PER_MM = 12
THICKNESS_MM = 2


def make_sheets(
    tile_set: TileSet, out_dir: Path, paper: str = "a4", size_mm: float | None = None
) -> dict[str, Any]:
    """Write PDF sheets, one PNG per face and ``manifest.json``, and return the manifest.

    Where all tiles are single squares, ``labels.json`` says what the PNGs show, in the format of
    ``teach``: an owner's own box can be learnt from its printed pictures.

    Args:
        tile_set: the box, built in or an owner's own.
        out_dir: created if missing; files of the same names are overwritten.
        paper: ``a4`` or ``letter``.
        size_mm: side of a card, or width of a hex cell; by default the set's own, for hex sets
            with a board the widest with which the board fits the paper.

    Raises:
        SheetError: the paper is not known, or the size is too small or too large for it.
    """
    sheet = sheet_of(paper)
    pitch = printed_pitch_mm(tile_set, sheet, size_mm)
    out_dir.mkdir(parents=True, exist_ok=True)
    index = write_sheets(tile_set, out_dir, sheet, pitch)
    manifest = {
        "set": tile_set.name,
        "game": tile_set.game,
        "lattice": tile_set.lattice,
        "pitch_mm": pitch,
        "paper": paper,
        **_pictures(tile_set, out_dir, pitch),
        "calibration": calibration_facts("calibration.pdf"),
        "sheets": index,
    }
    (out_dir / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    if tile_set.lattice == "square" and all(len(k.cells) == 1 for k in tile_set.kinds.values()):
        labels = json.dumps(_labels(tile_set, manifest["faces"]), indent=1) + "\n"
        (out_dir / "labels.json").write_text(labels, encoding="utf-8")
    return manifest


def parts_of(tile_set: TileSet) -> tuple[str, ...]:
    """Return the names of the PDF files that a box has, in the order of writing."""
    boards = ("boards",) if "board" in tile_set.extras else ()
    die = ("die",) if has_die(tile_set.game) else ()
    return ("tiles", *boards, *die, "calibration", "instructions")


def write_sheets(
    tile_set: TileSet,
    out_dir: Path,
    sheet: Sheet,
    pitch: float,
    words: Words | None = None,
    only: str | None = None,
) -> list[dict[str, Any]]:
    """Write all PDF files, or one of them, into a folder; return what lies on each page.

    Args:
        tile_set: the box.
        out_dir: the folder.
        sheet: the paper.
        pitch: width of a card or hex cell on it.
        words: the texts on the sheets; English by default.
        only: one of ``parts_of`` the box.
    """
    title = tile_set.title or tile_set.name
    pairs = _pairs((*all_faces(tile_set, pitch), *extra_faces(tile_set, pitch)))
    counted = [(front.tile, count) for front, _, count in pairs]
    count = board_count(tile_set)
    write: Mapping[str, Callable[[Path], list[dict[str, Any]]]] = {
        "tiles": lambda path: tile_sheets(path, title, sheet, pairs, words),
        "boards": lambda path: board_sheets(path, title, sheet, tile_set, pitch, count, words),
        "die": lambda path: die_sheet(path, title, sheet, words),
        "calibration": lambda path: calibration_sheet(path, title, sheet, words),
        "instructions": lambda path: instruction_sheet(
            path, title, sheet, tile_set, pitch, counted, words
        ),
    }
    wanted = parts_of(tile_set) if only is None else (only,)
    return [page for part in wanted for page in write[part](out_dir / f"{part}.pdf")]


def board_count(tile_set: TileSet) -> int:
    """Return the number of boards: one, or one per colour in games with several boards."""
    return max(1, len(tile_set.colours)) if several_boards(tile_set.game) else 1


def printed_pitch_mm(tile_set: TileSet, sheet: Sheet, size_mm: float | None) -> float:
    """Return the printed width of a card or hex cell: as asked, or as it suits the paper."""
    if size_mm is None:
        is_hex = tile_set.lattice == "hex"
        return fitting_cell_mm(tile_set, sheet) if is_hex else tile_set.pitch_mm
    least, most = SIZES_MM
    if not least <= size_mm <= most:
        raise SheetError(f"a size of {size_mm:g} mm cannot be printed; use {least:g} to {most:g}")
    return float(size_mm)


def _pairs(listed: Sequence[tuple[Face, int]]) -> list[tuple[Face, Face, int]]:
    """Return front, back and count of each tile."""
    backs = {face.tile: face for face, _ in listed if face.side == "back"}
    return [(face, backs[face.tile], count) for face, count in listed if face.side == "front"]


def _pictures(tile_set: TileSet, out_dir: Path, pitch: float) -> dict[str, Any]:
    """Write the PNGs and return the manifest's lists of them."""
    listed: dict[str, list[dict[str, Any]]] = {"faces": [], "extras": [], "boards": []}
    written: set[str] = set()
    for name, painted in faces(tile_set, PX_PER_MM, pitch).items():
        file = _file_name(tile_set, painted)
        if file not in written:
            written.add(file)
            _write_png(out_dir / file, painted)
        if name == "board":
            listed["boards"].append(
                {
                    "file": file,
                    "size_mm": _rounded(painted.size_mm),
                    "cell_width_mm": pitch,
                    "centre_mm": _rounded(painted.origin_mm),
                    "px_per_mm": PX_PER_MM,
                    "outline_mm": [_rounded(p) for p in painted.outline_mm],
                    "count": board_count(tile_set),
                    "side": tile_set.extras["board"].get("side", 6),
                    "eyes": tile_set.extras["board"].get("eyes", []),
                }
            )
            continue
        is_tile = painted.tile in tile_set or painted.tile.startswith("clay/")
        listed["faces" if is_tile else "extras"].append(_entry(painted, file))
    return listed


def _entry(painted: PaintedFace, file: str) -> dict[str, Any]:
    return {
        "tile": painted.tile,
        "side": painted.side,
        "file": file,
        "count": painted.count,
        "size_mm": _rounded(painted.size_mm),
        "outline_mm": [_rounded(point) for point in painted.outline_mm],
        "thickness_mm": THICKNESS_MM,
        "px_per_mm": PX_PER_MM,
        "cells": [list(cell) for cell in painted.cells],
        "origin_mm": _rounded(painted.origin_mm),
    }


def _labels(tile_set: TileSet, entries: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return a label for each picture of a face: the tile and its outline."""
    photos = {}
    for entry in entries:
        scale = entry["px_per_mm"]
        outline = [[x * scale - 0.5, y * scale - 0.5] for x, y in entry["outline_mm"]]
        tile = entry["tile"] if entry["side"] == "front" else BACK
        photos[entry["file"]] = [{"tile": tile, "outline": outline, "turns": 0}]
    return {"set": tile_set.name, "photos": photos}


def _file_name(tile_set: TileSet, painted: PaintedFace) -> str:
    if painted.side == "back" and tile_set.lattice == "square" and painted.tile in tile_set:
        # All backs of one footprint are one picture.
        columns, rows = (
            max(c[i] for c in painted.cells) - min(c[i] for c in painted.cells) + 1 for i in (0, 1)
        )
        return f"{columns}x{rows}.back.png"
    ending = ".back.png" if painted.side == "back" else ".png"
    return painted.tile.replace("/", "_") + ending


def _write_png(path: Path, painted: PaintedFace) -> None:
    """Write a face; everything outside a non-rectangular outline is transparent."""
    picture = painted.bgr
    if int(painted.alpha.min()) < 255:
        picture = np.dstack([painted.bgr, painted.alpha])
    done, data = cv2.imencode(".png", picture)
    if not done:
        raise SheetError(f"{path.name} cannot be written as a picture")
    path.write_bytes(data.tobytes())


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(value, 3) for value in values]
