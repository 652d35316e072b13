"""From settings to things on a table: the layout first, then what lies around it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import cos, pi, sin
from typing import Any

import numpy as np

from engine.lattice import HEX_SIDE_NAMES, Cell, cells_around, hex_neighbours, square_neighbours
from engine.placement import Layout, Placement
from engine.tiles import TileSet
from models.lab.scenes.games.positions import Table, table_at
from models.lab.scenes.settings import INVENTED, NOTHING, SQUARE_GAMES, SceneSettings
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Array, Json, Random, pair
from models.lab.scenes.world.aside import lay_aside, lay_close, least_gap_mm, outlines_of
from models.lab.scenes.world.faces import BOARD, Box, Face, hex_centre, printed_box
from models.lab.scenes.world.invented import invented_set
from models.lab.scenes.world.lattices import (
    Spot,
    cell_middles,
    hex_pose,
    item_of,
    laid,
    single_spot,
    turned,
)
from models.lab.scenes.world.negatives import arrange_nothing
from models.lab.scenes.world.props import add_props
from models.lab.scenes.world.things import Item, TableTop

BOARD_GAP_MM = (8.0, 60.0)
FIELDS_APART = 2.3
"""Least distance between the cells of two fields, in pitches: nearer, they look like one field."""
CLOSE_FIELDS_MM = (20.0, 60.0)
"""Distance between the edges of two fields in scenes where things lie close."""
MOST_INVENTED = 45


def arrange(settings: SceneSettings, box: Box | None = None) -> TableTop:
    """Return the whole table of a scene; a game's tiles may come from a given box."""
    rng = rng_of("arrange", settings.split, settings.subject, settings.seed)
    if settings.subject == NOTHING:
        return add_props(arrange_nothing(settings, rng), settings, rng)
    if settings.subject in INVENTED:
        top, left, pitch = _invented(settings, rng)
    else:
        pool = settings.subject, settings.split, settings.play, settings.seed
        table = table_at(*pool, settings.fullness, settings.foul)
        box = box or printed_box(settings.set_name, settings.cards.size_mm)
        top = lay_out(table, settings, box, rng)
        left, pitch = table.left, box.tile_set.pitch_mm
    if settings.beside == "close" and settings.subject in SQUARE_GAMES:
        top = lay_close(top, left, settings, pitch, rng)
    else:
        top = lay_aside(top, left, settings, pitch, rng)
    return add_props(top, settings, rng)


def lay_out(table: Table, settings: SceneSettings, box: Box, rng: Random) -> TableTop:
    """Return the layout of a game alone."""
    tile_set, faces = box.tile_set, box.faces
    facts = {
        "game": settings.subject,
        "set": settings.set_name,
        "foul": table.foul,
        "players": list(table.players),
    }
    if tile_set.lattice == "hex":
        items = _on_boards(table, tile_set, faces, settings, rng)
    elif tile_set.game == "sssnake":
        items = _on_fields(table.layout, box, settings, rng)
    else:
        spots = card_spots(table.layout, tile_set, settings.cards.gap_mm, rng)
        items = laid(spots, settings.cards, tile_set.pitch_mm, rng)
    items = _centred(items)
    return TableTop(tuple(items), faces, extent_of(items, faces), facts=facts)


def extent_of(items: Sequence[Item], faces: Mapping[str, Face]) -> Array:
    """Return all corners of tiles and boards, flat on the table."""
    roles = ("tile", "board", "clay")
    corners = [i.outline_mm(faces[i.face])[:, :2] for i in items if i.role in roles]
    return np.concatenate(corners) if corners else np.zeros((1, 2))


def _centred(items: Sequence[Item]) -> list[Item]:
    places = np.array([(i.x_mm, i.y_mm) for i in items])
    x, y = (places.min(axis=0) + places.max(axis=0)) / 2
    return [replace(i, x_mm=i.x_mm - float(x), y_mm=i.y_mm - float(y)) for i in items]


def card_spots(layout: Layout, tile_set: TileSet, gap_mm: float, rng: Random) -> list[Spot]:
    """Return where the cards of one lattice should lie; symmetric ones are turned at random."""
    step = tile_set.pitch_mm + gap_mm
    spots = []
    for card in sorted(layout.cards):
        kind = tile_set[card.tile]
        # A straight looks the same upside down, so it is laid either way up.
        turns = card.turns + kind.period * int(rng.integers(4 // kind.period))
        at, cells = (card.at[0] * step, card.at[1] * step), cell_middles(kind.cells, step, "square")
        spots.append(Spot(card.tile, at, 90.0 * turns, cells, card_truth(card, tile_set)))
    return spots


def card_truth(card: Placement, tile_set: TileSet) -> Json:
    """Return what a table state says about a card, except its outline."""
    truth = {
        "tile": card.tile,
        "at": list(card.at),
        "turns": card.turns % tile_set[card.tile].period,
    }
    return truth if card.field is None else {**truth, "field": card.field}


def _on_fields(layout: Layout, box: Box, settings: SceneSettings, rng: Random) -> list[Item]:
    """Return the private fields of Sssnake, clockwise round the table's middle."""
    tile_set = box.tile_set
    numbers = sorted({card.field or 0 for card in layout.cards})
    groups = []
    for number in numbers:
        own = Layout(frozenset(c for c in layout.cards if (c.field or 0) == number))
        spots = card_spots(own, tile_set, settings.cards.gap_mm, rng)
        groups.append(_centred(laid(spots, settings.cards, tile_set.pitch_mm, rng)))
    start = rng.uniform(0, 2 * pi)
    out: list[Item] = []
    for k, group in enumerate(groups):
        angle = start + 2 * pi * k / len(groups)
        turn = 90.0 * int(rng.integers(4)) + float(rng.normal(0, 4))
        away = 0.0
        wanted = float(rng.uniform(*CLOSE_FIELDS_MM)) if settings.beside == "close" else None
        while True:
            shift = (away * cos(angle), away * sin(angle))
            moved = [moved_item(item, shift, turn) for item in group]
            short = _short_mm(moved, out, box, wanted)
            if short <= 0:
                break
            away += 20.0 if wanted is None else max(short, 2.0)
        out += moved
    return out


def _short_mm(
    group: Sequence[Item], others: Sequence[Item], box: Box, wanted_mm: float | None
) -> float:
    """Return how much too near a field lies to others, edge to edge if ``wanted_mm`` is given."""
    if not others:
        return 0.0
    if wanted_mm is not None:
        gap = least_gap_mm(outlines_of(group, box.faces), outlines_of(others, box.faces))
        return wanted_mm - gap
    a, b = (_cells_on_table(some, box.tile_set) for some in (group, others))
    nearest = float(np.linalg.norm(a[:, None] - b[None], axis=2).min())
    return FIELDS_APART * box.tile_set.pitch_mm - nearest


def _cells_on_table(items: Sequence[Item], tile_set: TileSet) -> Array:
    """Return the middles of all cells that items cover."""
    pitch = tile_set.pitch_mm
    own = [turned(np.array(tile_set[i.face].cells) * pitch, i.angle_deg) for i in items]
    return np.concatenate([c + np.array([i.x_mm, i.y_mm]) for c, i in zip(own, items, strict=True)])


def moved_item(item: Item, shift_mm: tuple[float, float], turn_deg: float) -> Item:
    """Return an item turned about the origin and then shifted."""
    x, y = turned(np.array([item.x_mm, item.y_mm]), turn_deg)
    return replace(
        item,
        x_mm=float(x) + shift_mm[0],
        y_mm=float(y) + shift_mm[1],
        angle_deg=item.angle_deg + turn_deg,
    )


def _on_boards(
    table: Table,
    tile_set: TileSet,
    faces: Mapping[str, Face],
    settings: SceneSettings,
    rng: Random,
) -> list[Item]:
    """Return boards in their ring, with the tiles and the clay that lie on them."""
    count = 1 if tile_set.game == "snekagon" else len(table.players)
    width = max(faces[BOARD].size_mm()) + float(rng.uniform(*BOARD_GAP_MM))
    ring = 0.0 if count == 1 else width / 2 / sin(pi / count)
    start, base = rng.uniform(0, 2 * pi), float(rng.uniform(0, 60))
    thickness = float(rng.choice([0.3, 2.0, 3.0]))
    items: list[Item] = []
    for number in range(count):
        angle = start + 2 * pi * number / count
        turn = base + 60.0 * int(rng.integers(6)) + float(rng.normal(0, 3))
        board = number if tile_set.game == "snekagon5g" else None
        flat = [
            replace(item, z_mm=item.z_mm + thickness)
            for item in pieces_of(table.layout, tile_set, settings, board, rng)
        ]
        own = Item(BOARD, 0, 0, 0, 0, thickness, role="board", truth={"board": number})
        cards, seed = settings.cards, int(rng.integers(1 << 30))
        own = replace(own, side=cards.side, gloss=cards.gloss, seed=seed)
        shift = (ring * cos(angle), ring * sin(angle))
        items += [moved_item(item, shift, turn) for item in (own, *flat)]
    return items


def pieces_of(
    layout: Layout, tile_set: TileSet, settings: SceneSettings, board: int | None, rng: Random
) -> list[Item]:
    """Return tiles and clay of one board that lies unturned at the origin, on height 0."""
    pitch = tile_set.pitch_mm
    spots = []
    for piece in sorted(p for p in layout.pieces if p.board == board):
        kind = tile_set[piece.tile]
        at, turns, flipped = hex_pose(kind.cells, piece.cells)
        truth: dict[str, Any] = {"tile": piece.tile, "cells": [list(c) for c in piece.cells]}
        if board is not None:
            truth["board"] = board
        middle, cells = pair(hex_centre(at, pitch)), cell_middles(kind.cells, pitch, "hex")
        spots.append(Spot(piece.tile, middle, 60.0 * turns, cells, truth, flipped))
    # Boards have printed cells: tiles lie on them more carefully than on a bare table.
    cards = replace(settings.cards, drift_mm=0.0)
    items = laid(spots, cards, pitch, rng)
    for clay in sorted((c for c in layout.clay if c.board == board), key=lambda c: c.cell):
        clay_truth = {"board": clay.board, "cell": list(clay.cell), "kind": clay.kind}
        angle = float(rng.uniform(0, 360))
        if clay.opens is not None:
            clay_truth["opens"] = clay.opens
            angle = 60.0 * HEX_SIDE_NAMES.index(clay.opens) + float(rng.normal(0, 4))
        middle = pair(hex_centre(clay.cell, pitch) + rng.normal(0, 0.6, 2))
        name, cell = f"clay/{clay.kind}", np.zeros((1, 2))
        spot = Spot(name, middle, angle, cell, clay_truth, False, cards.thickness_mm, "clay")
        item = item_of(spot, spot.place_mm, angle, cards, rng)
        items.append(replace(item, thickness_mm=float(rng.uniform(2, 4)), tilt=(0.0, 0.0)))
    return items


def _invented(settings: SceneSettings, rng: Random) -> tuple[TableTop, Counter[str], float]:
    box = invented_set(settings.set_name)
    count = 1 + round(settings.fullness**1.5 * (MOST_INVENTED - 1))
    cells = grown_cells(count, box.lattice, rng)
    folds = 4 if box.lattice == "square" else 6
    step = box.pitch_mm + settings.cards.gap_mm
    names = sorted(box.faces)
    spots = []
    for cell in cells:
        kind = names[int(rng.integers(len(names)))]
        turns = int(rng.integers(folds))
        spots.append(single_spot(kind, cell, turns, box.periods[kind], step, box.lattice))
    faces: dict[str, Face] = {**box.faces, "back": box.back}
    items = _centred(laid(spots, settings.cards, step, rng))
    facts = {"game": None, "set": box.name, "shape": box.lattice}
    left = Counter({name: int(rng.integers(0, 3)) for name in names})
    top = TableTop(tuple(items), faces, extent_of(items, faces), facts=facts)
    return top, left, box.pitch_mm


def grown_cells(count: int, lattice: str, rng: Random) -> list[Cell]:
    """Return cells of a layout that grew tile by tile: rows, lumps, holes, corner contacts."""
    around = square_neighbours if lattice == "square" else hex_neighbours
    cells: list[Cell] = [(0, 0)]
    lumpy = float(rng.random())
    corners = 0.08 if lattice == "square" else 0.0
    while len(cells) < count:
        newest = rng.random() < 1 - lumpy
        base = (
            cells[-1 - int(rng.integers(min(3, len(cells))))]
            if newest
            else cells[int(rng.integers(len(cells)))]
        )
        near = cells_around(base) if rng.random() < corners else around(base)
        cell = near[int(rng.integers(len(near)))]
        if cell not in cells:
            cells.append(cell)
    return cells
