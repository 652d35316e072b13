"""A second, naive referee for the carnival snakes, written from the rulings alone.

Tests compare the engine with it.
Nothing here is shared with the engine and nothing is clever: every snake is traced from the house
afresh. Hands are hidden, so a move is legal when some hand allows it. "Rule n" is rule n of
RULINGS, section carnival.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any, NamedTuple

Cell = tuple[int, int]
Table = dict[Cell, tuple[str, int]]
"""Tile name and turns; a hat that lies on a head is not in it."""

COLOURS = ("yellow", "violet", "black", "red")
SIDES = "NESW"
STEP = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
HOUSE_EXIT = {"yellow": "N", "violet": "E", "black": "S", "red": "W"}
RIGHT_HAND = {"yellow": "red", "violet": "yellow", "black": "violet", "red": "black"}
"""The colour at the right hand of whoever sits behind an exit and looks at the house."""

PLAIN = ("straight", "corner", "diamond")
BODY = ("straight", "corner", "diamond", "knot", "sore")
COLOURED = {"straight": 10, "corner": 6, "diamond": 2, "knot": 2, "sore": 2, "head": 1}
NEUTRAL = {
    "gift": 4,
    "trouble/2": 4,
    "log/straight": 4,
    "log/corner": 4,
    "log/crossing": 3,
    "hat/+3": 1,
    "hat/+2": 1,
    "hat/-1": 1,
    "hat/-2": 1,
}
POINTS = {"straight": 1, "corner": 0, "diamond": 0, "knot": -2, "sore": -1, "head": 1}
TOKEN = 4
HAND = 4


class Snake(NamedTuple):
    """A snake, traced from its house exit."""

    path: list[tuple[Cell, int, str]]
    """Cell, number of the strand on its tile, side at which the snake comes in."""
    state: str
    """"open", "blocked" or "head"."""
    end: Cell
    """The cell that the end faces."""
    side: str
    """The side of that cell at which the end stands."""


def turned(sides: str, turns: int) -> str:
    """Return the sides after so many quarter turns clockwise."""
    return "".join(SIDES[(SIDES.index(side) + turns) % 4] for side in sides)


def beside(cell: Cell, side: str) -> Cell:
    """Return the cell on that side of a cell."""
    return (cell[0] + STEP[side][0], cell[1] + STEP[side][1])


def shape_of(tile: str) -> str | None:
    """Return "straight", "corner", "crossing", "head", or None for what is no part of a snake."""
    first, _, kind = tile.partition("/")
    if first != "log" and first not in COLOURS:
        return None
    return {"diamond": "straight", "knot": "straight", "sore": "corner"}.get(kind, kind)


def strands_of(tile: str, turns: int) -> list[str]:
    """Return the open sides of each strand as the tile lies."""
    printed = {
        "straight": ["WE"],
        "corner": ["WN"],
        "crossing": ["WE", "NS"],
        "head": ["W"],
        None: [],
    }
    return [turned(sides, turns) for sides in printed[shape_of(tile)]]


def listed_turns(tile: str) -> tuple[int, ...]:
    """Return the turns that a list of moves names for the tile."""
    return {"straight": (0, 1), "corner": (0, 1, 2, 3), "head": (0, 1, 2, 3)}.get(
        str(shape_of(tile)), (0,)
    )


class NaiveCarnival:
    """A game of the carnival snakes, judged the slow and literal way."""

    PASS_IS_TRUSTED = True
    """Hands are hidden: who passes is believed to hold nothing that he could lay (rule 11)."""

    def __init__(
        self,
        players: list[str],
        options: dict[str, Any] | None = None,
        setup: list[dict[str, Any]] | dict[str, Any] | None = None,
        next_player: str | None = None,
        tokens: dict[str, int] | None = None,
    ) -> None:
        options = dict(options or {})
        self.players = list(players)
        self.whole_gifts = options.get("gift_beside_log", "side") == "gift"
        self.ask = options.get("hands", "trust") == "ask"
        self.colours = self._colours(options.get("snakes", 2), options.get("colours"))
        self.owner = {colour: player for player in players for colour in self.colours[player]}
        self.turn = next_player if next_player is not None else self.players[0]

        tiles = setup.get("tiles", []) if isinstance(setup, dict) else (setup or [])
        self.table: Table = {}
        self._traced: dict[str, Snake] = {}
        """The snakes on the table as it lies; forgotten whenever a tile is laid."""
        self.hats: dict[str, str] = {}
        """Hat by colour of the head that wears it."""
        self._lay_out(tiles)
        if tokens is None and isinstance(setup, dict):
            tokens = setup.get("tokens")
        self.earned = {player: 0 for player in players}
        """Points of tokens whose diamond cannot be touched by a new trouble any more."""
        for name, number in (tokens or {}).items():
            self.earned[name if name in self.earned else self.owner[name]] += TOKEN * number
        self.diamonds: dict[Cell, str] = {}
        """Who laid the diamond on that cell."""

        self.box = {
            f"{colour}/{kind}": number for colour in self.owner for kind, number in COLOURED.items()
        } | NEUTRAL
        self.discard: dict[str, int] = {}
        self.gone: dict[str, int] = {}
        self.reshuffles = 0
        self.pile = max(0, sum(self._unlaid(tile) for tile in self.box) - HAND * len(players))

        self.phase = "body"
        """"body", after the announcement "heads", then "hats", "over"."""
        self.out: set[str] = set()
        """Who has passed in this phase of the last round: he is skipped until it ends."""
        if self.hats:
            self.phase = "hats"
        elif any(tile.endswith("/head") for tile, _ in self.table.values()):
            self.phase = "heads"
        self._settle_phase()

    def _colours(self, snakes: int, told: object) -> dict[str, list[str]]:
        if snakes == 1 and (told or len(self.players) != 2):
            raise ValueError("one snake each is for two players, and then colours are refused (10)")
        if snakes == 1 or len(self.players) != 2:
            return {player: [player] for player in self.players}
        if told:
            return {player: list(told[player]) for player in self.players}  # type: ignore[index]
        right = [RIGHT_HAND[player] for player in self.players]
        if len({*self.players, *right}) < 4:
            right = [colour for colour in COLOURS if colour not in self.players]
        return {player: [player, right[n]] for n, player in enumerate(self.players)}

    def _lay_out(self, tiles: list[dict[str, Any]]) -> None:
        """Put down what lies before the first move; the house lies at [0, 0] unless told."""
        if not any(tile["tile"] == "house" for tile in tiles):
            self.table[0, 0] = ("house", 0)
        hats = [tile for tile in tiles if tile["tile"].startswith("hat/")]
        for tile in tiles:
            if tile not in hats:
                self.table[tuple(tile["at"])] = (tile["tile"], tile.get("turns", 0))
        for hat in hats:
            cell = tuple(hat["at"])
            wearers = [
                colour
                for colour, (at, front) in self._heads().items()
                if cell in (at, front)
                and colour not in self.hats
                and hat.get("snake", colour) == colour
            ]
            if wearers:
                self.hats[wearers[0]] = hat["tile"]
            if cell not in self.table:
                self.table[cell] = (hat["tile"], 0)

    def copy(self) -> NaiveCarnival:
        """Return an independent copy of the game as it stands."""
        twin = copy.copy(self)
        # What these hold is never changed, only exchanged.
        twin.__dict__ = {name: copy.copy(value) for name, value in self.__dict__.items()}
        return twin

    def to_move(self) -> str:
        """Return whose turn it is; after the end whoever would be next."""
        return self.turn

    def is_legal(self, move: dict[str, Any]) -> bool:
        """Return whether the move may be made now."""
        return not self.why(move)

    def why(self, move: dict[str, Any]) -> list[str]:
        """Return what is wrong with the move; nothing when it is legal."""
        player, do = move.get("player"), move.get("do")
        if player not in self.players:
            return ["he does not play"]
        if self.over():
            return [] if do == "pass" else ["the game is over"]
        if do == "finale":
            return self._why_finale()
        if player != self.turn:
            return [f"it is the turn of {self.turn}"]
        if do == "pass":
            if self.PASS_IS_TRUSTED or not self._moves(player):
                return []
            return ["a player who can move may not pass"]
        if self.phase == "heads":
            return self._why_head(player, move)
        if self.phase == "hats":
            return self._why_hat(move)
        return self._why_body(player, move)

    def play(self, move: dict[str, Any]) -> None:
        """Make a legal move."""
        reasons = self.why(move)
        if reasons:
            raise ValueError(f"illegal move {move}: {'; '.join(reasons)}")
        if self.over():
            return
        if move["do"] == "finale":
            self.phase = "heads"
            self._settle_phase()
            return
        if self.phase == "body":
            self._draw_after(move)
        elif move["do"] == "pass":
            self.out.add(move["player"])
        elif self.phase == "heads":
            self._lay(move)
        else:
            self._put_on(move)
        self._turn_goes_on()
        self._settle_phase()

    def legal_moves(self) -> list[dict[str, Any]]:
        """Return all moves that some hand allows; a pass alone when stuck; none when over."""
        if self.over():
            return []
        return self._moves(self.turn) or [{"player": self.turn, "do": "pass"}]

    def over(self) -> bool:
        """Return whether the hats' phase has ended (rule 9)."""
        return self.phase == "over"

    def scores(self) -> dict[str, int | None]:
        """Return each player's points (rules 7, 8, 10)."""
        scores = dict(self.earned)
        for cell, player in self.diamonds.items():
            scores[player] += self._token(cell)
        for colour, player in self.owner.items():
            scores[player] += self._snake_points(colour)
        return dict(scores)

    def winners(self) -> list[str]:
        """Return the players with the most points, none before the end."""
        if not self.over():
            return []
        scores = self.scores()
        best = max(score for score in scores.values() if score is not None)
        return [player for player in self.players if scores[player] == best]

    # What lies on the table.

    def _snake(self, colour: str, table: Table | None = None) -> Snake:
        """Follow a colour from its house exit to its end (rule 1), on the table as it lies."""
        if table is None:
            if colour not in self._traced:
                self._traced[colour] = self._snake(colour, self.table)
            return self._traced[colour]
        house = next(cell for cell, (tile, _) in table.items() if tile == "house")
        cell, side = house, turned(HOUSE_EXIT[colour], table[house][1])
        path: list[tuple[Cell, int, str]] = []
        while True:
            cell, came_in = beside(cell, side), OPPOSITE[side]
            if cell not in table:
                return Snake(path, "open", cell, came_in)
            tile, turns = table[cell]
            joins = tile.split("/")[0] in (colour, "log")
            strands = strands_of(tile, turns)
            met = [n for n, sides in enumerate(strands) if joins and came_in in sides]
            if not met:
                return Snake(path, "blocked", cell, came_in)
            path.append((cell, met[0], came_in))
            if shape_of(tile) == "head":
                return Snake(path, "head", cell, came_in)
            side = strands[met[0]].replace(came_in, "")

    def _heads(self) -> dict[str, tuple[Cell, Cell]]:
        """Return by colour the cell of the lying head, and the cell in front of it."""
        return {
            tile.split("/")[0]: (cell, beside(cell, OPPOSITE[strands_of(tile, turns)[0]]))
            for cell, (tile, turns) in self.table.items()
            if tile.endswith("/head")
        }

    def _unlaid(self, tile: str) -> int:
        """Return how many lie in the pile, the discard or the hands."""
        lying = sum(lies == tile for lies, _ in self.table.values())
        on_heads = sum(
            hat == tile
            for hat in self.hats.values()
            if not any(lies == tile for lies, _ in self.table.values())
        )
        return self.box.get(tile, 0) - lying - on_heads - self.gone.get(tile, 0)

    def _perhaps_in_hand(self, tile: str) -> bool:
        return self._unlaid(tile) - self.discard.get(tile, 0) > 0

    # Points.

    def _token(self, cell: Cell) -> int:
        """Return what the diamond on a cell is worth to whoever laid it (rule 7)."""
        return TOKEN - sum(self._trouble(beside(cell, side)) for side in SIDES)

    def _trouble(self, cell: Cell) -> int:
        """Return the value of the trouble on a cell, 0 when none lies there."""
        tile = self.table.get(cell, ("", 0))[0]
        return int(tile.split("/")[1]) if tile.startswith("trouble/") else 0

    def _is_gift(self, cell: Cell) -> bool:
        """Say whether a gift that gives points lies on a cell (rule 8)."""
        around = [self.table.get(beside(cell, side), ("", 0))[0] for side in SIDES]
        spoilt = self.whole_gifts and any(tile.startswith("log/") for tile in around)
        return self.table.get(cell, ("", 0))[0] == "gift" and not spoilt

    def _snake_points(self, colour: str) -> int:
        """Return the printed points and the hat, the gifts' and the troubles' sides (rule 8)."""
        points = 0
        for cell, _, _ in self._snake(colour).path:
            first, _, kind = self.table[cell][0].partition("/")
            if first == "log":
                continue
            points += POINTS[kind]
            for side in SIDES:
                other = beside(cell, side)
                points += self._is_gift(other)
                if kind != "diamond":
                    points -= self._trouble(other)
        if colour in self.hats:
            points += int(self.hats[colour].split("/")[1])
        return points

    # Making moves.

    def _lay(self, move: dict[str, Any]) -> None:
        cell: Cell = tuple(move["at"])
        if move["do"] == "replace":
            old = self.table[cell][0]
            if cell in self.diamonds:
                self.earned[self.diamonds.pop(cell)] += self._token(cell)
            pool = self.gone if self.reshuffles >= 2 else self.discard
            pool[old] = pool.get(old, 0) + 1
        self.table[cell] = (move["tile"], move.get("turns", 0))
        self._traced = {}
        if move["tile"].endswith("/diamond"):
            self.diamonds[cell] = move["player"]

    def _put_on(self, move: dict[str, Any]) -> None:
        colour = self._wearers(move)[0]
        self.hats[colour] = move["tile"]
        cell: Cell = tuple(move["at"])
        if cell not in self.table:
            self.table[cell] = (move["tile"], 0)
        self._traced = {}

    def _draw_after(self, move: dict[str, Any]) -> None:
        """Lay a tile and draw one; an empty pile is made anew from the discard."""
        if move["do"] != "pass":
            self._lay(move)
        if self.pile == 0 and self.discard:
            self.pile = sum(self.discard.values())
            self.discard = {}
            self.reshuffles += 1
        self.pile = max(0, self.pile - 1)

    def _turn_goes_on(self) -> None:
        self.turn = self.players[(self.players.index(self.turn) + 1) % len(self.players)]

    def _settle_phase(self) -> None:
        """Go on to the hats and to the end, and skip who is not in the phase any more (rule 9)."""
        if self.phase == "heads" and not self._still_in():
            self.phase = "hats"
            self.out = set()
        if self.phase == "hats" and not (self._still_in() and self._hat_left() and self._bare()):
            self.phase = "over"
        while self.phase in ("heads", "hats") and self.turn not in self._still_in():
            self._turn_goes_on()

    def _still_in(self) -> list[str]:
        """Return who has not passed and, while heads are laid, has not laid all of his."""
        return [
            player
            for player in self.players
            if player not in self.out
            and (
                self.phase == "hats"
                or any(self._unlaid(f"{colour}/head") > 0 for colour in self.colours[player])
            )
        ]

    def _hat_left(self) -> bool:
        return any(self._unlaid(tile) > 0 for tile in self.box if tile.startswith("hat/"))

    def _bare(self) -> bool:
        return any(colour not in self.hats for colour in self._heads())

    # Candidates.

    def _moves(self, player: str) -> list[dict[str, Any]]:
        """Return every action that the player could make, were it his turn."""
        judge = {
            "body": self._why_body,
            "heads": self._why_head,
            "hats": lambda _, move: self._why_hat(move),
        }[self.phase]
        moves = [move for move in self._candidates(player) if not judge(player, move)]
        if self.phase == "body" and not moves and not self._why_not_used_up():
            moves.append({"player": player, "do": "finale"})
        return moves

    def _candidates(self, player: str) -> Iterator[dict[str, Any]]:
        empty = sorted(
            {beside(cell, side) for cell in self.table for side in SIDES} - set(self.table)
        )
        for tile in self.box:
            if not self._perhaps_in_hand(tile):
                continue
            declares = {}
            if self.ask and self._is_others_plain(player, tile):
                declares = {"declares": "no-own-tile"}
            for do, cells in (("place", empty), ("replace", sorted(self.table))):
                for cell in cells:
                    for turns in listed_turns(tile):
                        yield {
                            "player": player,
                            "do": do,
                            "tile": tile,
                            "at": list(cell),
                            "turns": turns,
                            **declares,
                        }
            if tile.startswith("hat/"):
                heads = self._heads()
                for colour, (at, front) in heads.items():
                    hat = {"player": player, "do": "place", "tile": tile, "turns": 0}
                    rivals = [
                        c for c, where in heads.items() if where[1] == front and c not in self.hats
                    ]
                    if len(rivals) > 1 and front not in self.table:
                        yield {**hat, "at": list(front), "snake": colour}
                    yield {**hat, "at": list(at)}

    # Judging.

    def _is_others_plain(self, player: str, tile: str) -> bool:
        """Return whether rule 2 speaks of the tile."""
        first, _, kind = tile.partition("/")
        return kind in PLAIN and first != "log" and first not in self.colours[player]

    @staticmethod
    def _why_malformed(move: dict[str, Any]) -> list[str]:
        at = move.get("at")
        if not isinstance(at, (list, tuple)) or len(at) != 2:
            return ["no cell"]
        if move.get("turns", 0) not in (0, 1, 2, 3):
            return ["turns are 0 to 3"]
        return []

    def _why_finale(self) -> list[str]:
        """Judge the announcement of the last round; on trust it is believed."""
        if self.phase != "body":
            return ["the last round has been announced"]
        return self._why_not_used_up() if self.ask else []

    def _why_not_used_up(self) -> list[str]:
        """Rule 9: pile, discard and hands have nothing left that can be laid."""
        asking = copy.copy(self)
        asking.discard = {}
        for player in self.players:
            for move in asking._candidates(player):
                if not asking._why_body(player, move):
                    return [f"{move['tile']} can still be laid (9)"]
        return []

    def _why_body(self, player: str, move: dict[str, Any]) -> list[str]:
        """Judge a placement or replacement before the last round."""
        tile, do = str(move.get("tile")), move.get("do")
        if do not in ("place", "replace"):
            return ["no such action"]
        reasons = self._why_malformed(move)
        if reasons:
            return reasons
        first, _, kind = tile.partition("/")
        if first == "hat" or kind == "head":
            return ["heads and hats only in the last round (9)"]
        if not self._perhaps_in_hand(tile):
            return ["no such tile is left"]
        cell: Cell = tuple(move["at"])
        if do == "replace":
            reasons = self._why_replace(cell, tile, move.get("turns", 0))
        elif cell in self.table:
            reasons = ["the cell is taken"]
        elif first in ("gift", "trouble"):
            return self._why_beside(player, cell)
        else:
            reasons = self._why_grow(cell, tile, move.get("turns", 0))
        undeclared = self.ask and move.get("declares") != "no-own-tile"
        if undeclared and self._is_others_plain(player, tile) and not reasons:
            reasons.append("another's plain tile must be declared (2)")
        if reasons:
            return reasons
        return self._why_joined({**self.table, cell: (tile, move.get("turns", 0))})

    def _why_beside(self, player: str, cell: Cell) -> list[str]:
        """Judge a gift or trouble by rule 3."""
        reasons = []
        if not any(shape_of(self.table.get(beside(cell, side), ("", 0))[0]) for side in SIDES):
            reasons.append("no side touches a snake tile (3)")
        for colour, owner in self.owner.items():
            snake = self._snake(colour)
            if owner != player and snake.state == "open" and snake.end == cell:
                reasons.append(f"the end of {colour} faces this cell (3)")
        return reasons

    def _why_grow(self, cell: Cell, tile: str, turns: int) -> list[str]:
        """Judge by rule 1 whether a tile or log meets the end of a snake that it may grow."""
        first = tile.split("/", maxsplit=1)[0]
        open_sides = "".join(strands_of(tile, turns))
        for colour in self.owner:
            snake = self._snake(colour)
            if (
                first in (colour, "log")
                and snake.state == "open"
                and snake.end == cell
                and snake.side in open_sides
            ):
                return []
        return ["it does not meet the end of a snake that it can grow (1)"]

    def _why_replace(self, cell: Cell, tile: str, turns: int) -> list[str]:
        """Judge by rules 4 and 5 what replaces what, and whether connections are kept."""
        old = self.table.get(cell, ("", 0))[0]
        if shape_of(old) not in ("straight", "corner"):
            return ["nothing there that may be replaced (4)"]
        first, _, kind = tile.partition("/")
        if first == "log":
            needed = "straight" if kind == "crossing" else kind
        elif kind in BODY:
            if not old.startswith("log/"):
                return ["only logs are replaced by snake tiles (5)"]
            needed = str(shape_of(tile))
        else:
            return ["this replaces nothing (5)"]
        if shape_of(old) != needed:
            return ["another shape (4)"]

        open_sides = "".join(strands_of(tile, turns))
        for colour in self.owner:
            path = self._snake(colour).path
            for n, (where, _, came_in) in enumerate(path):
                if where != cell:
                    continue
                if first not in (colour, "log"):
                    return ["the strand has another colour (5)"]
                kept = [came_in]
                if n + 1 < len(path):
                    kept.append(OPPOSITE[path[n + 1][2]])
                return (
                    [] if all(side in open_sides for side in kept) else ["a connection is lost (4)"]
                )
        return ["no part of a snake"]

    def _why_joined(self, table: Table) -> list[str]:
        """Judge by rule 1 that no log strand belongs to two snakes."""
        seen: dict[tuple[Cell, int], str] = {}
        for colour in self.owner:
            for cell, strand, _ in self._snake(colour, table).path:
                if (cell, strand) in seen:
                    return [f"{colour} and {seen[cell, strand]} are joined at {cell} (1)"]
                seen[cell, strand] = colour
        return []

    def _why_head(self, player: str, move: dict[str, Any]) -> list[str]:
        """Judge a head in the last round (rule 9)."""
        reasons = self._why_malformed(move)
        if reasons:
            return reasons
        colour, _, kind = str(move.get("tile")).partition("/")
        if move.get("do") != "place" or kind != "head":
            return ["now heads are laid (9)"]
        if colour not in self.colours[player]:
            return ["a head only on an own snake (9)"]
        if self._unlaid(move["tile"]) < 1:
            return ["this head has been laid"]
        snake = self._snake(colour)
        if snake.state != "open" or snake.end != tuple(move["at"]):
            return ["the end does not face this cell, or is blocked (9)"]
        if snake.side != strands_of(move["tile"], move.get("turns", 0))[0]:
            return ["the head does not meet the end (9)"]
        return []

    def _wearers(self, move: dict[str, Any]) -> list[str]:
        """Return the bare heads that a hat with this cell, and perhaps snake, would go on."""
        cell = tuple(move["at"])
        return [
            colour
            for colour, (at, front) in self._heads().items()
            if colour not in self.hats
            and move.get("snake", colour) == colour
            and cell == (at if front in self.table else front)
        ]

    def _why_hat(self, move: dict[str, Any]) -> list[str]:
        """Judge a hat in the last round (rule 9)."""
        reasons = self._why_malformed(move)
        if reasons:
            return reasons
        tile = str(move.get("tile"))
        if move.get("do") != "place" or not tile.startswith("hat/"):
            return ["now hats are laid (9)"]
        if self._unlaid(tile) < 1:
            return ["this hat has been laid, or there is none like it"]
        wearers = self._wearers(move)
        if len(wearers) > 1:
            return ["two heads face this cell: which snake?"]
        return [] if wearers else ["no bare head for a hat there (9)"]
