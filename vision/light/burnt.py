"""Finds cells in or beside a layout where light has burnt whatever lies there to blank white.

A card that mirrors a lamp may show nothing but light: no print to read, no outline to find. Where
such a blank lies on the layout's own lattice, and the table is not as bright elsewhere, nobody can
say what the layout is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from engine.lattice import Cell
from vision.core.stages import stage
from vision.core.types import Points
from vision.layout.again import Sight, free_cells
from vision.layout.cards import CardGroup
from vision.layout.laid_field import LaidField
from vision.layout.measures import look_at
from vision.layout.settle import SURE

Array = NDArray[np.float64]

LIGHT = 200
"""How bright all colours are at least in the middle of such a cell."""
BURNT = 0.4
"""Share of a cell that is clipped in all colours from which it may be a burnt card. Cards of three
drawn tables that were so lost had 0.44 at least; on 52 others with glare or doubtful cards no cell
was taken for one."""

BLANK, BRIGHTER = 0.5, 0.3
"""Cards of the layout that are read less surely show nothing but light, if so much more of them is
clipped than of usual ones: in a picture that is all too bright prints are pale and not gone."""


@stage("burnt", without=lambda *_: ())
def burnt_cells(group: CardGroup, others: Sequence[CardGroup], sight: Sight) -> tuple[Points, ...]:
    """Return the outlines of cells in or beside a field that show light only.

    Args:
        group: the field.
        others: cards that were seen elsewhere.
        sight: what to look with.
    """
    field = LaidField.of(group)
    if field is None:
        return ()
    own: set[Cell] = {cell for card in group.cards for cell in card.cells}
    cells = free_cells(field, group, others, own)
    outlines = field.outlines(np.array(cells, float)) if cells else np.zeros((0, 4, 2))
    outlines = np.concatenate([outlines, *_blanks(group, sight)])
    outlines = outlines[sight.ground.inside(outlines)]
    # Few have light in their middle, and only these are worth a look.
    x, y = outlines.mean(axis=1).astype(int).T
    outlines = outlines[sight.bgr[y, x].min(axis=1) >= LIGHT]
    outlines = outlines[look_at(sight.bgr, list(outlines)).clipped >= BURNT]
    return tuple(outlines[sight.ground.hidden(outlines)]) if len(outlines) else ()


def _blanks(group: CardGroup, sight: Sight) -> list[Array]:
    """Return the outlines of cards that are hardly read, and much brighter than such as are."""
    blank = [card.outline_px for card in group.cards if card.best and card.confidence < BLANK]
    sure = [card.outline_px for card in group.cards if card.confidence >= SURE]
    if not blank or not sure:
        return []
    usual = float(np.median(look_at(sight.bgr, sure).clipped))
    clipped = look_at(sight.bgr, blank).clipped
    return [px[None] for px, share in zip(blank, clipped, strict=True) if share > usual + BRIGHTER]
