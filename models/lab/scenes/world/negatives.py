"""Tables without a single tile: chessboards with and without men, grids on paper, bare cloth."""

from __future__ import annotations

from dataclasses import replace

import cv2
import numpy as np

from models.lab.scenes.settings import SceneSettings
from models.lab.scenes.world.arrays import Random, three
from models.lab.scenes.world.faces import Face, square_outline, whole_face
from models.lab.scenes.world.noise import field
from models.lab.scenes.world.surfaces import hsv, wood_colours
from models.lab.scenes.world.things import Item, Lathe, TableTop

CELL_PX = 60
MAN = ((0, 1), (0.1, 1), (0.2, 0.6), (0.6, 0.4), (0.7, 0.65), (0.85, 0.6), (1, 0.1))
"""Height and radius of a chessman from foot to head, as shares of its height and its foot."""


def arrange_nothing(settings: SceneSettings, rng: Random) -> TableTop:
    """Return a table without tiles, of the kind that the settings name."""
    kind = settings.negative
    facts = {"game": None, "set": None, "negative": kind}
    if kind not in FACES:
        return TableTop((), {}, square_outline(320.0, 220.0), facts=facts)
    face = FACES[kind](rng)
    angle, thickness, gloss = rng.normal(0, 8), rng.uniform(0.3, 15), rng.uniform(0, 0.7)
    item = Item(kind, 0, 0, float(angle), 0, float(thickness), gloss=float(gloss))
    item = replace(item, side=(90, 100, 120))
    men = _men(face, item, rng) if kind == "chessmen" else ()
    extent = square_outline(*face.size_mm())
    return TableTop((item,), {kind: face}, extent, tuple(men), facts=facts)


def chessboard_face(rng: Random) -> Face:
    """Return a board of light and dark squares with a rim."""
    squares = int(rng.choice([8, 8, 8, 10]))
    side = squares * CELL_PX
    if rng.random() < 0.5:
        light, dark = wood_colours(rng)[2], wood_colours(rng)[0]
    else:
        light = hsv(rng.uniform(20, 60), rng.uniform(0, 0.3), rng.uniform(0.75, 1))
        dark = hsv(rng.uniform(0, 360), rng.uniform(0.1, 0.8), rng.uniform(0.1, 0.5))
    pattern = np.kron(np.indices((squares, squares)).sum(axis=0) % 2, np.ones((CELL_PX, CELL_PX)))
    bgr = np.where(pattern[..., None] > 0, dark, light)
    grain = 1 + rng.uniform(0, 0.08) * field(rng, side, (4, 60), 3)
    rim = int(rng.uniform(0.1, 0.9) * CELL_PX)
    out = np.empty((side + 2 * rim, side + 2 * rim, 3))
    out[:] = dark * 0.8 if rng.random() < 0.6 else light
    out[rim : rim + side, rim : rim + side] = bgr * grain[..., None]
    picture = np.clip(out, 0, 255).astype(np.uint8)
    if rng.random() < 0.5:
        near, far = rim - 3, rim + side + 2
        cv2.rectangle(picture, (near, near), (far, far), dark.tolist(), 2)
    density = CELL_PX / float(rng.uniform(25, 55))
    return whole_face(picture, density)


def grid_face(rng: Random) -> Face:
    """Return squared paper or a printed play mat."""
    across, down = int(rng.integers(6, 24)), int(rng.integers(6, 24))
    cell = 24
    paper = hsv(rng.uniform(0, 360), rng.uniform(0, 0.3), rng.uniform(0.7, 1))
    bgr = np.full((down * cell, across * cell, 3), paper, np.uint8)
    ink = hsv(rng.uniform(0, 360), rng.uniform(0, 0.8), rng.uniform(0.1, 0.6)).tolist()
    wide = int(rng.integers(1, 4))
    for x in range(across + 1):
        cv2.line(bgr, (x * cell, 0), (x * cell, down * cell), ink, wide)
    for y in range(down + 1):
        cv2.line(bgr, (0, y * cell), (across * cell, y * cell), ink, wide)
    return whole_face(bgr, cell / float(rng.uniform(8, 30)))


def puzzle_face(rng: Random) -> Face:
    """Return a page with a crossword or number puzzle, or a calendar."""
    count, cell = int(rng.integers(7, 16)), 36
    side = count * cell
    bgr = np.full((side + 160, side + 80, 3), 245, np.uint8)
    black = rng.random() < 0.5
    for i in range(count):
        for j in range(count):
            x, y = 40 + j * cell, 110 + i * cell
            filled = black and rng.random() < 0.18
            cv2.rectangle(bgr, (x, y), (x + cell, y + cell), (30, 30, 30), -1 if filled else 1)
            if not filled and rng.random() < 0.5:
                text = str(rng.choice(list("ABCDEFGHIKLMNOPRSTUVWXYZ123456789")))
                letter = cv2.FONT_HERSHEY_SIMPLEX, 0.8, (60, 40, 30), 2, cv2.LINE_AA
                cv2.putText(bgr, text, (x + 8, y + 27), *letter)
    cv2.rectangle(bgr, (40, 40), (40 + side // 2, 70), (40, 40, 40), -1)
    return whole_face(bgr, cell / float(rng.uniform(8, 22)))


FACES = {
    "chessboard": chessboard_face,
    "chessmen": chessboard_face,
    "grid-paper": grid_face,
    "puzzle-page": puzzle_face,
}
"""What lies on tables of these kinds; nothing lies on the others."""


def _men(face: Face, board: Item, rng: Random) -> list[Lathe]:
    """Return men standing on some squares of a board."""
    cell = CELL_PX / face.px_per_mm
    count = int(rng.integers(4, 33))
    half = 3.5 * cell
    light = hsv(rng.uniform(25, 45), rng.uniform(0.1, 0.5), rng.uniform(0.7, 0.95))
    dark = hsv(rng.uniform(0, 40), rng.uniform(0, 0.6), rng.uniform(0.05, 0.3))
    angle = np.radians(board.angle_deg)
    men = []
    for square in rng.choice(64, count, replace=False):
        x, y = (square % 8) * cell - half, (square // 8) * cell - half
        colour = light if square < 32 else dark
        foot = cell * float(rng.uniform(0.25, 0.36))
        tall = cell * float(rng.uniform(0.9, 1.9))
        profile = tuple((tall * height, foot * width) for height, width in MAN)
        across = float(x * np.cos(angle) - y * np.sin(angle))
        down = float(x * np.sin(angle) + y * np.cos(angle))
        men.append(Lathe(across, down, profile, three(colour), None, board.thickness_mm))
    return men
