"""Combines settled looks with the known layout into the layouts that may lie on the table.

A known tile stays until it is surely gone or surely another one: a covered, unsure or
occasionally missed tile still counts. Hex cells are cut into tiles here, known tiles first.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, product
from math import hypot

from companion_app.live.places import (
    NOBODY_KNOWS,
    Belief,
    Content,
    Point,
    Spot,
    beside,
    contents,
    spots_of,
)
from companion_app.live.settle import Settled
from engine.decompose import Decomposition, decompose
from engine.lattice import HEX_STEPS
from engine.placement import Clay, Layout, Piece, Placement
from engine.seen import Seen
from engine.tiles import TileSet

COULD_STILL_BE = 0.02
"""Confidence of the known tile in an unsure reading from which on the tile has probably stayed."""
LIKELY = 0.5
"""Confidence from which on an unsure reading speaks against what is known, or was told."""
MOST_REPLACED = 2
"""Most tiles that hands replace between two settled tables."""
MOST_CUTS = 8
"""Most ways to cut hex cells into tiles that are considered."""
NUDGED = 0.6
"""Distance in tile widths below which a tile aside is the missing known one, nudged."""
GONE_SHARE = 0.6
"""Share of a hex tile's cells that must be gone before the tile counts as gone."""


@dataclass(frozen=True)
class Reading:
    """What may lie on the table."""

    layouts: tuple[Layout, ...]
    """The likeliest first; more than one only where hex cells can be cut in several ways."""
    doubts: Mapping[Spot, Belief] = field(default_factory=dict)
    """Spots whose tile must be asked about, with the guesses."""
    least_sure: float = 1.0
    """The lowest confidence among the spots that have changed."""
    waiting: bool = False
    """Whether looks do not agree yet on whether something lies in a spot."""
    changed: frozenset[Spot] = frozenset()
    loose: frozenset[Spot] = frozenset()
    """New hex cells that no tiles of the box can fill: part of a tile, or not a tile at all."""


def read_settled(
    settled: Settled,
    known: Layout,
    box: TileSet,
    answers: Mapping[Spot, Content | None],
    several: bool,
    there: Collection[Spot] = (),
    handled: Collection[Spot] = (),
) -> Reading:
    """Return the layouts that the looks and the known layout allow.

    Args:
        settled: what the looks agree on.
        known: the last accepted layout.
        box: the set.
        answers: by spot, what people have said lies there; ``None`` for nothing.
        several: whether pieces name their board.
        there: spots of unseen known tiles that people have confirmed to lie there.
        handled: spots of known tiles that were surely read before a hand came.
    """
    lying = contents(known)
    if box.lattice == "square":
        settled = _in_this_light(settled, lying, box)
    otherwise = _read_otherwise(settled, lying, handled)
    now: dict[Spot, Content] = {}
    doubts: dict[Spot, Belief] = {}
    least, waiting = 1.0, False
    changed: set[Spot] = set()
    for spot in {*lying, *settled.sure, *settled.doubts, *settled.flickering}:
        before = lying.get(spot)
        content, share, doubt = _content_at(spot, before, settled, answers, there, otherwise)
        if doubt is not None:
            doubts[spot] = doubt
        if spot in settled.flickering and _may_change(spot, before, settled):
            waiting = True
        if before is not None and not settled.enough_for_gone and _is_unseen(spot, settled):
            waiting = True
        if content is not None:
            now[spot] = content
        if content != before:
            changed.add(spot)
            least = min(least, share)
    if box.lattice == "hex":
        layouts, loose = _hex_layouts(now, known, settled, box, several)
    else:
        layouts, loose = (_square_layout(now, known),), frozenset[Spot]()
    return Reading(layouts, doubts, least, waiting, frozenset(changed), loose)


def _content_at(
    spot: Spot,
    before: Content | None,
    settled: Settled,
    answers: Mapping[Spot, Content | None],
    there: Collection[Spot],
    otherwise: Collection[Spot],
) -> tuple[Content | None, float, Belief | None]:
    """Return a spot's content, its confidence, and the doubt to ask about, if there is one."""
    content, share = settled.sure.get(spot, (None, 1.0))
    belief = settled.doubts.get(spot)
    if spot in answers and (belief is not None or content not in (None, before)):
        return answers[spot], 1.0, None
    if content is not None:
        return content, share, None
    if belief is not None:
        hidden = belief.why == "covered" or _is_half_covered(spot, belief, settled)
        may_be = spot not in otherwise and before is not None and _may_be(before, belief)
        stays = before is not None and (hidden or may_be)
        return before, 1.0, None if stays else belief
    stays = spot in settled.covered or spot in settled.flickering or not settled.enough_for_gone
    stays = stays or spot in there
    if before is None or stays or _is_nudged(spot, before, settled):
        return before, 1.0, None
    return None, 1.0, None


def _may_change(spot: Spot, before: Content | None, settled: Settled) -> bool:
    """Say whether a flickering spot may be new: it was empty, or the newest look contradicts it."""
    belief = settled.last.beliefs.get(spot)
    return before is None or (belief is not None and belief.sure and belief.best != before)


def _is_unseen(spot: Spot, settled: Settled) -> bool:
    return not any(
        spot in some for some in (settled.sure, settled.doubts, settled.covered, settled.flickering)
    )


def _is_half_covered(spot: Spot, belief: Belief, settled: Settled) -> bool:
    """Say whether a spot looks like no tile of the box and lies next to a covered spot."""
    strange = not belief.guesses or belief.guesses[0][1] < COULD_STILL_BE
    return strange and bool(beside((spot,), settled.covered))


def _may_be(content: Content, belief: Belief) -> bool:
    if not belief.guesses or belief.best in (NOBODY_KNOWS, content):
        return True
    if belief.guesses[0][1] < COULD_STILL_BE:
        return True  # It gives hardly anything to all guesses, so it denies nothing.
    return dict(belief.guesses).get(content, 0.0) >= COULD_STILL_BE


def _in_this_light(settled: Settled, lying: Mapping[Spot, Content], box: TileSet) -> Settled:
    """Return the looks with what the light makes of cards set right.

    Where more known cards of one colour than hands replace look like the same cards in another
    colour, the light has changed and not the cards. New cards in that colour may be either.
    """
    read = {spot: content for spot, (content, _) in settled.sure.items()}
    read |= {spot: belief.best for spot, belief in settled.doubts.items()}
    groups: dict[tuple[str, str], set[Spot]] = {}
    for spot, (tile, turns) in lying.items():
        colour, _, shape = tile.partition("/")
        now = read.get(spot, (tile, turns))
        seen, _, seen_shape = now[0].partition("/")
        if shape and seen != colour and (seen_shape, now[1]) == (shape, turns):
            groups.setdefault((colour, seen), set()).add(spot)
    lit = {colours: spots for colours, spots in groups.items() if len(spots) > MOST_REPLACED}
    if not lit:
        return settled
    same = {spot for spots in lit.values() for spot in spots}
    doubts = {spot: belief for spot, belief in settled.doubts.items() if spot not in same}
    sure = dict(settled.sure) | {spot: (lying[spot], 1.0) for spot in same}
    for (colour, seen), spot in product(lit, settled.sure.keys() - lying.keys()):
        (tile, turns), share = settled.sure[spot]
        other = f"{colour}/{tile.partition('/')[2]}"
        if tile.partition("/")[0] == seen and other in box:
            doubts[spot] = Belief((((tile, turns), share), ((other, turns), 1 - share)), sure=False)
            sure.pop(spot, None)
    return replace(settled, sure=sure, doubts=doubts)


def _read_otherwise(
    settled: Settled, lying: Mapping[Spot, Content], handled: Collection[Spot]
) -> frozenset[Spot]:
    """Return the spots in which a hand has probably replaced the tile by one that is not sure.

    Where many tiles look like others, the light has changed and not the tiles.
    """
    found = frozenset(
        spot
        for spot, belief in settled.doubts.items()
        if spot in handled
        and belief.guesses
        and belief.best not in (NOBODY_KNOWS, lying.get(spot))
        and not COULD_STILL_BE <= belief.guesses[0][1] < LIKELY
    )
    return found if len(found) <= MOST_REPLACED else frozenset()


def _is_nudged(spot: Spot, content: Content, settled: Settled) -> bool:
    """Say whether a missing card lies aside, just off its spot."""
    was = settled.known_px.get(spot)
    if was is None:
        return False
    width = _pitch_px(settled.last.centres_px)
    return any(
        tile == content[0] and hypot(at[0] - was[0], at[1] - was[1]) < NUDGED * width
        for tile, at in settled.last.aside_px
    )


def _pitch_px(centres: Mapping[Spot, Point]) -> float:
    """Return the median distance of neighbouring cards in pixels; 0 if no neighbours are seen."""
    found = [
        hypot(centres[f, x, y][0] - there[0], centres[f, x, y][1] - there[1])
        for f, x, y in centres
        for there in (centres.get((f, x + 1, y)), centres.get((f, x, y + 1)))
        if there is not None
    ]
    return sorted(found)[len(found) // 2] if found else 0.0


# --- layouts -------------------------------------------------------------------------------------


def _square_layout(now: Mapping[Spot, Content], known: Layout) -> Layout:
    fields = any(card.field is not None for card in known.cards)
    return Layout(
        frozenset(
            Placement(tile, (x, y), turns, number if fields else None)
            for (number, x, y), (tile, turns) in now.items()
        )
    )


def _hex_layouts(
    now: Mapping[Spot, Content], known: Layout, settled: Settled, box: TileSet, several: bool
) -> tuple[tuple[Layout, ...], frozenset[Spot]]:
    """Return the layouts into which the cells can be cut, and the cells that fit no tile."""
    clay = settled.last.clay
    kept = frozenset(piece for piece in known.pieces if _is_kept(piece, now, settled.last.pieces))
    taken = {spot for piece in kept for spot in spots_of(piece)}
    new = {spot: content[0] for spot, content in now.items() if spot not in taken}
    ways, loose = _cuts(new, kept, settled, box, several)
    return tuple(Layout(pieces=kept.union(way), clay=clay) for way in ways), loose


def _is_kept(piece: Piece, now: Mapping[Spot, Content], read: frozenset[Piece]) -> bool:
    """Say whether a known tile still lies there: enough of its cells, all in its colour.

    A tile with a missing cell whose other cells were read as part of another tile has moved.
    """
    colour = piece.tile.partition("/")[0]
    own = frozenset(spots_of(piece))
    found = [now.get(spot) for spot in own]
    if any(content is not None and content[0] != colour for content in found):
        return False
    if None in found and any(own & {*spots_of(p)} and {*spots_of(p)} - own for p in read):
        return False
    return sum(content is None for content in found) < GONE_SHARE * len(found)


def _cuts(
    new: Mapping[Spot, str], kept: frozenset[Piece], settled: Settled, box: TileSet, several: bool
) -> tuple[list[tuple[Piece, ...]], frozenset[Spot]]:
    if not new:
        return [()], frozenset()
    look = settled.last
    fitting = tuple(
        piece
        for piece in sorted(look.pieces)
        if all(new.get(spot) == piece.tile.partition("/")[0] for spot in spots_of(piece))
    )
    covered = [spot for piece in fitting for spot in spots_of(piece)]
    if len(covered) == len(set(covered)) == len(new):
        return list(islice(_with_splits(fitting, settled), MOST_CUTS)), frozenset()
    return _cut_anew(new, kept, look.clay, box, several)


def _with_splits(pieces: tuple[Piece, ...], settled: Settled) -> list[tuple[Piece, ...]]:
    """Return the pieces as read, then with each alternative cut of the ambiguous cells."""
    ways = [pieces]
    for spots, others in settled.last.splits:
        inside = [p for p in pieces if spots.issuperset(spots_of(p))]
        if inside and spots == {spot for p in inside for spot in spots_of(p)}:
            rest = tuple(p for p in pieces if p not in inside)
            ways += [rest + other for other in others if set(other) != set(inside)]
    return ways


def _cut_anew(
    new: Mapping[Spot, str],
    kept: frozenset[Piece],
    clay: frozenset[Clay],
    box: TileSet,
    several: bool,
) -> tuple[list[tuple[Piece, ...]], frozenset[Spot]]:
    gone = Counter(piece.tile for piece in kept)
    stock = {name: count - gone[name] for name, count in box.counts.items()}

    def cut(spots: Iterable[Spot]) -> Decomposition:
        cells: dict[str, list[tuple[int, ...]]] = {}
        for spot in spots:
            cells.setdefault(new[spot], []).append(spot if several else spot[1:])
        return decompose(cells, box, Seen(clay=clay), stock)

    loose: frozenset[Spot] = frozenset()
    found = cut(new)
    if found.unexplained:
        groups = [group for group in _groups(new) if new[min(group)] in found.unexplained]
        loose = frozenset().union(*(group for group in groups if cut(group).unexplained))
        found = cut(new.keys() - loose)
    if found.unexplained:
        # Every group alone can be a tile, but the box does not hold enough tiles for all groups.
        return [()], frozenset(new)
    choices = [[r.pieces for r in found.equally_good(colour)] for colour in found.readings]
    return [sum(way, ()) for way in islice(product(*choices), MOST_CUTS)], loose


def _groups(new: Mapping[Spot, str]) -> list[frozenset[Spot]]:
    """Return the connected groups of cells of one colour."""
    left, groups = set(new), []
    while left:
        edge = [left.pop()]
        group = set(edge)
        while edge:
            number, q, r = edge.pop()
            near = {(number, q + dq, r + dr) for dq, dr in HEX_STEPS} & left
            near = {spot for spot in near if new[spot] == new[number, q, r]}
            left -= near
            group |= near
            edge += near
        groups.append(frozenset(group))
    return groups
