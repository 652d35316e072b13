"""A filmed game whose players obey a referee; without a referee they play on.

The players wait for each verdict, lift a tile that was called a foul, go on if the foul is
overruled, and lay the table as in the referee's position.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from engine.game import AnyGame, Move
from engine.lattice import Cell
from engine.placement import Layout
from engine.record import Record, move_to_json
from models.lab.scenes.games.film import FilmedTable, FilmFrame
from models.lab.scenes.games.positions import LONGEST_GAME, illegal_move, lead_after
from models.lab.scenes.settings import NO_CLUTTER, SceneSettings, draw_settings
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Random

Allowed = Callable[[Move], bool]

TRIED_MOVES = 24
"""Moves that a player compares: enough not to miss an obvious one."""
FINALE_AFTER_TILES = 7
"""Tiles per player after which Carnival's last round is announced, as with small hands."""
LAST_PARTS = ("/head", "/tail")
"""Tiles that end a snake; they are laid only when nothing else fits, to let snakes grow."""
Tell = Callable[[Mapping[str, Any]], None]

STILL_FRAMES_A_SECOND = 2.0
LUCK = 4
"""Games that are planned where dice decide; the shortest is filmed, as lengths vary fivefold."""
UNSEEN_S = 1.0
"""How long each table lies still where no referee gives a verdict."""
MOST_STEPS = 1000
"""Limit on the steps of a film: no game needs as many, but a referee may refuse every move."""


# --- A player who looks one move ahead ---


def sensible_move(
    game: AnyGame, position: Any, rng: Random, allowed: Allowed = lambda move: True
) -> Move | None:
    """Return the move with the largest lead over the others; ``None`` when the game is over.

    Args:
        game: the rule book.
        position: the current position.
        rng: breaks ties, rolls and draws.
        allowed: moves to prefer where there are any, such as those within a picture.
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
        return choice[int(rng.integers(len(choice)))]
    tried = rng.choice(len(choice), min(TRIED_MOVES, len(choice)), replace=False)
    return max((choice[int(i)] for i in tried), key=lambda move: lead_after(game, position, move))


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


def cells_of(move: Move) -> tuple[Cell, ...]:
    """Return the cells that a move names."""
    if move.cells is not None:
        return move.cells
    return () if move.at is None else (move.at,)


def _is_time_for_the_finale(game: AnyGame, position: Any) -> bool:
    if "finale" not in game.facts.actions:
        return False
    tiles = len(game.layout(position).cards)
    enough = tiles >= FINALE_AFTER_TILES * len(position.players)
    return enough and game.judge(position, Move(position.to_move, "finale")).legal


@dataclass(frozen=True, slots=True)
class Standing:
    """The state of a game as the referee has it."""

    position: Any
    moves: tuple[Move, ...]
    foul: bool = False
    """Whether a called foul still lies on the table."""
    over: bool = False


@dataclass(frozen=True, slots=True)
class Manners:
    """How people play; durations are in seconds of the film."""

    pace_s: float = 0.6
    """How long the table lies still between a verdict and the next hand."""
    foul_s: float = 5.0
    """How long a foul lies before its player lifts it again."""
    patience_s: float = 20.0
    """Longest wait for a verdict; after it the player says aloud what he laid."""
    lifted_s: float = 4.0
    """Longest wait until a lifted foul is noticed; after it the player says that it is gone."""
    foul_share: float = 0.08
    foul_at: tuple[int, ...] | None = None
    """Moves before which a foul is tried, counted from 1; ``None`` draws them at random."""


@dataclass
class Book:
    """The game as the referee has it, or as the players do where there is no referee."""

    record: Record
    standing: Callable[[], Standing] | None = None
    tell: Tell | None = None
    lift: Callable[[], None] | None = None
    """Called when a player says that he has lifted the tile of a foul."""
    _moves: list[Move] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._position = self.record.game.opening(self.record.start, self.record.tile_set)

    def now(self) -> Standing:
        """Return the current state of the game."""
        if self.standing is not None:
            return self.standing()
        over = not self.record.game.legal_moves(self._position)
        return Standing(self._position, tuple(self._moves), over=over)

    def played(self, move: Move) -> None:
        """Record a move where there is no referee."""
        self._moves.append(move)
        self._position = self.record.game.apply(self._position, move)

    def say(self, move: Move) -> None:
        """Tell the referee a move that leaves no trace on the table or that nobody has seen."""
        if self.tell is not None:
            told: dict[str, Any] = {"move": move_to_json(move)}
            if move.do == "roll":
                told = {"roll": move.value, "tiles": list(move.tiles) if move.tiles else None}
            self.tell(told)

    def lifted(self) -> None:
        """Tell the referee that the tile of a foul is gone."""
        if self.lift is not None:
            self.lift()


class RefereedFilm(FilmedTable):
    """The film of a game whose moves are decided during filming."""

    def __init__(
        self, book: Book, seed: int, fps: float, size_px: tuple[int, int], manners: Manners
    ) -> None:
        self._book = book
        self._game: AnyGame = book.record.game
        self._manners = manners
        now = book.now()
        self._dice = dice(self._game.facts.name, seed)
        self._plan = self._planned(now)
        self._begun = len(now.moves)
        self.idle = False
        """Whether the game is over, so that nothing more happens by itself."""
        self._fouls = _fouls(manners, len(self._plan), self._dice)
        self._room = {(m.snake, cell) for m in self._plan for cell in cells_of(m)}
        super().__init__(
            _good_day(seed, self._game.facts.name, size_px),
            tuple(now.position.players),
            self._game.layout(now.position),
            self._layouts(now),
            fps,
        )

    def frames(self) -> Iterator[FilmFrame]:
        """Yield frames until the game is over and, with a referee, of the still table forever."""
        yield from self.quiet(1.0)
        for _ in range(MOST_STEPS):
            now = self._book.now()
            if now.over:
                break
            lying = self._game.layout(now.position)
            if now.foul:
                yield from self._until_decided(now)
            elif lying != self.layout:
                yield from self._laid(now, lying)
            else:
                yield from self._step(now)
        self.idle = True
        yield from self.quiet(1.5)
        while self._book.standing is not None:
            yield from self.quiet(0.1)

    def _step(self, now: Standing) -> Iterator[FilmFrame]:
        number = len(now.moves) + 1
        if number in self._fouls:
            self._fouls.discard(number)
            yield from self._foul(now)
            return
        move = self._next(now)
        assert move is not None
        after = self._game.layout(self._game.apply(now.position, move))
        yield from self.quiet(self._manners.pace_s)
        if after == self.layout:
            self._book.say(move)
        else:
            yield from self._laid(now, after)
        if self._book.standing is None:
            self._book.played(move)
            yield from self.quiet(UNSEEN_S)
            return
        yield from self._until_judged(now, move)

    def _next(self, now: Standing) -> Move | None:
        """Return the planned move, or a new one if the game has left the plan."""
        done = now.moves[self._begun :]
        if len(now.moves) >= self._begun and done == tuple(self._plan[: len(done)]):
            return self._plan[len(done)]
        return sensible_move(self._game, now.position, self._dice, self._is_in_view)

    def _is_in_view(self, move: Move) -> bool:
        return all((move.snake, cell) in self._room for cell in cells_of(move))

    def _foul(self, now: Standing) -> Iterator[FilmFrame]:
        wrong = illegal_move(
            self._game, self._book.record.tile_set, now.position, self.layout, self._dice
        )
        if wrong is None:
            return
        yield from self.quiet(self._manners.pace_s)
        yield from self._laid(now, wrong[1])
        if self._book.standing is None:
            yield from self.quiet(self._manners.foul_s)
            yield from self._laid(now, self._game.layout(now.position))
            return
        yield from self._until(lambda then: then.foul or then.moves != now.moves)
        yield from self._until_decided(now)

    def _until_decided(self, before: Standing) -> Iterator[FilmFrame]:
        """Leave a foul on the table until it is overruled or its player lifts it."""
        yield from self._until(
            lambda then: not then.foul or then.moves != before.moves, self._manners.foul_s
        )
        now = self._book.now()
        lying = self._game.layout(now.position)
        if lying != self.layout:
            yield from self._laid(now, lying)
            yield from self._until(lambda then: not then.foul, self._manners.lifted_s)
            if self._book.now().foul:
                self._book.lifted()

    def _until_judged(self, before: Standing, move: Move) -> Iterator[FilmFrame]:
        yield from self._until(lambda then: then.foul or then.moves != before.moves)
        now = self._book.now()
        if now.moves == before.moves and not now.foul:
            self._book.say(move)

    def _until(
        self, true: Callable[[Standing], bool], patience_s: float | None = None
    ) -> Iterator[FilmFrame]:
        patience_s = self._manners.patience_s if patience_s is None else patience_s
        until_s = self.now_s + patience_s
        while self.now_s < until_s and not true(self._book.now()):
            yield from self.quiet(0.1)

    def _laid(self, now: Standing, after: Layout) -> Iterator[FilmFrame]:
        """Let the hand of the player to move lay the table as in ``after``."""
        yield from self.visit((after,), now.position.players.index(now.position.to_move))

    def _planned(self, now: Standing) -> list[Move]:
        """Return a plan of the whole game: where dice decide, the shortest of several."""
        tries = LUCK if "roll" in self._game.facts.actions else 1
        return min((plan(self._game, now.position, self._dice) for _ in range(tries)), key=len)

    def _layouts(self, now: Standing) -> Iterator[Layout]:
        """Yield the layouts to come, which decide what must be in view."""
        position = now.position
        yield self._game.layout(position)
        for move in self._plan:
            position = self._game.apply(position, move)
            yield self._game.layout(position)


def dice(game: str, seed: int) -> Random:
    """Return the random generator for the rolls and draws of a demo table."""
    return rng_of("demo", game, seed)


def still_table(
    game: str, layout: Layout, players: tuple[str, ...], seed: int, size_px: tuple[int, int]
) -> FilmedTable:
    """Return a table on which nothing happens."""
    settings = _good_day(seed, game, size_px)
    return FilmedTable(settings, players, layout, iter((layout,)), STILL_FRAMES_A_SECOND)


def _fouls(manners: Manners, moves: int, dice: Random) -> set[int]:
    """Return before which moves a foul is tried: drawn ones are never before the third move."""
    if manners.foul_at is not None:
        return set(manners.foul_at)
    later = range(3, moves)
    drawn = {n for n in later if dice.random() < manners.foul_share}
    return drawn or {int(dice.integers(3, 7))}


def _good_day(seed: int, game: str, size_px: tuple[int, int]) -> SceneSettings:
    """Return a tidy table in good light, the camera nearly overhead."""
    settings = draw_settings(seed, "held-out", game, size_px)
    camera = replace(
        settings.camera,
        elevation_deg=max(settings.camera.elevation_deg, 78.0),
        azimuth_deg=8.0,
        roll_deg=0.0,
        fill=0.86,
        aim=(0.0, 0.0),
    )
    # No clutter: a pile beside an empty table could be mistaken for its first card.
    light = replace(settings.light, level=1.0, glare=0.0)
    return replace(settings, camera=camera, clutter=NO_CLUTTER, light=light)
