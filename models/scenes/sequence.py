"""A whole game as a camera films it: frames at a chosen rate, with the truth beside them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.game import AnyGame, Move
from engine.games import game_named
from engine.lattice import HEX_STEPS, hex_board
from engine.placement import Layout, Piece, Placement
from engine.record import move_to_json
from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.scenes.film import FilmedTable, FilmFrame
from models.scenes.positions import GAMES_IN_POOL, Played, card_cells, played
from models.scenes.settings import SceneSettings, draw_settings
from models.scenes.splits import Split, rng_of

Random = np.random.Generator

DISTURBANCES = ("nudge", "knock", "light", "cup", "lean", "wrong-turn", "foul")
FOUL_SHARE = 0.1
WRONG_TURN_SHARE = 0.06
NUDGE_SHARE = 0.12
TRIES = 60
Json = dict[str, Any]

LEAN_S = 4.0
CUP_S = 3.0


# --- What happens, and when ---


@dataclass(frozen=True)
class Visit:
    """One time that a hand comes to the table, or something else that takes its time."""

    what: str
    """``move``, ``foul``, ``take-back``, ``told``, ``cup``, ``knock``, ``light`` or ``lean``."""
    player: int
    """Whose hand, counted in turn order."""
    layouts: tuple[Layout, ...]
    """The layouts that the hand leaves one after another; the last one stays."""
    event: Json
    pause_s: float
    """How long the table lies still before."""
    nudge: bool = False


@dataclass(frozen=True)
class Script:
    """A whole filmed game."""

    game: str
    players: tuple[str, ...]
    opening: Layout
    visits: tuple[Visit, ...]
    record: Json = field(default_factory=dict)

    def layouts(self) -> Iterator[Layout]:
        """Yield every layout that lies on the table at some time."""
        yield self.opening
        for visit in self.visits:
            yield from visit.layouts


def write_script(
    game_name: str,
    split: Split,
    seed: int,
    pace_s: float = 1.6,
    most_moves: int | None = None,
    disturbances: tuple[str, ...] = DISTURBANCES,
) -> Script:
    """Return what happens in the game of a seed.

    Args:
        game_name: which of the games.
        split: whose games.
        seed: decides the game and all that happens beside it.
        pace_s: about how long the table lies still between two hands.
        most_moves: where to stop, for short films.
        disturbances: which of them may happen.
    """  # fmt: skip
    rng = rng_of("script", game_name, split, seed)
    one = played(game_name, split, str(rng.choice(["random", "greedy"])), seed % GAMES_IN_POOL)
    game, tile_set = game_named(game_name), built_in_set(game_name)
    moves = one.moves[:most_moves]
    at_move = {
        what: int(rng.integers(0, max(1, len(moves))))
        for what in ("knock", "light", "cup", "lean")
        if what in disturbances
    }
    visits: list[Visit] = []
    for number, move in enumerate(moves):
        before, after = one.layouts[number], one.layouts[number + 1]
        visits += [
            Visit(what, 0, (before,), {"event": what}, pace_s)
            for what, when in at_move.items() if when == number
        ]  # fmt: skip
        if before == after:
            event = {"event": "told", "n": number, "move": move_to_json(move)}
            visits.append(Visit("told", 0, (after,), event, 0.2))
            continue
        visits += _one_move(game, tile_set, one, number, rng, pace_s, disturbances)
    record = {"game": game_name, "players": list(one.players),
              "moves": [move_to_json(move) for move in moves]}  # fmt: skip
    return Script(game_name, one.players, one.layouts[0], tuple(visits), record)


def _one_move(
    game: AnyGame, tile_set: TileSet, one: Played, number: int, rng: Random, pace_s: float,
    disturbances: tuple[str, ...],
) -> Iterator[Visit]:  # fmt: skip
    before, after = one.layouts[number], one.layouts[number + 1]
    move, position = one.moves[number], one.positions[number]
    player = one.players.index(move.player)
    pause = float(rng.uniform(0.6, 1.4)) * pace_s
    if "foul" in disturbances and rng.random() < FOUL_SHARE:
        wrong = illegal_move(game, tile_set, position, before, rng)
        if wrong is not None:
            foul, spoilt = wrong
            rules = [v.rule.id for v in game.judge(position, foul).violations]
            event = {"event": "foul", "n": number, "move": move_to_json(foul), "rules": rules}
            yield Visit("foul", player, (spoilt,), event, pause)
            yield Visit("take-back", player, (before,), {"event": "taken-back", "n": number},
                        float(rng.uniform(1.5, 3.0)))  # fmt: skip
    layouts: tuple[Layout, ...] = (after,)
    event = {"event": "move", "n": number, "move": move_to_json(move)}
    turned = _wrongly_turned(tile_set, before, after, rng)
    if turned is not None and "wrong-turn" in disturbances and rng.random() < WRONG_TURN_SHARE:
        layouts = (turned, after)
        event["corrected"] = True
    nudge = "nudge" in disturbances and bool(rng.random() < NUDGE_SHARE)
    yield Visit("move", player, layouts, event, pause, nudge)


def _wrongly_turned(tile_set: TileSet, before: Layout, after: Layout, rng: Random) -> Layout | None:
    """Return the new layout with its new card turned as it should not be."""
    new = sorted(after.cards - before.cards)
    if len(new) != 1 or len(after.cards) <= len(before.cards):
        return None
    card = new[0]
    period = tile_set[card.tile].period
    if period == 1:
        return None
    other = replace(card, turns=(card.turns + int(rng.integers(1, period))) % period)
    return replace(after, cards=after.cards - {card} | {other})


def illegal_move(
    game: AnyGame, tile_set: TileSet, position: Any, layout: Layout, rng: Random
) -> tuple[Move, Layout] | None:
    """Return a move that can be laid on the table but breaks a rule, and the table after it."""
    legal = [move for move in game.legal_moves(position) if move.do == "place"]
    if not legal:
        return None
    for _ in range(TRIES):
        like = legal[int(rng.integers(len(legal)))]
        wrong = _piece_changed(tile_set, like, layout, rng) if like.cells else _card_changed(
            game, tile_set, like, layout, position.players, rng)  # fmt: skip
        if wrong is not None and not game.judge(position, wrong[0]).legal:
            return wrong
    return None


def _card_changed(
    game: AnyGame, tile_set: TileSet, like: Move, layout: Layout, players: Sequence[str],
    rng: Random,
) -> tuple[Move, Layout] | None:  # fmt: skip
    if like.at is None or like.tile is None:
        return None
    owner = game.facts.name == "sssnake"
    near = next((c.field for c in layout.cards if c.at == like.at), None)
    turns = int(rng.integers(tile_set[like.tile].period))
    x, y = like.at
    if rng.random() < 0.5:
        x, y = x + int(rng.integers(-1, 2)), y + int(rng.integers(-1, 2))
    where = players.index(like.snake or like.player) if owner else near
    taken = {cell for c in layout.cards if c.field == where for cell in card_cells(tile_set, c)}
    card = Placement(like.tile, (x, y), turns, where)
    if set(card_cells(tile_set, card)) & taken or not _touches(card, taken):
        return None
    move = replace(like, at=(x, y), turns=turns)
    return move, replace(layout, cards=layout.cards | {card})


def _touches(card: Placement, taken: set[tuple[int, int]]) -> bool:
    x, y = card.at
    return not taken or any((x + dx, y + dy) in taken for dx in (-1, 0, 1) for dy in (-1, 0, 1))


def _piece_changed(
    tile_set: TileSet, like: Move, layout: Layout, rng: Random
) -> tuple[Move, Layout] | None:
    """Shift a piece by a hex or two, or turn it, where the board has room."""
    cells = list(like.cells or ())
    q0, r0 = cells[0]
    around = [(q - q0, r - r0) for q, r in cells]
    for _ in range(int(rng.integers(6))):
        around = [(-r, q + r) for q, r in around]
    dq, dr = HEX_STEPS[int(rng.integers(6))] if rng.random() < 0.7 else (0, 0)
    moved = tuple(sorted((q0 + dq + q, r0 + dr + r) for q, r in around))
    board = tile_set.extras.get("board", {})
    free = set(hex_board(int(board.get("side", 6)))) - {tuple(eye) for eye in board.get("eyes", ())}
    free -= {cell for p in layout.pieces if p.board == like.board for cell in p.cells}
    if not set(moved) <= free:
        return None
    tile = like.tile or ""
    name = tile if tile in tile_set else f"{like.player}/{tile}"
    piece = Piece(name, moved, like.board)
    return replace(like, cells=moved), replace(layout, pieces=layout.pieces | {piece})


class Film(FilmedTable):
    """A filmed game. ``frames`` can be walked once; ``events`` is complete after that."""

    def __init__(self, settings: SceneSettings, script: Script, fps: float) -> None:
        super().__init__(settings, script.players, script.opening, script.layouts(), fps)
        self.script = script
        self.events: list[Json] = []

    def frames(self) -> Iterator[FilmFrame]:
        """Yield every frame from the first still one to the last."""
        yield from self.quiet(1.0)
        for visit in self.script.visits:
            yield from self.quiet(visit.pause_s)
            yield from self._played(visit)
        yield from self.quiet(1.5)

    def _played(self, visit: Visit) -> Iterator[FilmFrame]:
        if visit.what == "knock":
            yield from self.knock()
        elif visit.what == "light":
            self.switch_light()
        elif visit.what == "lean":
            yield from self.lean(LEAN_S)
        elif visit.what == "cup":
            yield from self.cup_put_down()
            self._note(visit.event)
            yield from self.quiet(CUP_S)
            yield from self.cup_taken_away()
            self._note({"event": "cup-gone"})
            return
        elif visit.what != "told":
            yield from self.visit(visit.layouts, visit.player, visit.nudge)
        self._note(visit.event)

    def _note(self, event: Json) -> None:
        """Write down what has happened; the time is that of the first frame after it."""
        self.events.append({"t": round(self.now_s, 3), **event})


def film_settings(
    seed: int, split: Split, game: str, size_px: tuple[int, int] = (1280, 720)
) -> SceneSettings:
    """Return the table of a seed as a game can be played on: nothing else in the way of hands."""
    settings = draw_settings(seed, split, game, size_px)
    camera = replace(settings.camera, fill=min(settings.camera.fill, 0.9))
    clutter = replace(settings.clutter, hands=0, stock_spread=False)
    light = replace(settings.light, level=max(settings.light.level, 0.5))
    return replace(settings, camera=camera, clutter=clutter, light=light)


def film(
    seed: int,
    split: Split,
    game: str,
    fps: float = 10.0,
    size_px: tuple[int, int] = (1280, 720),
    pace_s: float = 1.6,
    most_moves: int | None = None,
    disturbances: tuple[str, ...] = DISTURBANCES,
) -> Film:
    """Return the filmed game of a seed; equal arguments give the same frames."""
    settings = film_settings(seed, split, game, size_px)
    script = write_script(game, split, seed, pace_s, most_moves, disturbances)
    return Film(settings, script, fps)
