"""A second, naive referee for Sssnake, written from the rulings alone.

Tests compare the engine with it.
Nothing here is shared with the engine and nothing is clever: every end is traced from the big
card, and every route searched for, afresh. "Rule n" is rule n of RULINGS, section sssnake.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any

Cell = tuple[int, int]
End = tuple[Cell, str]
"""An empty cell, and the side of it at which a snake's end stands."""

SIDES = "NESW"
STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}

KINDS = ("straight", "curve", "crossing", "double-curve")
BOX = {"straight": 60, "curve": 48, "crossing": 8, "double-curve": 4}
PRINTED = {
    "straight": ("WE",),
    "curve": ("WN",),
    "crossing": ("WE", "NS"),
    "double-curve": ("WN", "ES"),
}
LISTED_TURNS = {"straight": (0, 1), "curve": (0, 1, 2, 3), "crossing": (0,), "double-curve": (0, 1)}
BIG = {
    "footprint": [[0, 0], [1, 0]],
    "exits": [{"cell": [0, 0], "edge": "W"}, {"cell": [1, 0], "edge": "E"}],
}

OWN_SHARE = {1: 0, 2: 1, 3: 2}
"""How many of the drawn cards are for the roller himself; the rest is one card."""
MARGIN = 3
"""How far round the cards a route is searched for; a shortest one never needs more than 1."""


def turned(sides: str, turns: int) -> str:
    """Return the sides after so many quarter turns clockwise."""
    return "".join(SIDES[(SIDES.index(side) + turns) % 4] for side in sides)


def beside(cell: Cell, side: str) -> Cell:
    """Return the cell on that side of a cell."""
    return (cell[0] + STEP[side][0], cell[1] + STEP[side][1])


class Field:
    """One player's field: his big card and the cards laid on."""

    def __init__(self, big: dict[str, Any], at: Cell = (0, 0), turns: int = 0) -> None:
        def place(x: int, y: int) -> Cell:
            for _ in range(turns):
                x, y = -y, x
            return (x + at[0], y + at[1])

        self.big: set[Cell] = {place(*cell) for cell in big["footprint"]}
        self.exits: list[tuple[Cell, str]] = [
            (place(*exit_["cell"]), turned(exit_["edge"], turns)) for exit_ in big["exits"]
        ]
        self.cards: dict[Cell, tuple[str, int]] = {}

    def strands(self, cell: Cell) -> list[str]:
        """Return the sides joined by each strand of the card on that cell."""
        kind, turns = self.cards[cell]
        return [turned(sides, turns) for sides in PRINTED[kind]]

    def is_empty(self, cell: Cell) -> bool:
        """Return whether neither a card nor the big card lies there."""
        return cell not in self.cards and cell not in self.big

    def trace(self, exit_number: int) -> tuple[str, End | None, set[tuple[Cell, int]]]:
        """Follow the snake from an exit of the big card.

        Returns:
            "open" with the cell that the end faces and the side of that cell, "dead" (it runs
            against a blank edge) or "closed" (it comes back to the other exit); and the strands
            that were walked through.
        """
        cell, side = self.exits[exit_number]
        walked: set[tuple[Cell, int]] = set()
        while True:
            cell, came_in = beside(cell, side), OPPOSITE[side]
            if self.is_empty(cell):
                return "open", (cell, came_in), walked
            if cell in self.big:
                return ("closed" if (cell, came_in) in self.exits else "dead"), None, walked
            met = [n for n, sides in enumerate(self.strands(cell)) if came_in in sides]
            if not met:
                return "dead", None, walked
            walked.add((cell, met[0]))
            side = self.strands(cell)[met[0]].replace(came_in, "")

    def is_closed(self) -> bool:
        """Return whether head and tail are joined."""
        return self.trace(0)[0] == "closed"

    def ends(self) -> list[End]:
        """Return what the two ends face; dead ends are left out."""
        return [end for n in (0, 1) if (end := self.trace(n)[1]) is not None]

    def missing(self) -> int | None:
        """Return the empty cells of the shortest route that joins the ends (rules 2 and 3).

        None when no route is left, 0 when the snake is closed.
        """
        (one, start, walked), (two, goal, walked_too) = self.trace(0), self.trace(1)
        if one == "closed":
            return 0
        if one == "dead" or two == "dead":
            return None
        assert start is not None and goal is not None
        used = walked | walked_too
        cells = [*self.cards, *self.big, start[0], goal[0]]
        left, right = min(x for x, _ in cells) - MARGIN, max(x for x, _ in cells) + MARGIN
        top, bottom = min(y for _, y in cells) - MARGIN, max(y for _, y in cells) + MARGIN

        distance = 1
        layer = {start}
        seen = {start}
        while layer:
            if any(cell == goal[0] and came_in != goal[1] for cell, came_in in layer):
                return distance
            following = set()
            for cell, came_in in layer:
                for side in SIDES:
                    reached = None if side == came_in else self._run_on(cell, side, used)
                    if reached is None or reached in seen:
                        continue
                    (x, y), _ = reached
                    if left <= x <= right and top <= y <= bottom:
                        seen.add(reached)
                        following.add(reached)
            layer = following
            distance += 1
        return None

    def _run_on(self, cell: Cell, side: str, used: set[tuple[Cell, int]]) -> End | None:
        """Leave a cell at a side and run through free strands to the next empty cell."""
        while True:
            cell, came_in = beside(cell, side), OPPOSITE[side]
            if self.is_empty(cell):
                return cell, came_in
            if cell in self.big:
                return None
            met = [n for n, sides in enumerate(self.strands(cell)) if came_in in sides]
            if not met or (cell, met[0]) in used:
                return None
            side = self.strands(cell)[met[0]].replace(came_in, "")


class NaiveSssnake:
    """A game of Sssnake, judged the slow and literal way."""

    TRUST_TURNS = "one"
    """Rolls trusted: "one" card a turn in turn order, or "free": anybody may lay at any time."""

    def __init__(
        self,
        players: list[str],
        options: dict[str, Any] | None = None,
        setup: list[dict[str, Any]] | dict[str, Any] | None = None,
        next_player: str | None = None,
        big: dict[str, Any] | None = None,
        out: dict[str, int] | None = None,
    ) -> None:
        self.players = list(players)
        self.trust = (options or {}).get("rolls", "told") == "trust"
        tiles = setup.get("tiles", []) if isinstance(setup, dict) else (setup or [])
        self.fields: dict[str, Field] = {}
        for n, player in enumerate(self.players):
            lying = [tile for tile in tiles if tile["tile"] == f"big/{n + 1}"]
            where: dict[str, Any] = lying[0] if lying else {"at": (0, 0)}
            self.fields[player] = Field(big or BIG, tuple(where["at"]), where.get("turns", 0))
        for tile in tiles:
            if tile["tile"].startswith("big/"):
                continue
            owner = tile["snake"] if "snake" in tile else self.players[tile["field"]]
            self.fields[owner].cards[tuple(tile["at"])] = (tile["tile"], tile.get("turns", 0))

        if out is None and isinstance(setup, dict):
            out = setup.get("out")
        self.out = {kind: (out or {}).get(kind, 0) for kind in KINDS}
        self.roller = next_player if next_player is not None else self.players[0]
        self.phase = "roll"
        """"roll", then "one" (a 1 was rolled) or "own" and "give" (2 and 3)."""
        self.hand: list[str | None] = []
        """Drawn and not yet laid; None where the record does not say which card it is."""
        self.own_left = 0
        self._known: dict[object, object] = {}

    def copy(self) -> NaiveSssnake:
        """Return an independent copy of the game as it stands."""
        return copy.deepcopy(self)

    def to_move(self) -> str:
        """Return who acts next; after the end whoever would be next."""
        if self.phase != "give":
            return self.roller
        left = self._left()
        card = self.hand[0]
        return left if card is None or self._fits(left, card, True) else self.roller

    def is_legal(self, move: dict[str, Any]) -> bool:
        """Return whether the move may be made now."""
        return not self.why(move)

    def why(self, move: dict[str, Any]) -> list[str]:
        """Return what is wrong with the move; nothing when it is legal."""
        if move.get("player") not in self.players:
            return ["he does not play"]
        if self.over():
            return [] if move.get("do") == "pass" else ["the game is over"]
        if self.trust:
            return self._why_trusted(move)
        do = move.get("do")
        if do == "roll":
            return self._why_roll(move)
        if do == "place":
            return self._why_place(move)
        if do == "discard":
            return self._why_discard(move)
        if do == "pass":
            return ["there is always something to do"]
        return ["no such action"]

    def play(self, move: dict[str, Any]) -> None:
        """Make a legal move."""
        reasons = self.why(move)
        if reasons:
            raise ValueError(f"illegal move {move}: {'; '.join(reasons)}")
        if self.over():
            return
        self._known = {}
        if move["do"] == "roll":
            drawn = min(move["value"], self._pile())
            self.hand = list(move["tiles"]) if move.get("tiles") is not None else [None] * drawn
            self.own_left = min(OWN_SHARE[move["value"]], drawn)
            self.phase = "own" if self.own_left else "one"
        elif move["do"] == "pass":
            self.roller = self._left()
        elif self.trust:
            self._lay(move)
            self.roller = self.players[(self.players.index(move["player"]) + 1) % len(self.players)]
        else:
            if move["do"] == "place":
                self._lay(move)
            else:
                self.out[move["tile"]] += 1
            self.hand.remove(move["tile"] if move["tile"] in self.hand else None)
            self._go_on()

    def legal_moves(self) -> list[dict[str, Any]]:
        """Return all legal moves; a pass alone when stuck; none when over."""
        if self.over():
            return []
        moves = [move for move in self._candidates() if self.is_legal(move)]
        return moves or [{"player": self.to_move(), "do": "pass"}]

    def over(self) -> bool:
        """Return whether a snake is closed or the cards are used up."""
        if any(field.is_closed() for field in self.fields.values()):
            return True
        if self.trust:
            return not any(self._can_lay(player) for player in self.players)
        return not self.hand and self._pile() == 0

    def scores(self) -> dict[str, int | None]:
        """Return minus the missing cards, None where head and tail cannot be joined."""
        return {
            player: None if (missing := field.missing()) is None else -missing
            for player, field in self.fields.items()
        }

    def winners(self) -> list[str]:
        """Return whose snake is closed, else who misses the fewest cards; none before the end."""
        if not self.over():
            return []
        closed = [player for player, field in self.fields.items() if field.is_closed()]
        if closed:
            return closed
        scores = {player: score for player, score in self.scores().items() if score is not None}
        return [player for player, score in scores.items() if score == max(scores.values())]

    # Turns and cards.

    def _left(self) -> str:
        """Return the roller's left neighbour."""
        return self.players[(self.players.index(self.roller) + 1) % len(self.players)]

    def _stock(self, kind: str) -> int:
        """Return how many of a kind are neither lying, nor out, nor known to be in the hand."""
        lying = sum(
            card[0] == kind for field in self.fields.values() for card in field.cards.values()
        )
        return BOX[kind] - lying - self.out[kind] - self.hand.count(kind)

    def _pile(self) -> int:
        """Return how many cards are left to draw."""
        return sum(self._stock(kind) for kind in KINDS) - self.hand.count(None)

    def _lay(self, move: dict[str, Any]) -> None:
        self.fields[move["snake"]].cards[tuple(move["at"])] = (move["tile"], move["turns"])

    def _go_on(self) -> None:
        """Find out what comes after a card has been laid or put out."""
        if self.phase == "own":
            self.own_left -= 1
            if self.own_left:
                return
            self.phase = "give"
        if any(field.is_closed() for field in self.fields.values()):
            self.hand = []
        if not self.hand or self.phase == "one":
            self.hand = []
            self.phase = "roll"
            self.roller = self._left()

    # Candidates.

    def _candidates(self) -> Iterator[dict[str, Any]]:
        if not self.trust and self.phase == "roll":
            for value in (1, 2, 3):
                drawn = min(value, self._pile())
                for tiles in combinations_with_replacement(KINDS, drawn):
                    yield {
                        "player": self.roller,
                        "do": "roll",
                        "value": value,
                        "tiles": list(tiles),
                    }
            return
        for player in self.players:
            for kind in KINDS:
                for owner in self.players:
                    for cell in sorted({cell for cell, _ in self.fields[owner].ends()}):
                        for turns in LISTED_TURNS[kind]:
                            yield {
                                "player": player,
                                "do": "place",
                                "tile": kind,
                                "at": list(cell),
                                "turns": turns,
                                "snake": owner,
                            }
                yield {"player": player, "do": "discard", "tile": kind}

    # Judging.

    def _why_roll(self, move: dict[str, Any]) -> list[str]:
        if self.phase != "roll":
            return ["the cards drawn have to be laid first"]
        if move["player"] != self.roller:
            return [f"it is the turn of {self.roller}"]
        if move.get("value") not in (1, 2, 3):
            return ["the die shows 1, 2 or 3"]
        tiles = move.get("tiles")
        if tiles is None:
            return []
        if any(tile not in KINDS for tile in tiles):
            return ["no such tile"]
        if len(tiles) != min(move["value"], self._pile()):
            return ["as many cards are drawn as were rolled, or as there are"]
        if any(tiles.count(kind) > self._stock(kind) for kind in KINDS):
            return ["more of a kind than are left"]
        return []

    def _why_in_hand(self, tile: object) -> list[str]:
        if self.phase == "roll":
            return ["the die has to be rolled first"]
        if tile not in KINDS:
            return ["no such tile"]
        if tile in self.hand or (None in self.hand and self._stock(tile) > 0):
            return []
        return ["not one of the cards drawn"]

    def _why_place(self, move: dict[str, Any]) -> list[str]:
        """Judge by rule 4 who lays which card on whose snake, then by rules 1, 2 and 5 where."""
        tile, player, snake = str(move.get("tile")), move["player"], str(move.get("snake"))
        reasons = self._why_in_hand(tile)
        if reasons:
            return reasons
        left = self._left()
        may_close = True
        if self.phase == "own":
            may_close = self.own_left == 1
            if (player, snake) != (self.roller, self.roller):
                return [f"{self.roller} lays his own cards first"]
        elif snake == left and self.phase == "one":
            if player != self.roller:
                return ["on a 1 the roller lays the card on his neighbour's snake"]
        elif snake == left:
            if player != left:
                return ["the neighbour lays the card he is given himself"]
        elif (player, snake) == (self.roller, self.roller):
            if self._fits(left, tile, True):
                return ["the card fits the neighbour's snake"]
        else:
            return ["neither the neighbour's turn nor the roller's own snake"]
        return self._why_fit(snake, tile, move.get("at"), move.get("turns"), may_close)

    def _why_discard(self, move: dict[str, Any]) -> list[str]:
        tile = str(move.get("tile"))
        reasons = self._why_in_hand(tile)
        if reasons:
            return reasons
        if move["player"] != self.roller:
            return ["only the roller discards"]
        if self.phase == "own":
            cards = {tile} | {card for card in self.hand if card is not None}
            if any(self._fits(self.roller, card, self.own_left == 1) for card in cards):
                return ["a card in the hand fits the own snake"]
        elif self._fits(self._left(), tile, True) or self._fits(self.roller, tile, True):
            return ["the card fits"]
        return []

    def _why_trusted(self, move: dict[str, Any]) -> list[str]:
        """Judge without rolls: any card of the box, on the own or the left snake."""
        player = move["player"]
        if player != self.roller and self.TRUST_TURNS == "one":
            return [f"it is the turn of {self.roller}"]
        if move.get("do") == "pass":
            return ["a player who can move may not pass"] if self._can_lay(player) else []
        if move.get("do") != "place":
            return ["without rolls cards are only placed"]
        if move.get("tile") not in KINDS or self._stock(move["tile"]) < 1:
            return ["no such card is left"]
        left = self.players[(self.players.index(player) + 1) % len(self.players)]
        if move.get("snake") not in (player, left):
            return ["neither the own snake nor the left neighbour's"]
        return self._why_fit(move["snake"], move["tile"], move.get("at"), move.get("turns"), True)

    def _can_lay(self, player: str) -> bool:
        left = self.players[(self.players.index(player) + 1) % len(self.players)]
        return any(
            self._stock(kind) > 0 and self._fits(owner, kind, True)
            for kind in KINDS
            for owner in (player, left)
        )

    def _fits(self, owner: str, kind: str, may_close: bool) -> bool:
        """Return whether some feasible placement exists that rule 5 allows (rule 4)."""
        key = (owner, kind, may_close)
        if key not in self._known:
            self._known[key] = any(
                not self._why_fit(owner, kind, cell, turns, may_close)
                for cell, _ in self.fields[owner].ends()
                for turns in LISTED_TURNS[kind]
            )
        return bool(self._known[key])

    def _why_fit(
        self, owner: str, kind: str, at: object, turns: object, may_close: bool
    ) -> list[str]:
        if not isinstance(at, (list, tuple)) or len(at) != 2 or turns not in (0, 1, 2, 3):
            return ["no cell, or no turns"]
        field = self.fields[owner]
        cell: Cell = (at[0], at[1])
        sides_met = [side for faced, side in field.ends() if faced == cell]
        if not sides_met:
            return ["neither end faces this cell (1)"]
        strands = [turned(sides, turns) for sides in PRINTED[kind]]
        if not any(side in sides for side in sides_met for sides in strands):
            return ["no strand meets the end (1)"]
        after = copy.deepcopy(field)
        after.cards[cell] = (kind, turns)
        if after.missing() is None:
            return ["head and tail could not be joined any more (2)"]
        if after.is_closed() and not may_close:
            return ["closing only with the last card (5)"]
        return []
