"""A whole game as a camera films it: moves, fouls, knocks, cups, with the truth beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.game import AnyGame
from engine.games import game_named
from engine.placement import Layout
from engine.record import move_to_json
from engine.setfile import built_in_set
from engine.tiles import TileSet
from models.lab.scenes.games.film import FilmedTable, FilmFrame, film_settings
from models.lab.scenes.games.positions import GAMES_IN_POOL, Played, illegal_move, played
from models.lab.scenes.settings import SceneSettings
from models.lab.scenes.splits import Split, rng_of

Random = np.random.Generator
Json = dict[str, Any]

DISTURBANCES = ("nudge", "knock", "light", "cup", "lean", "wrong-turn", "foul")
FOUL_SHARE = 0.1
WRONG_TURN_SHARE = 0.06
NUDGE_SHARE = 0.12
LEAN_S = 4.0
CUP_S = 3.0


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
    """
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
            for what, when in at_move.items()
            if when == number
        ]
        if before == after:
            event = {"event": "told", "n": number, "move": move_to_json(move)}
            visits.append(Visit("told", 0, (after,), event, 0.2))
            continue
        visits += _one_move(game, tile_set, one, number, rng, pace_s, disturbances)
    record = {
        "game": game_name,
        "players": list(one.players),
        "moves": [move_to_json(move) for move in moves],
    }
    return Script(game_name, one.players, one.layouts[0], tuple(visits), record)


def _one_move(
    game: AnyGame,
    tile_set: TileSet,
    one: Played,
    number: int,
    rng: Random,
    pace_s: float,
    disturbances: tuple[str, ...],
) -> Iterator[Visit]:
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
            yield Visit(
                "take-back",
                player,
                (before,),
                {"event": "taken-back", "n": number},
                float(rng.uniform(1.5, 3.0)),
            )
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
