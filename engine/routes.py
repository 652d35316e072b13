"""Where strands lead on a field of Sssnake, and the shortest route between two ends.

A field is given by where its taken cells lead a snake that enters them. Every strand leads from
edge to edge, so a snake has no choice on taken cells, only on empty ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from engine.lattice import SQUARE_STEPS, Cell, bounding_box, opposite, square_neighbour

Side = tuple[Cell, int]
"""A cell, and the edge by which a snake enters it."""

BLANK, EXIT = -1, -2

Across = Mapping[Cell, tuple[int, ...]]
"""By taken cell and edge of entry: the edge by which a snake leaves, ``BLANK`` where it cannot
enter, ``EXIT`` where it meets its own big card."""


def run_on(across: Across, side: Side) -> Side:
    """Return where a snake that enters by a side stops.

    A snake stops before an empty cell, at a blank edge or at an exit of the big card. Strands
    never branch, so the walk cannot run into a loop.
    """
    cell, edge = side
    while cell in across:
        out = across[cell][edge]
        if out < 0:
            break
        cell, edge = square_neighbour(cell, out), opposite(out)
    return cell, edge


def cells_passed(across: Across, side: Side) -> Iterator[Cell]:
    """Yield the taken cells that a snake runs through after it enters by a side."""
    cell, edge = side
    while cell in across and (out := across[cell][edge]) >= 0:
        yield cell
        cell, edge = square_neighbour(cell, out), opposite(out)


def shortest_route(
    across: Across, starts: Sequence[Cell], goals: Sequence[Cell]
) -> tuple[Cell, ...] | None:
    """Return the empty cells of a shortest route from some empty cells to others.

    Strands on the way cost nothing. A route that visits an empty cell twice can be shortened by
    leaving it at once by its last edge, so a shortest route visits every cell, and with it every
    free strand, once. A breadth-first search over cells is therefore exact, with one card a cell.

    A shortest route need not leave the ring of empty cells round all cards: any detour outside
    can be moved onto the ring. The search is bidirectional and always expands the smaller
    frontier, so a walled-in end is found as soon as its own pocket is full.

    Returns:
        The cells, first a start and last a goal, or ``None`` if there is no route.
    """
    left, top, right, bottom = _ring(across, starts)
    came_from = ({cell: cell for cell in starts}, {cell: cell for cell in goals})
    for cell in starts:
        if cell in came_from[1]:
            return (cell,)
    rims = (list(starts), list(goals))
    while rims[0] and rims[1]:
        ours = 0 if len(rims[0]) <= len(rims[1]) else 1
        known, met = came_from[ours], came_from[1 - ours]
        rim = []
        for cell in rims[ours]:
            for beyond in _steps(across, cell):
                x, y = beyond
                if beyond in known or not (left <= x <= right and top <= y <= bottom):
                    continue
                known[beyond] = cell
                if beyond in met:
                    return _route_through(came_from, beyond)
                rim.append(beyond)
        rims[ours][:] = rim
    return None


def pocket(across: Across, start: Cell) -> frozenset[Cell] | None:
    """Return the empty cells that an end can reach, ``None`` if it can reach the outside."""
    left, top, right, bottom = _ring(across, [start])
    found, border = {start}, [start]
    while border:
        x, y = border.pop()
        if not (left < x < right and top < y < bottom):
            return None
        for beyond in _steps(across, (x, y)):
            if beyond not in found:
                found.add(beyond)
                border.append(beyond)
    return frozenset(found)


def _ring(across: Across, starts: Sequence[Cell]) -> tuple[int, int, int, int]:
    """Return left, top, right and bottom of the ring of empty cells round all cards."""
    left, top, right, bottom = bounding_box(across) or bounding_box(starts) or (0, 0, 0, 0)
    return left - 1, top - 1, right + 1, bottom + 1


def _steps(across: Across, cell: Cell) -> Iterator[Cell]:
    """Yield the empty cells that one card on an empty cell leads to."""
    x, y = cell
    for edge, (dx, dy) in enumerate(SQUARE_STEPS):
        beyond = (x + dx, y + dy)
        if beyond in across:
            beyond, _ = run_on(across, (beyond, opposite(edge)))
            if beyond in across:
                continue
        yield beyond


def _route_through(
    came_from: tuple[dict[Cell, Cell], dict[Cell, Cell]], middle: Cell
) -> tuple[Cell, ...]:
    there, back = (list(_trail(known, middle)) for known in came_from)
    return (*reversed(there), *back[1:])


def _trail(came_from: Mapping[Cell, Cell], cell: Cell) -> Iterator[Cell]:
    yield cell
    while came_from[cell] != cell:
        cell = came_from[cell]
        yield cell
