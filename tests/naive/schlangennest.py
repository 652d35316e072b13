"""A second, naive referee for Schlangennest, written from the rulings alone.

Tests compare the engine with it.
Nothing here is shared with the engine, nothing is clever, and everything that can be computed
from the cards on the table is computed from them afresh after every move. "Rule n" in a comment
is rule n of RULINGS, section schlangennest.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

Cell = tuple[int, int]
Card = tuple[str, str, int, bool]
"""Colour, shape, turns, and whether it is a set-up card that belongs to nobody."""
Table = dict[Cell, Card]
Strand = tuple[Cell, int]
End = tuple[Cell, str]
"""A cell and the side of it at which a strand stops, facing an empty cell."""

COLOURS = ("blue", "red", "yellow", "green")
SIDES = "NESW"
STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}

# At turns 0: (coloured?, open sides). A strand with one open side is a cap.
PRINTED = {
    "straight": ((True, "WE"), (False, "NS")),
    "curve": ((True, "WN"), (False, "ES")),
    "tail": ((True, "W"), (False, "E"), (False, "NS")),
    "head": ((True, "W"), (False, "E"), (False, "NS")),
}
IN_A_SET = {"straight": 7, "curve": 9, "tail": 1, "head": 1}
LISTED_TURNS = {
    "straight": (0, 1),
    "curve": (0, 1, 2, 3),
    "tail": (0, 1, 2, 3),
    "head": (0, 1, 2, 3),
}

# The rulebook's table by number of players; of two choices the first.
SIZES = {
    "easy": {2: (6, 6), 3: (7, 7), 4: (8, 8)},
    "recommended": {2: (5, 7), 3: (6, 8), 4: (7, 9)},
    "hard": {2: (4, 8), 3: (4, 10), 4: (5, 11)},
}


def turned(sides: str, turns: int) -> str:
    """Return the sides after so many quarter turns clockwise."""
    return "".join(SIDES[(SIDES.index(side) + turns) % 4] for side in sides)


def beside(cell: Cell, side: str) -> Cell:
    """Return the cell on that side of a cell."""
    return (cell[0] + STEP[side][0], cell[1] + STEP[side][1])


def strands_of(card: Card) -> list[tuple[str | None, str]]:
    """Return (colour or None for grey, open sides) of every strand as the card lies.

    A set-up card's colour is written "*green": it is foreign to all, even to a player "green".
    """
    colour, shape, turns, nobodys = card
    name = "*" + colour if nobodys else colour
    return [
        (name if coloured else None, turned(sides, turns)) for coloured, sides in PRINTED[shape]
    ]


class Picture:
    """Everything that can be seen on one table: chains, their colours, their ends."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.strands: dict[Strand, tuple[str | None, str]] = {}
        at_side: dict[End, Strand] = {}
        for cell, card in table.items():
            for index, (colour, sides) in enumerate(strands_of(card)):
                self.strands[cell, index] = (colour, sides)
                for side in sides:
                    at_side[cell, side] = (cell, index)

        self.chains: list[set[Strand]] = []
        self.chain_number: dict[Strand, int] = {}
        for start in self.strands:
            if start in self.chain_number:
                continue
            chain: set[Strand] = set()
            todo = [start]
            while todo:
                strand = todo.pop()
                if strand in chain:
                    continue
                chain.add(strand)
                for side in self.strands[strand][1]:
                    other = (beside(strand[0], side), OPPOSITE[side])
                    if other in at_side:
                        todo.append(at_side[other])
            for strand in chain:
                self.chain_number[strand] = len(self.chains)
            self.chains.append(chain)

        self.ends: list[set[End]] = []
        self.caps: list[int] = []
        self.colours: list[set[str]] = []
        for chain in self.chains:
            self.ends.append(
                {
                    (strand[0], side)
                    for strand in chain
                    for side in self.strands[strand][1]
                    if beside(strand[0], side) not in table
                }
            )
            self.caps.append(sum(len(self.strands[strand][1]) == 1 for strand in chain))
            self.colours.append(
                {colour for strand in chain if (colour := self.strands[strand][0]) is not None}
            )

    def chains_of(self, colour: str) -> list[int]:
        """Return the numbers of the chains that hold the colour: one, in a proper game."""
        return [n for n, colours in enumerate(self.colours) if colour in colours]

    def ends_of(self, colour: str) -> set[End]:
        """Return all ends of the colour's snake."""
        return {end for n in self.chains_of(colour) for end in self.ends[n]}

    def has_snake(self, colour: str) -> bool:
        """Return whether the colour has any strand on the table."""
        return bool(self.chains_of(colour))

    def is_loop(self, colour: str) -> bool:
        """Return whether the colour's snake is closed: no end, no cap."""
        numbers = self.chains_of(colour)
        return bool(numbers) and not any(self.ends[n] or self.caps[n] for n in numbers)

    def is_finished(self, colour: str) -> bool:
        """Return whether the snake has no end left and is no loop (rule 8)."""
        return self.has_snake(colour) and not self.ends_of(colour) and not self.is_loop(colour)

    def length(self, colour: str) -> int:
        """Return the number of strands, grey and coloured, in the colour's snake (rule 9)."""
        return sum(len(self.chains[n]) for n in self.chains_of(colour))

    def facing(self) -> dict[Cell, set[str]]:
        """Return for every faced empty cell the colours of the snakes whose ends face it."""
        faced: dict[Cell, set[str]] = {}
        for n, ends in enumerate(self.ends):
            for cell, side in ends:
                faced.setdefault(beside(cell, side), set()).update(self.colours[n])
        return faced

    def knots(self, colours: list[str]) -> dict[Cell, dict[str, set[str]]]:
        """Return the cells on which all four ends of two snakes lie (rule 5).

        Each with the two colours and the sides *of that cell* at which their ends stand.
        """
        whole: dict[Cell, dict[str, set[str]]] = {}
        for colour in colours:
            ends = self.ends_of(colour)
            cells = {beside(cell, side) for cell, side in ends}
            if len(ends) == 2 and len(cells) == 1:
                sides = {OPPOSITE[side] for _, side in ends}
                whole.setdefault(cells.pop(), {})[colour] = sides
        return {cell: owners for cell, owners in whole.items() if len(owners) == 2}


def are_opposite(sides: set[str]) -> bool:
    """Return whether the two sides of a cell lie opposite each other."""
    return sides in ({"N", "S"}, {"W", "E"})


class NaiveSchlangennest:
    """A game of Schlangennest, judged the slow and literal way."""

    def __init__(
        self,
        players: list[str],
        options: dict[str, Any] | None = None,
        setup: list[dict[str, Any]] | dict[str, Any] | None = None,
        next_player: str | None = None,
    ) -> None:
        options = dict(options or {})
        self.players = list(players)
        self.border = options.get("border", "grows")
        self.frame = bool(options.get("frame", False))
        self.two_snakes = options.get("two_snakes", "off")
        self.tail_first = bool(options.get("tail_first", False)) or self.two_snakes != "off"
        self.size = self._size(options.get("size", "recommended"))
        self.colours = self._colours(options.get("colours"))
        self.all_colours = [colour for player in players for colour in self.colours[player]]

        # A list is set-up and belongs to nobody; in a table state only unused colours do.
        tiles = setup.get("tiles", []) if isinstance(setup, dict) else (setup or [])
        self.table: Table = {}
        for tile in tiles:
            colour, shape = tile["tile"].split("/")
            nobodys = not isinstance(setup, dict) or colour not in self.all_colours
            x, y = tile["at"]
            self.table[x, y] = (colour, shape, int(tile.get("turns", 0)), nobodys)
        self.field = self._fixed_field()

        self.picture = Picture(self.table)
        self.turn = next_player if next_player is not None else self.players[0]
        self.acted: set[str] = set()
        """Colours that have had their action in the turn now going on (two snakes, both)."""
        self.opening = self.two_snakes == "both" and not any(
            self.picture.has_snake(colour) for colour in self.all_colours
        )
        """Two snakes, both: in the game's first turn only one tail is laid."""
        if self._player_finished(self.turn):
            self._next_turn()
        self._is_over: bool | None = None

    def _size(self, size: object) -> tuple[int, int] | None:
        if size is None:
            return None
        if isinstance(size, str) and size in SIZES:
            return SIZES[size][len(self.players)]
        if isinstance(size, str):
            a, b = size.lower().split("x")
        else:
            a, b = size  # type: ignore[misc]
        return (int(a), int(b))

    def _colours(self, told: object) -> dict[str, list[str]]:
        if self.two_snakes == "off":
            return {player: [player] for player in self.players}
        if told:
            return {player: list(told[player]) for player in self.players}  # type: ignore[index]
        unused = [colour for colour in COLOURS if colour not in self.players]
        return {player: [player, unused[n]] for n, player in enumerate(self.players)}

    def _fixed_field(self) -> tuple[int, int, int, int] | None:
        """Return left, top, right, bottom of the field that set-up cards fix, if they do."""
        if self.border != "fixed" and not self.frame:
            return None
        if self.frame and len(self.players) != 2:
            raise ValueError("a frame is for two players (rulebook)")
        if len(self.players) > 3:
            raise ValueError("a fixed border is for two or three players (rulebook)")
        cells = [cell for cell, card in self.table.items() if card[3]]
        if any(self.table[cell][0] in self.all_colours for cell in cells):
            raise ValueError("the colour laid across, or around, is a no-player's (rulebook)")
        if not cells:
            raise ValueError("a fixed border or a frame needs set-up cards")
        inset = 1 if self.frame else 0
        return (
            min(x for x, _ in cells) + inset,
            min(y for _, y in cells) + inset,
            max(x for x, _ in cells) - inset,
            max(y for _, y in cells) - inset,
        )

    def copy(self) -> NaiveSchlangennest:
        """Return an independent copy of the game as it stands."""
        return copy.deepcopy(self)

    def to_move(self) -> str:
        """Return whose turn it is; after the end whoever would be next."""
        return self.turn

    def is_legal(self, move: dict[str, Any]) -> bool:
        """Return whether the move may be made now."""
        return not self.why(move)

    def why(self, move: dict[str, Any]) -> list[str]:
        """Return what is wrong with the move; nothing when it is legal."""
        player = move.get("player")
        if player not in self.players:
            return [f"{player} does not play"]
        if self.over():
            return [] if move.get("do") == "pass" else ["the game is over"]
        if player != self.turn:
            return [f"it is the turn of {self.turn}"]
        if move.get("do") == "pass":
            return ["a player who can move may not pass"] if self._can_move(player) else []
        return self._why_action(player, self.acted, move)

    def play(self, move: dict[str, Any]) -> None:
        """Make a legal move."""
        reasons = self.why(move)
        if reasons:
            raise ValueError(f"illegal move {move}: {'; '.join(reasons)}")
        if self.over():
            return
        self._is_over = None
        if move["do"] == "pass":
            self._next_turn()
            return
        colour = self._colour_of(move)
        assert colour is not None
        self.table = self._after(move)
        self.picture = Picture(self.table)
        self.acted = self.acted | {colour}
        goes_on = self.two_snakes == "both" and not self.opening and self._can_move(self.turn)
        self.opening = False
        if not goes_on:
            self._next_turn()

    def legal_moves(self) -> list[dict[str, Any]]:
        """Return all legal moves; a pass alone when stuck; none when over."""
        if self.over():
            return []
        moves = [
            move
            for move in self._candidates(self.turn)
            if not self._why_action(self.turn, self.acted, move)
        ]
        return moves or [{"player": self.turn, "do": "pass"}]

    def over(self) -> bool:
        """Return whether all are finished or nobody can move (rule 8)."""
        if self._is_over is None:
            self._is_over = not any(self._can_move(player) for player in self.players)
        return self._is_over

    def scores(self) -> dict[str, int | None]:
        """Return the strands in each player's snake, or in his two together (rules 9, 10)."""
        return {
            player: sum(self.picture.length(colour) for colour in self.colours[player])
            for player in self.players
        }

    def winners(self) -> list[str]:
        """Return the players with the most strands, none before the end."""
        if not self.over():
            return []
        scores = self.scores()
        best = max(score for score in scores.values() if score is not None)
        return [player for player in self.players if scores[player] == best]

    # Turns.

    def _player_finished(self, player: str) -> bool:
        return all(self.picture.is_finished(colour) for colour in self.colours[player])

    def _following(self, player: str) -> list[str]:
        """Return the players in turn order after this one, himself last."""
        n = self.players.index(player)
        return self.players[n + 1 :] + self.players[: n + 1]

    def _next_turn(self) -> None:
        following = self._following(self.turn)
        unfinished = [player for player in following if not self._player_finished(player)]
        self.turn = (unfinished or following)[0]
        self.acted = set()

    def _can_move(self, player: str) -> bool:
        """Return whether the player has an action, were it his turn now."""
        acted = self.acted if player == self.turn else set()
        return any(not self._why_action(player, acted, move) for move in self._candidates(player))

    # Candidates.

    def _candidates(self, player: str) -> Iterator[dict[str, Any]]:
        for colour in self.colours[player]:
            yield from self._candidates_of(player, colour)

    def _candidates_of(self, player: str, colour: str) -> Iterator[dict[str, Any]]:
        around = {(x + dx, y + dy) for x, y in self.table for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
        empty = sorted(around - set(self.table)) if self.table else [(0, 0)]
        for cell in empty:
            for shape, all_turns in LISTED_TURNS.items():
                for turns in all_turns:
                    yield {
                        "player": player,
                        "do": "place",
                        "tile": f"{colour}/{shape}",
                        "at": list(cell),
                        "turns": turns,
                    }
        for cell, card in sorted(self.table.items()):
            for turns in range(4):
                if card[:2] == (colour, "curve"):
                    yield {"player": player, "do": "turn", "at": list(cell), "turns": turns}
                if card[:2] == (colour, "straight"):
                    yield {
                        "player": player,
                        "do": "replace",
                        "tile": f"{colour}/tail",
                        "at": list(cell),
                        "turns": turns,
                    }

    # Judging.

    def _stock(self, colour: str, shape: str) -> int:
        lying = sum(card[:2] == (colour, shape) for card in self.table.values())
        return IN_A_SET[shape] - lying

    def _colour_of(self, move: dict[str, Any]) -> str | None:
        """Return the colour that acts: of the tile, or of the card that is turned."""
        if move.get("do") == "turn":
            card = self.table.get(tuple(move["at"]))
            return card[0] if card and not card[3] else None
        return str(move.get("tile", "")).split("/")[0]

    def _after(self, move: dict[str, Any]) -> Table:
        """Return the table after a placement, a turn or a replacement."""
        cell: Cell = (move["at"][0], move["at"][1])
        if move["do"] == "turn":
            colour, shape = self.table[cell][:2]
        else:
            colour, shape = move["tile"].split("/")
        return {**self.table, cell: (colour, shape, move["turns"], False)}

    def _why_action(self, player: str, acted: set[str], move: dict[str, Any]) -> list[str]:
        """Judge an action of the player, as if it were his turn."""
        if move.get("do") not in ("place", "turn", "replace"):
            return ["no such action"]
        if not isinstance(move.get("at"), (list, tuple)) or len(move["at"]) != 2:
            return ["no cell"]
        if move.get("turns") not in (0, 1, 2, 3):
            return ["turns are 0 to 3"]
        colour = self._colour_of(move)
        if colour not in self.colours[player]:
            return ["not a card of his own"]
        if self.two_snakes == "both" and colour in acted:
            return ["this colour has had its action in this turn"]
        reasons = self._why_colour(player, colour, move)
        if reasons or self.two_snakes == "off":
            return reasons

        others = [c for c in self.colours[player] if c != colour and c not in acted]
        for other in others:
            due = not self.picture.has_snake(other) and self.picture.has_snake(colour)
            if self.two_snakes == "one":
                knots = self.picture.knots(self.all_colours).values()
                mine, his = (any(c in knot for knot in knots) for c in (colour, other))
                due = due or (his and not mine)
            if due and any(
                not self._why_colour(player, other, candidate)
                for candidate in self._candidates_of(player, other)
            ):
                reasons.append(f"{other} has to act first: its tail, or a forced closing")
        return reasons

    def _why_colour(self, player: str, colour: str, move: dict[str, Any]) -> list[str]:
        """Judge an action of one colour by rules 1 to 8."""
        picture = self.picture
        if picture.is_finished(colour):
            return ["this snake is finished"]
        if move["do"] == "place":
            if picture.is_loop(colour):
                return ["a closed loop must be opened, nothing may be placed (7)"]
            return self._why_place(player, colour, move)
        if not picture.is_loop(colour):
            return ["only a closed loop is opened (7)"]
        if move["do"] == "turn":
            return self._why_turn(player, colour, move)
        return self._why_replace(player, colour, move)

    def _why_place(self, player: str, colour: str, move: dict[str, Any]) -> list[str]:
        cell: Cell = tuple(move["at"])
        _, _, shape = move["tile"].partition("/")
        if shape not in PRINTED:
            return ["no such tile"]
        if cell in self.table:
            return ["the cell is taken (1)"]
        if self._stock(colour, shape) < 1:
            return ["none of these is left in the stock (1)"]
        card: Card = (colour, shape, move["turns"], False)
        coloured_sides = strands_of(card)[0][1]
        own_ends = self.picture.ends_of(colour)

        if not self.picture.has_snake(colour):
            if self.tail_first and shape != "tail":
                return ["a colour's first card is its tail (10)"]
            near = any(
                (cell[0] + dx, cell[1] + dy) in self.table for dx in (-1, 0, 1) for dy in (-1, 0, 1)
            )
            if self.table and not near:
                return ["a first card lies next to a lying card (2)"]
        else:
            met = [
                side for side in coloured_sides if (beside(cell, side), OPPOSITE[side]) in own_ends
            ]
            if not met:
                return ["the coloured strand does not meet an own end (3)"]

        reasons = self._why_forced(colour, cell, shape, coloured_sides)
        if shape in ("straight", "curve") and not self._fits(cell):
            reasons.append("outside the field (6)")
        return reasons + self._why_after(player, colour, self._after(move))

    def _why_forced(self, colour: str, cell: Cell, shape: str, coloured_sides: str) -> list[str]:
        """Judge a placement by rule 5: whether it closes the snake where it must."""
        for knot, owners in self.picture.knots(self.all_colours).items():
            if colour not in owners:
                continue
            own = owners[colour]
            if cell != knot:
                return [f"he must close his snake at {knot} (5)"]
            if are_opposite(own):
                with_straight = shape == "straight" and set(coloured_sides) == own
                with_tail = (
                    shape == "tail"
                    and self._stock(colour, "straight") < 1
                    and set(coloured_sides) < own
                )
                if not with_straight and not with_tail:
                    return ["opposite ends close with a straight, else with the tail (5)"]
            elif shape != "curve" or set(coloured_sides) != own:
                return ["neighbouring ends close with a curve (5)"]
        return []

    def _fits(self, cell: Cell) -> bool:
        """Return whether a straight or curve on that cell stays within the field (rule 6)."""
        if self.field is not None:
            left, top, right, bottom = self.field
            return left <= cell[0] <= right and top <= cell[1] <= bottom
        if self.size is None:
            return True
        body = [cell] + [c for c, card in self.table.items() if card[1] in ("straight", "curve")]
        wide = max(x for x, _ in body) - min(x for x, _ in body) + 1
        high = max(y for _, y in body) - min(y for _, y in body) + 1
        a, b = self.size
        return (wide <= a and high <= b) or (wide <= b and high <= a)

    def _why_turn(self, player: str, colour: str, move: dict[str, Any]) -> list[str]:
        cell: Cell = tuple(move["at"])
        _, shape, turns, _ = self.table[cell]
        if shape != "curve":
            return ["only a curve is turned (7)"]
        if (move["turns"] - turns) % 4 not in (1, 3):
            return ["a card is turned by a quarter (7)"]
        table = self._after(move)
        after = Picture(table)
        reasons = self._why_after(player, colour, table)
        if len(after.chains_of(colour)) != 1:
            reasons.append("the snake falls apart (7)")
        if not after.ends_of(colour):
            reasons.append("the snake has no end after the turn (7)")
        return reasons

    def _why_replace(self, player: str, colour: str, move: dict[str, Any]) -> list[str]:
        cell: Cell = tuple(move["at"])
        if move["tile"] != f"{colour}/tail" or self._stock(colour, "tail") < 1:
            return ["only the own tail card replaces (7)"]
        card = self.table.get(cell)
        if card is None or card[:2] != (colour, "straight") or card[3]:
            return ["only an own straight is replaced (7)"]
        if (move["turns"] - card[2]) % 2 != 0:
            return ["the tail card lies along the straight (7)"]
        if any(
            turn["do"] == "turn" and not self._why_turn(player, colour, turn)
            for turn in self._candidates_of(player, colour)
        ):
            return ["a curve can be turned, so nothing is replaced (7)"]
        return self._why_after(player, colour, self._after(move))

    def _why_after(self, player: str, colour: str, table: Table) -> list[str]:
        """Judge the table after a move by rules 1, 4 and the last sentence of 5."""
        after = Picture(table)
        return (
            self._why_joined(after)
            + self._why_pattern(after)
            + self._why_created(player, colour, after)
        )

    def _why_joined(self, after: Picture) -> list[str]:
        """Rule 1. Set-up cards that were joined before the move are not judged."""
        for chain, colours in zip(after.chains, after.colours, strict=True):
            if len(colours) < 2:
                continue
            if not all(colour.startswith("*") for colour in colours):
                return [f"colours joined: {sorted(colours)} (1)"]
            coloured = [strand for strand in chain if after.strands[strand][0] is not None]
            before = {self.picture.chain_number[strand] for strand in coloured}
            if len(before) > 1 and not self._same_colour(after, coloured):
                return [f"set-up colours joined: {sorted(colours)} (1)"]
        return []

    def _same_colour(self, after: Picture, coloured: list[Strand]) -> bool:
        """Return whether no two strands of different colours have newly come together."""
        return not any(
            after.strands[a][0] != after.strands[b][0]
            and self.picture.chain_number[a] != self.picture.chain_number[b]
            for a in coloured
            for b in coloured
        )

    @staticmethod
    def _why_pattern(after: Picture) -> list[str]:
        """Rule 4."""
        faced = after.facing()
        reasons = [f"three snakes face {cell} (4)" for cell, who in faced.items() if len(who) >= 3]
        for cell, who in faced.items():
            for side in "ES":
                other = beside(cell, side)
                if other in faced and len(who | faced[other]) >= 4:
                    reasons.append(f"four snakes face {cell} and {other} (4)")
        return reasons

    def _why_created(self, player: str, colour: str, after: Picture) -> list[str]:
        """Rule 5, last sentence: neighbouring ends, and the next of the two without a curve."""
        before = self.picture.knots(self.all_colours)
        reasons = []
        for cell, owners in after.knots(self.all_colours).items():
            if set(before.get(cell, {})) == set(owners):
                continue
            if any(are_opposite(sides) for sides in owners.values()):
                continue
            closers = self._next_of(player, colour, set(owners))
            if not any(self._curves_left(after, closer) for closer in closers):
                reasons.append(f"{closers} could not close at {cell} (5)")
        return reasons

    def _next_of(self, player: str, colour: str, two: set[str]) -> list[str]:
        """Return which of the two colours moves next after this action of the player.

        Both, when they belong to the player who is next.
        """
        if self.two_snakes == "both":
            acted = (self.acted if player == self.turn else set()) | {colour}
            still = [c for c in self.colours[player] if c in two and c not in acted]
            if still and not self.opening:
                return still
        for other in self._following(player):
            closers = [c for c in self.colours[other] if c in two]
            if closers:
                return closers
        raise AssertionError("two snakes without owners")

    @staticmethod
    def _curves_left(after: Picture, colour: str) -> int:
        lying = sum(card[:2] == (colour, "curve") for card in after.table.values())
        return IN_A_SET["curve"] - lying
