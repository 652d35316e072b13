"""Aligns a table state with the known game: finds the shift and turn of its lattice.

Origin and turn of a free layout are arbitrary in every table state, a hexagonal board without
eyes can be read in six orientations, and a ring of boards can be numbered from any of them. Known
tiles vote for the alignment that puts them where they lay. Ties are broken by distance in pixels
from where the tiles were last seen, then in favour of the previous alignment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import hypot
from typing import Any

from companion_app.live.match import Match
from companion_app.live.places import (
    Belief,
    Content,
    Point,
    Sighting,
    Spot,
    hex_turned,
    middle,
    spots_of,
    turned,
)
from companion_app.live.unmoored import lattice_through, places_by
from engine.lattice import HEX_SIDE_NAMES, Cell
from engine.placement import Clay, Layout, Piece, Placement
from engine.tiles import TileSet
from vision import TableState

Way = tuple[int, int, int]
"""An alignment of a square lattice: turns, then the shift by x and y in cells."""
Ring = tuple[tuple[int, ...], tuple[int, ...]]
"""An alignment of hex boards: the known board that each one in view is, and the turns of each."""

STRAIGHT_ON: Way = (0, 0, 0)
LEAST_FIT = 0.5
"""Share of seen tiles that must match the known layout; below it, this is not the known table."""
FEW_CELLS = 12
"""Hex cells below which the fit is not tested: one moved tile is half of so small a layout."""
SAME_PLACE = 0.4
"""Distance of tile centres, in tile widths, below which tiles lie in the same place."""
SURE_COLOUR = 0.99
"""Confidence above which the colour of an unsure hex tile counts as sure."""
SIDES = len(HEX_SIDE_NAMES)


@dataclass
class Aligner:
    """Turns table states into sightings; remembers the last alignment."""

    box: TileSet
    boards: int = 1
    """Number of boards in the ring; 1 for a single board or a square lattice."""
    eyes: frozenset[Cell] = frozenset()
    ways: dict[int, Way] = field(default_factory=dict)
    """By field: the last alignment."""
    ring: Ring | None = None
    centres_px: dict[Spot, Point] = field(default_factory=dict)

    def sighting(self, table: TableState, known: Layout) -> Sighting | None:
        """Return a table state in the game's cells, or ``None`` if it cannot be this table."""
        read = self._hex if self.box.lattice == "hex" else self._square
        seen = read(table, known)
        if seen is not None:
            self.centres_px.update(seen.centres_px)
        return seen

    # --- square lattices -------------------------------------------------------------------

    def _square(self, table: TableState, known: Layout) -> Sighting | None:
        fields: dict[int, list[Mapping[str, Any]]] = {}
        for entry in (*table.tiles, *table.unsure):
            if entry.get("at") is not None:
                fields.setdefault(entry.get("field") or 0, []).append(entry)
        known_by_field: dict[int, list[Placement]] = {}
        for card in known.cards:
            known_by_field.setdefault(card.field or 0, []).append(card)
        beliefs: dict[Spot, Belief] = {}
        centres: dict[Spot, Point] = {}
        outlines: dict[Spot, tuple[Point, ...]] = {}
        sure = {id(entry) for entry in table.tiles}
        matched = of = 0
        unmoored: set[int] = set()
        lost: set[Spot] = set()
        for number, entries in fields.items():
            own = known_by_field.get(number, [])
            way, votes = self._way(number, entries, own)
            if way is None and (way := self._way_by_lattice(number, entries, own)):
                unmoored.add(number)
            else:
                matched += votes
                of += min(len(own), len(entries))
            if way is None:
                # This field cannot be aligned, for example a pile next to an unseen big card; the
                # other fields are not affected.
                lost.update(spot for card in own for spot in spots_of(card))
                continue
            self.ways[number] = way
            for entry in entries:
                at = _shifted(tuple(entry["at"]), way)
                spot = (number, *at)
                beliefs[spot] = self._belief(entry, way[0], id(entry) in sure)
                _remember(entry, spot, centres, outlines)
        if (lost and not matched) or (of >= 2 and matched < LEAST_FIT * of):
            return None
        return Sighting(
            beliefs,
            frozenset(lost),
            centres_px=centres,
            outlines_px=outlines,
            aside_px=_aside(table),
            die=_die(table),
            unmoored=frozenset(unmoored),
        )

    def _way(
        self, number: int, entries: list[Mapping[str, Any]], known: list[Placement]
    ) -> tuple[Way | None, int]:
        """Return the alignment that most known tiles vote for, and the number of votes.

        Without votes it comes from tiles seen in a known tile's place, ``None`` if there are none.
        Without known tiles it is the last alignment.
        """
        last = self.ways.get(number, STRAIGHT_ON)
        votes: Counter[Way] = Counter()
        away: Counter[Way] = Counter()
        by_tile: dict[str, list[Placement]] = {}
        for card in known:
            by_tile.setdefault(card.tile, []).append(card)
        for entry in entries:
            tile, at, turns = entry.get("tile"), tuple(entry["at"]), entry.get("turns") or 0
            centre = middle(entry.get("outline"))
            for card in by_tile.get(str(tile), ()):
                period = self.box[card.tile].period
                for turn in range(4):
                    if (turns + turn - card.turns) % period == 0:
                        x, y = turned(at, turn)
                        way = (turn, card.at[0] - x, card.at[1] - y)
                        votes[way] += 1
                        away[way] += round(self._distance(spots_of(card)[0], centre))
        pairs = self._in_place(number, entries, known)
        if not votes:
            return (_way_through(pairs, last) if known else last), 0
        most = max(votes.values())
        best = [way for way, count in votes.items() if count == most]

        def off(way: Way) -> int:
            # When one of two tiles was turned in place, its vote would rotate the other around it.
            return sum(_shifted(at, way) != spot for at, spot in pairs)

        best.sort(key=lambda way: (off(way), away[way], way != last, way != STRAIGHT_ON, way))
        return best[0], most

    def _in_place(
        self, number: int, entries: list[Mapping[str, Any]], known: list[Placement]
    ) -> list[tuple[Cell, Cell]]:
        """Return pairs of a seen cell and the known card's cell that was last seen in its place."""
        found = []
        for entry in entries:
            outline = entry.get("outline") or ()
            centre = middle(outline)
            if centre is None:
                continue
            width = max(point[0] for point in outline) - min(point[0] for point in outline)
            for card in known:
                was = self.centres_px.get((number, *card.at))
                if was and hypot(was[0] - centre[0], was[1] - centre[1]) < SAME_PLACE * width:
                    found.append((tuple(entry["at"]), card.at))
                    break
        return found

    def _way_by_lattice(
        self, number: int, entries: list[Mapping[str, Any]], known: list[Placement]
    ) -> Way | None:
        """Return the alignment of new cards from the lattice that the known cards span."""
        spots = ((card.at, self.centres_px.get((number, *card.at))) for card in known)
        lattice = lattice_through({at: centre for at, centre in spots if centre is not None})
        places = None if lattice is None else places_by(lattice, entries)
        if places is None:
            return None
        last = self.ways.get(number, STRAIGHT_ON)[0]
        for turn in sorted(range(4), key=lambda turn: turn != last):
            ways = set()
            for entry, ((x, y), quarters) in zip(entries, places, strict=True):
                tile, (own_x, own_y) = str(entry.get("tile")), turned(tuple(entry["at"]), turn)
                period = self.box[tile].period if tile in self.box else 1
                fits = ((entry.get("turns") or 0) + turn - quarters) % period == 0
                ways.add((turn, x - own_x, y - own_y) if fits else None)
            if len(ways) == 1 and None not in ways:
                return ways.pop()
        return None

    def _distance(self, spot: Spot, centre: Point | None) -> float:
        known = self.centres_px.get(spot)
        return hypot(known[0] - centre[0], known[1] - centre[1]) if known and centre else 0.0

    def _belief(self, entry: Mapping[str, Any], turn: int, sure: bool) -> Belief:
        turns = entry.get("turns") or 0
        listed = entry.get("guesses") or [[entry.get("tile"), entry.get("confidence", 1.0)]]
        guesses = []
        for guess in listed:
            tile, confidence = str(guess[0]), float(guess[1])
            if tile in self.box:
                own = guess[2] if len(guess) > 2 else turns
                content: Content = (tile, (own + turn) % self.box[tile].period)
                guesses.append((content, confidence))
        known = sure and bool(guesses)
        return Belief(tuple(guesses), known, None if known else entry.get("why", "unknown-tile"))

    # --- hex boards ------------------------------------------------------------------------

    def _hex(self, table: TableState, known: Layout) -> Sighting | None:
        entries = [e for e in (*table.tiles, *table.unsure) if e.get("cells")]
        on_boards = (*entries, *table.clay, *table.splits)
        in_view = 1 + max((entry.get("board") or 0 for entry in on_boards), default=0)
        if in_view > self.boards:
            # Nobody knows which of the boards in view are in play.
            return None
        seen: dict[Spot, str] = {}
        for entry in entries:
            colour = str(entry.get("tile")).partition("/")[0]
            for cell in entry["cells"]:
                seen[entry.get("board") or 0, cell[0], cell[1]] = colour
        lying = {
            spot: piece.tile.partition("/")[0] for piece in known.pieces for spot in spots_of(piece)
        }
        ring, score = self._ring(seen, lying, entries, in_view)
        of = min(len(seen), len(lying))
        if of >= FEW_CELLS and score < LEAST_FIT * of:
            return None
        self.ring = ring
        return self._hex_sighting(table, entries, ring)

    def _ring(
        self,
        seen: Mapping[Spot, str],
        known: Mapping[Spot, str],
        entries: list[Mapping[str, Any]],
        in_view: int,
    ) -> tuple[Ring, int]:
        """Return the alignment that most known hexes vote for, and the number of votes.

        Boards in view are numbered without gaps, so a covered board changes the numbers of those
        after it. Such a gap is believed only if it puts every board where it was in the picture:
        otherwise a tile that was moved to the next board would be a moved board.
        """
        centres = _centres(entries)
        in_turn = [
            tuple((board + shift) % self.boards for board in range(self.boards))
            for shift in range(self.boards)
        ]
        fits = [self._fit(targets, seen, known, centres) for targets in in_turn]
        total, _, ring = min(fits, key=lambda fit: (-fit[0], fit[1], fit[2] != self.ring, fit[2]))
        near = SAME_PLACE * _narrowest_px(entries) * len(seen)
        gaps = (self._fit(targets, seen, known, centres) for targets in self._with_gaps(in_view))
        for votes, away, other in gaps:
            if votes > total and away <= near:
                total, ring = votes, other
        return ring, total

    def _with_gaps(self, in_view: int) -> Iterator[tuple[int, ...]]:
        """Yield the alignments of a ring in which boards are missing between those in view."""
        if self.ring is not None and in_view < self.boards:
            for shown in combinations(range(self.boards), in_view):
                for first in range(in_view):
                    yield shown[first:] + shown[:first]

    def _fit(
        self,
        targets: tuple[int, ...],
        seen: Mapping[Spot, str],
        known: Mapping[Spot, str],
        centres: Mapping[Spot, Point],
    ) -> tuple[int, float, Ring]:
        """Return the votes for an alignment, its summed distance in pixels, and its turns."""
        total, far, turns = 0, 0.0, []
        for board, target in enumerate(targets):
            mine = {s[1:]: c for s, c in seen.items() if s[0] == board}
            votes, away, turn = self._best_turn(board, mine, target, known, centres)
            total, far = total + votes, far + away
            turns.append(turn)
        return total, far, (targets, tuple(turns))

    def _best_turn(
        self,
        board: int,
        mine: Mapping[Cell, str],
        target: int,
        known: Mapping[Spot, str],
        centres: Mapping[Spot, Point],
    ) -> tuple[int, float, int]:
        """Return a board's best turns, as votes, summed distance in pixels, and turns."""
        last = self.ring[1][board] if self.ring and board < len(self.ring[1]) else 0
        options = []
        for turn in _turns_of_board(self.eyes):
            votes, away = 0, 0.0
            for cell, colour in mine.items():
                spot = (target, *hex_turned(cell, turn))
                if spot in known:
                    votes += 1 if known[spot] == colour else -1
                    away += self._distance(spot, centres.get((board, *cell)))
            options.append((-votes, away, turn != last, turn))
        lowest = min(options)
        return -int(lowest[0]), lowest[1], int(lowest[3])

    def _hex_sighting(
        self, table: TableState, entries: Iterable[Mapping[str, Any]], ring: Ring
    ) -> Sighting:
        beliefs: dict[Spot, Belief] = {}
        centres: dict[Spot, Point] = {}
        outlines: dict[Spot, tuple[Point, ...]] = {}
        sure = {id(entry) for entry in table.tiles}
        pieces = []
        half_hidden: set[Spot] = set()
        for entry in entries:
            piece = self._piece(entry, ring)
            if id(entry) not in sure and entry.get("why") == "covered":
                half_hidden.update(spots_of(piece))
            guesses = entry.get("guesses") or [[entry.get("tile"), entry.get("confidence", 1.0)]]
            colours: dict[Content, float] = {}
            for guess in guesses:
                colour = str(guess[0]).partition("/")[0]
                if colour in self.box.colours:
                    colours[colour, 0] = colours.get((colour, 0), 0.0) + float(guess[1])
            # The colour may be sure although the tile is not.
            if id(entry) not in sure:
                total = sum(colours.values())
                colours = {content: share / total for content, share in colours.items()}
            known = bool(colours) and (id(entry) in sure or max(colours.values()) > SURE_COLOUR)
            ranked = tuple(sorted(colours.items(), key=lambda item: -item[1]))
            belief = Belief(ranked, known, None if known else entry.get("why", "unknown-tile"))
            for spot in spots_of(piece):
                beliefs[spot] = belief
                _remember(entry, spot, centres, outlines)
            if known and piece.tile in self.box:
                pieces.append(piece)
        splits = tuple(self._split(split, ring) for split in table.splits)
        return Sighting(
            beliefs,
            frozenset(),
            frozenset(pieces),
            frozenset(half_hidden),
            splits,
            self._clay(table.clay, ring),
            centres,
            outlines,
            _aside(table),
        )

    def _split(
        self, split: Mapping[str, Any], ring: Ring
    ) -> tuple[frozenset[Spot], tuple[tuple[Piece, ...], ...]]:
        board = {"board": split["board"]} if split.get("board") is not None else {}
        ways = tuple(
            tuple(self._piece({**board, **part}, ring) for part in way) for way in split["ways"]
        )
        return frozenset(spot for part in ways[0] for spot in spots_of(part)), ways

    def _piece(self, entry: Mapping[str, Any], ring: Ring) -> Piece:
        board = entry.get("board") or 0
        targets, turns = ring
        cells = [hex_turned((q, r), turns[board]) for q, r in entry["cells"]]
        number = targets[board] if self.boards > 1 else None
        return Piece(str(entry.get("tile")), tuple(sorted(cells)), number)

    def _clay(self, entries: Iterable[Mapping[str, Any]], ring: Ring) -> frozenset[Clay]:
        targets, turns = ring
        found = []
        for entry in entries:
            board, opens = entry.get("board") or 0, entry.get("opens")
            if opens is not None:
                opens = HEX_SIDE_NAMES[(HEX_SIDE_NAMES.index(opens) + turns[board]) % SIDES]
            cell = hex_turned((entry["cell"][0], entry["cell"][1]), turns[board])
            found.append(Clay(targets[board], cell, entry["kind"], opens))
        return frozenset(found)


def aligner_for(match: Match) -> Aligner:
    """Return an aligner for the boards of a match and their eyes."""
    if not match.game.facts.several_boards:
        return Aligner(match.box)
    agreed = match.position.agreed
    return Aligner(match.box, agreed.boards, agreed.eyes)


def _turns_of_board(eyes: frozenset[Cell]) -> list[int]:
    """Return the turns that map a board's eyes onto themselves."""
    return [
        turn for turn in range(SIDES) if frozenset(hex_turned(eye, turn) for eye in eyes) == eyes
    ]


def _way_through(pairs: list[tuple[Cell, Cell]], last: Way) -> Way | None:
    """Return the alignment with the last turns that puts the first pair in one place."""
    for at, spot in pairs:
        x, y = turned(at, last[0])
        return (last[0], spot[0] - x, spot[1] - y)
    return None


def _shifted(cell: tuple[int, ...], way: Way) -> Cell:
    x, y = turned(cell, way[0])
    return x + way[1], y + way[2]


def _centres(entries: Iterable[Mapping[str, Any]]) -> dict[Spot, Point]:
    found: dict[Spot, Point] = {}
    for entry in entries:
        centre = middle(entry.get("outline"))
        if centre is not None:
            for cell in entry["cells"]:
                found[entry.get("board") or 0, cell[0], cell[1]] = centre
    return found


def _narrowest_px(entries: Iterable[Mapping[str, Any]]) -> float:
    """Return the shortest side of a box around a seen tile; 0 without any."""
    sides = [
        max(point[axis] for point in outline) - min(point[axis] for point in outline)
        for entry in entries
        if (outline := entry.get("outline"))
        for axis in (0, 1)
    ]
    return min(sides, default=0.0)


def _remember(
    entry: Mapping[str, Any],
    spot: Spot,
    centres: dict[Spot, Point],
    outlines: dict[Spot, tuple[Point, ...]],
) -> None:
    outline = entry.get("outline")
    centre = middle(outline)
    if centre is not None:
        centres[spot] = centre
        outlines[spot] = tuple((float(p[0]), float(p[1])) for p in outline or ())


def _aside(table: TableState) -> tuple[tuple[str, Point], ...]:
    return tuple(
        (str(entry.get("tile")), centre)
        for entry in table.aside
        if (centre := middle(entry.get("outline"))) is not None
    )


def _die(table: TableState) -> int | None:
    """Return the value of the die aside; ``None`` unless exactly one is seen."""
    shown = [str(e.get("tile")) for e in table.aside if str(e.get("tile")).startswith("die/")]
    return int(shown[0][4:]) if len(shown) == 1 and shown[0][4:].isdigit() else None
