"""Snakes of one colour on hex boards: adjacency, connected components, bad contacts.

A spot is a hex of one board, ``(board, q, r)``; Snekagon has only board 0. A drill joins two spots
of touching boards, which then are neighbours like any others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import lru_cache

from engine.lattice import HEX_STEPS

Spot = tuple[int, int, int]
"""A hex: board, q and r."""
Drill = tuple[Spot, Spot]
"""The two hexes that a drill joins, sorted."""
Drilled = Mapping[Spot, tuple[Spot, ...]]
"""By hex: the hexes at the other ends of its drills."""
Contact = tuple[Spot, Spot]
"""A hex of a new tile and an older hex of the same colour that it touches."""

MOST_NEIGHBOURS = 2
"""The maximum number of neighbours of its colour that a hex may have (ruling 1 of Snekagon)."""

SIDES_IN_A_TRIANGLE = 2
"""The number of new contacts when a hex completes a triangle with two joined hexes."""


@dataclass(frozen=True, slots=True)
class BadContact:
    """One bad contact between a new tile and its own colour."""

    kind: str
    """``touches-itself``, ``sharp-turn``, ``branches`` or ``own-snakes-touch``."""
    spots: tuple[Spot, ...]
    """The hexes to point at, sorted."""
    case: str = ""
    """The case of the rule's sentence: ``middle``, ``drilled`` or ``side`` for ``branches``,
    ``alongside`` for ``own-snakes-touch`` along a side."""


@lru_cache(maxsize=8192)
def around(spot: Spot) -> tuple[Spot, ...]:
    """Return the six spots that share a side with this one, clockwise from the east."""
    board, q, r = spot
    return tuple((board, q + dq, r + dr) for dq, dr in HEX_STEPS)


def side_towards(spot: Spot, beside: Spot) -> int:
    """Return the side of a hex that touches a neighbour, numbered clockwise from the east."""
    return around(spot).index(beside)


def touching(spot: Spot, spots: Collection[Spot]) -> list[Spot]:
    """Return those of ``spots`` that share a side with ``spot``."""
    return [beside for beside in around(spot) if beside in spots]


def drilled_from(drills: Iterable[Drill]) -> Drilled:
    """Return, by hex, the hexes at the other ends of its drills."""
    found: dict[Spot, tuple[Spot, ...]] = {}
    for one, other in sorted(drills):
        found[one] = (*found.get(one, ()), other)
        found[other] = (*found.get(other, ()), one)
    return found


def neighbours(spot: Spot, own: Collection[Spot], drilled: Drilled) -> list[Spot]:
    """Return the neighbours of a hex in its colour, including those through drills."""
    return [*touching(spot, own), *drilled.get(spot, ())]


def is_end(spot: Spot, own: Collection[Spot], drilled: Drilled) -> bool:
    """Say whether a hex is an end, from which its snake can grow."""
    return len(neighbours(spot, own, drilled)) < MOST_NEIGHBOURS


def tile_ends(tile: Collection[Spot]) -> list[Spot]:
    """Return the end hexes of a tile, sorted; a single hex is both of its ends."""
    return [spot for spot in sorted(tile) if len(touching(spot, tile)) < MOST_NEIGHBOURS]


def snakes(own: Collection[Spot], drilled: Drilled) -> list[frozenset[Spot]]:
    """Return the snakes of a colour (its connected components), longest first."""
    found: list[frozenset[Spot]] = []
    left = set(own)
    while left:
        snake = _all_joined_to(min(left), own, drilled)
        found.append(snake)
        left -= snake
    return sorted(found, key=lambda snake: (-len(snake), min(snake)))


def _all_joined_to(start: Spot, own: Collection[Spot], drilled: Drilled) -> frozenset[Spot]:
    snake = {start}
    border = [start]
    while border:
        for spot in neighbours(border.pop(), own, drilled):
            if spot not in snake:
                snake.add(spot)
                border.append(spot)
    return frozenset(snake)


def bad_contacts(
    own: Set[Spot], drilled: Drilled, tile: Collection[Spot], made: Iterable[Drill] = ()
) -> list[BadContact]:
    """Return the bad contacts between a new tile and the snakes of its colour.

    A snake is sound if every hex has at most two neighbours and no three hexes are mutually
    adjacent (ruling 1). Older fouls away from the new tile are not reported.

    Args:
        own: the hexes of the colour before the move.
        drilled: the drills of the colour before the move.
        tile: the new hexes.
        made: the drills that the new tile makes.
    """
    contacts = _contacts(own, tile, made)
    if not contacts:
        return []
    places = _places(contacts)
    meeting = _Meeting(own, drilled, tile, places)
    wrong = [place for place in places if not meeting.is_joint(place)]
    if wrong:
        return meeting.named(wrong)
    return list(_crowds(own, drilled, tile, contacts))


def _contacts(own: Set[Spot], tile: Collection[Spot], made: Iterable[Drill]) -> list[Contact]:
    flat = [(new, old) for new in sorted(tile) for old in touching(new, own)]
    drilled = [(one, other) if one in tile else (other, one) for one, other in sorted(made)]
    return flat + drilled


def _places(contacts: Iterable[Contact]) -> list[list[Contact]]:
    """Group contacts that are adjacent both on the tile and on the older hexes."""
    places: list[list[Contact]] = []
    for contact in contacts:
        near = [place for place in places if any(_next_to(contact, other) for other in place)]
        places = [place for place in places if place not in near]
        places.append([*(other for place in near for other in place), contact])
    return places


def _next_to(one: Contact, other: Contact) -> bool:
    return all(a == b or b in around(a) for a, b in zip(one, other, strict=True))


@dataclass(frozen=True, slots=True)
class _Meeting:
    """A new tile among the snakes of its colour, and the places where they touch."""

    own: Set[Spot]
    drilled: Drilled
    tile: Collection[Spot]
    places: list[list[Contact]]

    def is_joint(self, place: list[Contact]) -> bool:
        """Say whether the place is one contact, from end to end."""
        return len(place) == 1 and self._is_end_to_end(place[0])

    def named(self, wrong: list[list[Contact]]) -> list[BadContact]:
        """Classify the bad places.

        - ``sharp-turn``: an end meets an end and the hex behind it, so that three touch;
        - ``touches-itself``: the tile touches the same snake in another place as well;
        - ``own-snakes-touch``: the tile touches another snake as well, or lies alongside;
        - ``branches``: an end runs into a side.
        """
        snake_of = self._snakes_by_spot()
        found = []
        for place in wrong:
            snake = snake_of[place[0][1]]
            others = [snake_of[other[0][1]] for other in self.places if other is not place]
            if self._is_sharp_turn(place):
                kind = "sharp-turn"
            elif snake in others:
                kind = "touches-itself"
            elif others or not self._is_at_a_tip(place):
                kind = "own-snakes-touch"
            else:
                kind = "branches"
            found.append(BadContact(kind, _spots_of(place), self._case(kind, place)))
        return found

    def _case(self, kind: str, place: list[Contact]) -> str:
        """Return the case of a bad place, as ``BadContact.case`` lists them."""
        if kind == "own-snakes-touch":
            return "" if self._is_at_a_tip(place) else "alongside"
        if kind != "branches":
            return ""
        olds = {old for _, old in place if not is_end(old, self.own, self.drilled)}
        if any(is_end(old, self.own, {}) for old in olds):
            return "drilled"
        return "middle" if olds else "side"

    def _is_sharp_turn(self, place: list[Contact]) -> bool:
        a_triangle = len(place) == SIDES_IN_A_TRIANGLE
        return a_triangle and any(self._is_end_to_end(contact) for contact in place)

    def _is_end_to_end(self, contact: Contact) -> bool:
        new, old = contact
        return is_end(new, self.tile, {}) and is_end(old, self.own, self.drilled)

    def _is_at_a_tip(self, place: list[Contact]) -> bool:
        """Say whether all contacts share one end hex, of the tile or of the snake."""
        news, olds = {new for new, _ in place}, {old for _, old in place}
        return (len(news) == 1 and is_end(min(news), self.tile, {})) or (
            len(olds) == 1 and is_end(min(olds), self.own, self.drilled)
        )

    def _snakes_by_spot(self) -> dict[Spot, int]:
        found = snakes(self.own, self.drilled)
        return {spot: number for number, snake in enumerate(found) for spot in snake}


def _crowds(
    own: Set[Spot], drilled: Drilled, tile: Collection[Spot], contacts: list[Contact]
) -> Iterator[BadContact]:
    """Yield the hexes that get too many neighbours from joints that are good one by one."""
    for spot in sorted({spot for contact in contacts for spot in contact}):
        joined = [a if b == spot else b for a, b in contacts if spot in (a, b)]
        before = touching(spot, tile) if spot in tile else neighbours(spot, own, drilled)
        if len(before) + len(joined) > MOST_NEIGHBOURS:
            yield BadContact("branches", tuple(sorted({spot, *before, *joined})))


def _spots_of(place: Iterable[Contact]) -> tuple[Spot, ...]:
    return tuple(sorted({spot for contact in place for spot in contact}))
