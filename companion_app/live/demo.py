"""The demo table: a simulated camera over a table on which a real game is played.

Its pictures are read like any other; there is no short cut. The players play sensibly, lay what the
machine wants where it has a seat, try a foul now and then, and obey the referee: they wait for each
verdict, lift a tile that was called a foul, go on if the foul is overruled, and lay the table as in
the referee's position. They tell the referee what real players would: rolls, passes, the last
round, and which tile lies under a reflection.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import atan2, cos, degrees, radians, sin
from typing import TYPE_CHECKING, Any

from companion_app.boxes import some_players
from companion_app.live.places import hex_turned
from companion_app.live.referee import Referee
from engine.game import AnyGame, Move, Start
from engine.games import game_named
from engine.infer import change_between
from engine.lattice import hex_board, hex_neighbours
from engine.placement import Layout, Placement
from engine.record import Record, find_set, move_to_json
from vision import Frame

if TYPE_CHECKING:
    from random import Random

    from companion_app.live.demo_table import Arm, Glint, Thing
    from models.art import PaintedFace

Tell = Callable[[Mapping[str, Any]], None]

FRAMES_A_SECOND = 10.0
HASTY = 4.0
"""Speed from which on fewer frames are made: hands are quicker, and every frame is read."""
HASTY_FRAMES_A_SECOND = 5.0
STILL_FRAMES_A_SECOND = 2.0
LARGE_PX = (1280, 720)
SIZES_PX = {"schlangennest": (960, 540), "snekagon": (960, 540)}
"""Smaller frames for games with large tiles, so that a Raspberry Pi can play them too."""
IDLE_S = 0.4
"""Seconds between two frames of a table on which nothing will happen any more."""
SHORT_OPTIONS: Mapping[str, Mapping[str, Any]] = {"schlangennest": {"size": [4, 4]}}
"""Options that make a game short: a newcomer should see a whole game within a minute."""
REACH_S, STAY_S, TREMBLING_MM = 0.6, 0.4, 0.8
"""How long a hand takes to its place and back, how long it stays there, and how still."""
AWAY_MM = 30.0
"""How far beyond the edge of the picture a hand begins."""
TRIED_MOVES, FOUL_TRIES, LUCK = 24, 60, 4
"""Moves that a player compares, changes that are tried for a foul, and games that are planned."""
LONGEST_GAME = 400
FOUL_SHARE, GLINT_SHARE = 0.08, 0.05
"""Shares of the moves that a foul comes before, and whose tile lies under a reflection."""
PATIENCE_S, LIFTED_S = 20.0, 4.0
"""Longest waits for a verdict, and for a lifted foul to be noticed; then the player says so."""
UNSEEN_S = 1.0
"""How long each table lies still where no referee gives a verdict."""
ANSWER_S = 6.0
"""How long a question waits for people before the reflection that it is about moves on."""
FINALE_AFTER_TILES = 7
"""Tiles per player after which Carnival's last round is announced, as with small hands."""
LAST_PARTS = ("/head", "/tail")
"""Tiles that end a snake; they are laid only when nothing else fits, to let snakes grow."""


def demo_record(game_name: str) -> Record:
    """Return the start of a demo game: few players and a short game."""
    game = game_named(game_name)
    start = Start(some_players(game), SHORT_OPTIONS.get(game_name, {}))
    return Record(game, find_set(game, None), start)


def dice(game: str, seed: int) -> Random:
    """Return what decides rolls and draws on a demo table."""
    import random

    return random.Random(f"{game} {seed}")


# --- Players who look one move ahead -------------------------------------------------------------


def sensible_move(
    game: AnyGame, position: Any, rng: Random, allowed: Callable[[Move], bool] = lambda move: True
) -> Move | None:
    """Return the move with the largest lead over the others; ``None`` when the game is over.

    Moves that are not ``allowed``, such as those out of the picture, are made only without others.
    """
    listed = game.legal_moves(position)
    if not listed:
        return None
    if _is_time_for_the_finale(game, position):
        return Move(position.to_move, "finale")
    laying = [move for move in listed if move.do == "place"] or listed
    growing = [move for move in laying if not (move.tile or "").endswith(LAST_PARTS)] or laying
    choice = [move for move in growing if allowed(move)] or growing
    if len(choice) == 1 or choice[0].do == "roll":
        return rng.choice(choice)
    tried = rng.sample(choice, min(TRIED_MOVES, len(choice)))
    return max(tried, key=lambda move: _lead_after(game, position, move))


def plan(game: AnyGame, position: Any, rng: Random) -> list[Move]:
    """Return the moves of a game from a position to its end."""
    moves: list[Move] = []
    while len(moves) < LONGEST_GAME:
        move = sensible_move(game, position, rng)
        if move is None:
            break
        moves.append(move)
        position = game.apply(position, move)
    return moves


def halfway(record: Record, seed: int = 1) -> Layout:
    """Return the layout of the demo table halfway through a game."""
    game = record.game
    position = game.opening(record.start, record.tile_set)
    moves = plan(game, position, dice(game.facts.name, seed))
    for move in moves[: len(moves) // 2]:
        position = game.apply(position, move)
    return game.layout(position)


def foul(record: Record, position: Any, rng: Random) -> Layout | None:
    """Return the table with a tile laid on it that no rule allows; ``None`` if none is found."""
    game, lying = record.game, record.game.layout(position)
    legal = [move for move in game.legal_moves(position) if move.do == "place"]
    for move in rng.choices(legal, k=FOUL_TRIES) if legal else ():
        laid = change_between(lying, game.layout(game.apply(position, move))).laid.placements()
        wrong = _misplaced(record, lying, laid[0], rng) if len(laid) == 1 else None
        if wrong is None:
            continue
        readings = game.readings(position, change_between(lying, wrong))
        if readings and not any(game.judge(position, one).legal for one in readings):
            return wrong
    return None


def _misplaced(record: Record, lying: Layout, thing: Any, rng: Random) -> Layout | None:
    """Return the table with a card turned wrongly, or a piece that lies a hex or two aside."""
    if isinstance(thing, Placement):
        turns = rng.randrange(record.tile_set[thing.tile].period)
        return replace(lying, cards=lying.cards | {replace(thing, turns=turns)})
    (q0, r0), turns = thing.cells[0], rng.randrange(6)
    around = [hex_turned((q - q0, r - r0), turns) for q, r in thing.cells]
    q0, r0 = rng.choice(((q0, r0), *hex_neighbours((q0, r0))))
    cells = tuple(sorted((q0 + q, r0 + r) for q, r in around))
    board = record.tile_set.extras["board"]
    taken = {cell for one in lying.pieces if one.board == thing.board for cell in one.cells}
    taken |= {(q, r) for q, r in board.get("eyes", ())}
    if not set(cells) <= set(hex_board(board["side"])) - taken:
        return None
    return replace(lying, pieces=lying.pieces | {replace(thing, cells=cells)})


# --- The game before the camera ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Manners:
    """How people play; durations are in seconds of the film."""

    pace_s: float = 0.6
    """How long the table lies still between a verdict and the next hand."""
    foul_s: float = 5.0
    """How long a foul lies before its player lifts it again."""
    foul_at: tuple[int, ...] | None = None
    """The first moves, from 1, before which a foul is tried; ``None`` draws them at random."""
    glint_share: float = GLINT_SHARE
    """Share of the moves whose tile lies under the lamp's reflection at first."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a game as the referee has it."""

    position: Any
    moves: tuple[Move, ...]
    foul: bool = False
    """Whether a called foul still lies on the table."""
    over: bool = False
    asks: bool = False
    """Whether a question is open."""
    thinks: bool = False
    """Whether the machine is to move and has not chosen yet."""
    wish: Move | None = None
    """What the machine wants somebody to lay for it."""


def standing_of(referee: Referee) -> Standing:
    """Return the state of a referee's game as its players know it."""
    match, doubts = referee.match, referee.doubts
    turn = doubts.machine
    if turn is not None and turn.position is not match.position:
        turn = None
    return Standing(
        match.position,
        tuple(one.move for one in match.accepted),
        doubts.pending is not None,
        match.ended or match.game.outcome(match.position).over,
        bool(doubts.questions),
        turn is not None and turn.move is None,
        None if turn is None else turn.move,
    )


class DemoSource:
    """A simulated game as frames; at speed 1 as slow as a real one, faster on request."""

    live = False

    def __init__(
        self,
        game: str,
        seed: int = 1,
        speed: float = 1.0,
        size_px: tuple[int, int] | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        record: Record | None = None,
        manners: Manners | None = None,
    ) -> None:
        self.record = record or demo_record(game)
        """The start of the game: players and options."""
        self._game, self._seed, self._speed = self.record.game, seed, speed
        self._size_px = size_px or SIZES_PX.get(game, LARGE_PX)
        self._clock, self._sleep = clock, sleep
        self._fps = HASTY_FRAMES_A_SECOND if speed >= HASTY else FRAMES_A_SECOND
        self._manners = manners or (Manners(pace_s=0.2) if speed >= HASTY else Manners())
        self._standing: Callable[[], Standing] | None = None
        self._lift: Callable[[], None] | None = None
        self.lying = Layout()
        """What lies on the table."""
        self.hand = False
        """Whether an arm is over the table."""
        self._closed = False
        self._idle = False
        """Whether the game is over, so that nothing more happens by itself."""
        self._number = 0
        """Frames so far."""
        self._arms: dict[int, PaintedFace] = {}
        self._rng = dice(game, seed)
        self.tell: Tell | None = None
        """Called with the players' messages."""

    def heed(
        self, standing: Callable[[], Standing], lift: Callable[[], None] | None = None
    ) -> None:
        """Let the players continue the referee's game from its current position.

        Args:
            standing: returns how the game stands.
            lift: called when a player says that the tile of a foul was lifted.
        """
        self._standing, self._lift = standing, lift

    def frames(self) -> Iterator[Frame | None]:
        """Yield the frames of the game, each when it is due."""
        start_s = self._clock()
        for frame in self._film():
            if self._closed:
                return
            early_s = frame.taken_at_s / self._speed - (self._clock() - start_s)
            if self._idle and self._standing is not None:
                early_s = max(early_s, IDLE_S)
            if early_s > 0:
                self._sleep(early_s)
            yield frame

    def close(self) -> None:
        """Stop the game."""
        self._closed = True

    # --- what the players do ---------------------------------------------------------------

    def _film(self) -> Iterator[Frame]:
        """Yield frames until the game is over and, with a referee, of the still table forever."""
        from companion_app.live.demo_table import DemoPicture

        self._position = self._game.opening(self.record.start, self.record.tile_set)
        self._moves: tuple[Move, ...] = ()
        now = self._now()
        self._begun = len(now.moves)
        # Where dice decide, the shortest of several games is played, as lengths vary fivefold.
        tries = LUCK if "roll" in self._game.facts.actions else 1
        plans = [plan(self._game, now.position, self._rng) for _ in range(tries)]
        self._plan = min(plans, key=len)
        self._fouls = self._drawn_fouls()
        layouts = [self._game.layout(one) for one in self._positions(now.position)]
        self._table = DemoPicture(self.record, layouts, self._seed, self._size_px)
        self._table.show(layouts[0])
        yield from self._quiet(1.0)
        while not (now := self._now()).over:
            lying = self._game.layout(now.position)
            if now.foul:
                yield from self._until_decided(now)
            elif lying != self._table.layout:
                yield from self._visit(now, lying)
            elif now.thinks:
                yield from self._quiet(0.2)
            else:
                yield from self._step(now)
        self._idle = True
        yield from self._quiet(1.5)
        while self._standing is not None:
            yield from self._quiet(0.1)

    def _now(self) -> Standing:
        """Return the game as the referee has it, or as the players do where there is none."""
        if self._standing is not None:
            return self._standing()
        over = not self._game.legal_moves(self._position)
        return Standing(self._position, self._moves, over=over)

    def _positions(self, position: Any) -> Iterator[Any]:
        yield position
        for move in self._plan:
            position = self._game.apply(position, move)
            yield position

    def _drawn_fouls(self) -> set[int]:
        """Return before which moves a foul is tried: drawn ones are never before the third move."""
        if self._manners.foul_at is not None:
            return set(self._manners.foul_at)
        later = range(3, len(self._plan))
        drawn = {n for n in later if self._rng.random() < FOUL_SHARE}
        return drawn or {self._rng.randrange(3, 7)}

    def _step(self, now: Standing) -> Iterator[Frame]:
        due = [number for number in self._fouls if number <= len(now.moves) + 1]
        wrong = foul(self.record, now.position, self._rng) if due and now.wish is None else None
        if wrong is not None and self._table.is_in_view(wrong):
            self._fouls.discard(min(due))
            yield from self._foul(now, wrong)
            return
        move = now.wish or self._next(now)
        assert move is not None
        after = self._game.layout(self._game.apply(now.position, move))
        yield from self._quiet(self._manners.pace_s)
        if after == self._table.layout:
            self._say(move)
        elif self._standing is not None and self._rng.random() < self._manners.glint_share:
            yield from self._under_a_glint(now, after)
        else:
            yield from self._visit(now, after)
        if self._standing is None:
            self._moves = (*self._moves, move)
            self._position = self._game.apply(self._position, move)
            yield from self._quiet(UNSEEN_S)
            return
        yield from self._until(lambda then: then.foul or then.moves != now.moves)
        then = self._now()
        if then.moves == now.moves and not then.foul:
            self._say(move)

    def _next(self, now: Standing) -> Move | None:
        """Return the planned move, or a new one if the game has left the plan."""
        done = now.moves[self._begun :]
        if len(done) < len(self._plan) and done == tuple(self._plan[: len(done)]):
            return self._plan[len(done)]

        def is_in_view(move: Move) -> bool:
            after = self._game.layout(self._game.apply(now.position, move))
            return self._table.is_in_view(after)

        return sensible_move(self._game, now.position, self._rng, is_in_view)

    def _foul(self, now: Standing, wrong: Layout) -> Iterator[Frame]:
        yield from self._quiet(self._manners.pace_s)
        yield from self._visit(now, wrong)
        if self._standing is None:
            yield from self._quiet(self._manners.foul_s)
            yield from self._visit(now, self._game.layout(now.position))
            return
        yield from self._until(lambda then: then.foul or then.moves != now.moves)
        yield from self._until_decided(now)

    def _until_decided(self, before: Standing) -> Iterator[Frame]:
        """Leave a foul on the table until it is overruled or its player lifts it."""
        yield from self._until(
            lambda then: not then.foul or then.moves != before.moves, self._manners.foul_s
        )
        now = self._now()
        lying = self._game.layout(now.position)
        if lying != self._table.layout:
            yield from self._visit(now, lying)
            yield from self._until(lambda then: not then.foul, LIFTED_S)
            if self._now().foul and self._lift is not None:
                self._lift()

    def _under_a_glint(self, now: Standing, after: Layout) -> Iterator[Frame]:
        """Lay a tile under the lamp's reflection, which moves on when nobody answers for it."""
        (new, *_) = _minus(after, self._table.layout)
        place = self._table.middle_px(new)

        def is_judged(then: Standing) -> bool:
            return then.foul or then.moves != now.moves

        yield from self._visit(now, after, (place, 0.97))
        yield from self._until(lambda then: then.asks or is_judged(then))
        yield from self._until(lambda then: not then.asks or is_judged(then), ANSWER_S)
        for strength in (0.6, 0.25, 0.0):
            self._table.show(self._table.layout, (place, strength))
            yield self._frame()

    def _say(self, move: Move) -> None:
        """Tell the referee a move that leaves no trace on the table or that nobody has seen."""
        if self.tell is None:
            return
        if move.do == "roll":
            self.tell({"roll": move.value, "tiles": list(move.tiles) if move.tiles else None})
        else:
            self.tell({"move": move_to_json(move)})

    # --- frame by frame --------------------------------------------------------------------

    @property
    def _now_s(self) -> float:
        return self._number / self._fps

    def _frame(self, arm: Arm | None = None, held: Thing | None = None) -> Frame:
        self.lying, self.hand = self._table.layout, arm is not None
        frame = Frame(self._table.frame(arm, held), self._now_s)
        self._number += 1
        return frame

    def _quiet(self, seconds: float) -> Iterator[Frame]:
        for _ in range(max(1, round(seconds * self._fps))):
            yield self._frame()

    def _until(
        self, true: Callable[[Standing], bool], patience_s: float = PATIENCE_S
    ) -> Iterator[Frame]:
        until_s = self._now_s + patience_s
        while self._now_s < until_s and not true(self._now()):
            yield from self._quiet(0.1)

    def _visit(
        self,
        now: Standing,
        after: Layout,
        glint: Glint | None = None,
    ) -> Iterator[Frame]:
        """Let the hand of the player to move lay the table as in ``after``."""
        from companion_app.live.demo_table import at

        table = self._table
        if not table.is_in_view(after):
            table.fit((after,))
        new, gone = _minus(after, table.layout), _minus(table.layout, after)
        arm = self._arm(now, (new or gone)[0])
        away = arm.back_mm
        for share in self._way():
            yield self._frame(replace(arm, back_mm=away * (1 - share)), new[0] if new else None)
        table.show(after, glint)
        for _ in range(max(1, round(STAY_S * self._fps))):
            x, y = (self._rng.gauss(0, TREMBLING_MM) for _ in range(2))
            yield self._frame(replace(arm, back_mm=0.0, reach=arm.reach @ at(x, y)))
        for share in self._way():
            held = gone[0] if gone and not new else None
            yield self._frame(replace(arm, back_mm=away * share), held)

    def _way(self) -> Iterator[float]:
        """Yield the shares of a hand's way: it begins and ends slowly."""
        steps = max(2, round(REACH_S * self._rng.uniform(0.8, 1.3) * self._fps))
        for step in range(steps):
            share = (step + 0.5) / steps
            yield share * share * (3 - 2 * share)

    def _arm(self, now: Standing, thing: Thing) -> Arm:
        """Return the arm of the player to move, drawn back from where a thing lies."""
        from companion_app.live.demo_table import Arm, arm_art, at

        players = now.position.players
        seat = players.index(now.position.to_move)
        if seat not in self._arms:
            self._arms[seat] = arm_art(seat, self._seed)
        turn = radians(360.0 * seat / max(2, len(players)) + self._rng.gauss(0, 8))
        wide, tall = (side / self._table.px_per_mm / 2 + AWAY_MM for side in self._size_px)
        x, y = self._table.middle_mm(thing)
        across, down = x + wide * sin(turn) - 0.18 * wide, y - tall * cos(turn)
        reach = at(x, y, degrees(atan2(across, -down)))
        return Arm(self._arms[seat], reach, (across**2 + down**2) ** 0.5)


class DemoTable:
    """A still demo table: what the camera sees when nobody plays."""

    live = False

    def __init__(
        self,
        game: str,
        layout: Layout,
        players: tuple[str, ...],
        seed: int = 1,
        size_px: tuple[int, int] = LARGE_PX,
    ) -> None:
        record = demo_record(game)
        self._record = replace(record, start=replace(record.start, players=players))
        self._layout, self._seed, self._size_px = layout, seed, size_px
        self._closed = False

    def frames(self) -> Iterator[Frame | None]:
        """Yield frames of the table, each with its own noise."""
        from companion_app.live.demo_table import DemoPicture

        table = DemoPicture(self._record, (self._layout,), self._seed, self._size_px)
        table.show(self._layout)
        number = 0
        while not self._closed:
            yield Frame(table.frame(), number / STILL_FRAMES_A_SECOND)
            number += 1

    def close(self) -> None:
        """Stop yielding frames."""
        self._closed = True


def _is_time_for_the_finale(game: AnyGame, position: Any) -> bool:
    if "finale" not in game.facts.actions:
        return False
    tiles = len(game.layout(position).cards)
    enough = tiles >= FINALE_AFTER_TILES * len(position.players)
    return enough and game.judge(position, Move(position.to_move, "finale")).legal


def _lead_after(game: AnyGame, position: Any, move: Move) -> float:
    """Return the player's score after a move minus half of the best other score."""
    scores = game.outcome(game.apply(position, move)).scores
    own = scores.get(move.player)
    others = [s for name, s in scores.items() if name != move.player and s is not None]
    return (-99.0 if own is None else own) - 0.5 * max(others, default=0)


def _minus(one: Layout, other: Layout) -> list[Any]:
    gone = set(other.placements())
    return [thing for thing in one.placements() if thing not in gone]
