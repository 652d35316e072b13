"""Evidence about hex tiles besides colours, and how much of it contradicts a reading."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from engine.game import Place
from engine.hexsnakes import Spot, around, side_towards, touching
from engine.lattice import HEX_SIDE_NAMES
from engine.placement import Clay, Layout

SIDES = len(HEX_SIDE_NAMES)


@dataclass(frozen=True, slots=True)
class Seen:
    """What a picture shows besides colours, and the layout known from before.

    Cells are ``(q, r)`` or, where there are several boards, ``(board, q, r)``. The evidence may be
    incomplete; wrong evidence counts against the true reading, but does not rule it out.
    """

    notches: Mapping[Place, frozenset[int]] = field(default_factory=dict)
    """The notched sides of hexes that were seen well, numbered clockwise from the east."""
    seams: Mapping[frozenset[Place], bool] = field(default_factory=dict)
    """Whether a tile ends between two neighbouring hexes."""
    clay: frozenset[Clay] = frozenset()
    last: Layout = field(default_factory=Layout)
    """The last known layout; its tiles have probably not moved."""


def spot_of(place: Place) -> Spot:
    """Return a cell as board, q and r; without a board it is board 0."""
    board = place[0] if len(place) > 2 else 0
    return (board, place[-2], place[-1])


class Evidence:
    """The evidence, indexed by spot."""

    def __init__(self, seen: Seen, spots: Collection[Spot]) -> None:
        self._notches = {spot_of(place): sides for place, sides in seen.notches.items()}
        self._seams = {frozenset(map(spot_of, pair)): cut for pair, cut in seen.seams.items()}
        self._clay = {(clay.board, *clay.cell): clay for clay in seen.clay}
        self._before: dict[Spot, tuple[str, frozenset[Spot]]] = {}
        for piece in seen.last.pieces:
            lying = frozenset((piece.board or 0, *cell) for cell in piece.cells)
            if lying.issubset(spots):
                self._before |= dict.fromkeys(lying, (piece.tile, lying))

    def against(self, tile: str, walk: Sequence[Spot]) -> int:
        """Return the number of observations that contradict a tile along a walk."""
        return (
            sum(1 for _ in self._wrong_notches(walk))
            + sum(1 for _ in self._wrong_seams(walk))
            + sum(1 for _ in self._wrong_clay(walk))
            + self._moved(tile, walk)
        )

    def _wrong_notches(self, walk: Sequence[Spot]) -> Iterator[Spot]:
        if self._notches:
            for spot in walk:
                if spot in self._notches and self._notches[spot] != notches(spot, walk):
                    yield spot

    def _wrong_seams(self, walk: Sequence[Spot]) -> Iterator[Spot]:
        if self._seams:
            inside = {frozenset(pair) for pair in pairwise(walk)}
            for spot in walk:
                for beside in around(spot):
                    pair = frozenset((spot, beside))
                    if pair in self._seams and self._seams[pair] == (pair in inside):
                        yield spot

    def _wrong_clay(self, walk: Sequence[Spot]) -> Iterator[Spot]:
        for number, spot in enumerate(walk if self._clay else ()):
            clay = self._clay.get(spot)
            if clay is None or (len(walk) == 1 and number == 0):
                continue
            joint = [side_towards(spot, beside) for beside in touching(spot, walk)]
            opens = clay.opens and HEX_SIDE_NAMES.index(clay.opens)
            if clay.kind == "closed" or len(joint) > 1 or opens not in (None, joint[0]):
                yield spot

    def _moved(self, tile: str, walk: Sequence[Spot]) -> int:
        """Return how many hexes belonged to another tile in the last known layout."""
        here = (tile, frozenset(walk))
        return sum(1 for spot in walk if self._before.get(spot, here) != here)


def notches(spot: Spot, walk: Collection[Spot]) -> frozenset[int]:
    """Return the notched sides of a hex of a tile (ruling 6 of Snekagon).

    An inner hex has notches on its four free sides, the end of a longer tile on the two sides next
    to its joint, a single hex has none.
    """
    joints = [side_towards(spot, beside) for beside in touching(spot, walk)]
    if not joints:
        return frozenset()
    if len(joints) == 1:
        return frozenset({(joints[0] + 1) % SIDES, (joints[0] - 1) % SIDES})
    return frozenset(range(SIDES)) - frozenset(joints)
