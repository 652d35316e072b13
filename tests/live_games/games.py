"""One whole game before the referee, from its seed."""

from __future__ import annotations

import tempfile
from pathlib import Path

from companion_app.live.loop import LiveLoop
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.record import Record, find_set
from models.lab.scenes.games.positions import Played
from models.lab.scenes.splits import rng_of
from tests.live_games.cast import JOINED, WHOLE, game_of, seldom_of, split_of
from tests.live_games.counts import Counts
from tests.live_games.director import Director
from tests.live_games.plan import acts_of, layouts_of, middle_of
from tests.live_games.scripted import Faults
from tests.live_games.tables import FilmTable, ScriptedTable, Table
from tests.live_games.umpire import Umpire

COMMON = frozenset(
    (
        "not-your-turn",
        "no-loop",
        "own-end",
        "not-own-straight",
        "colours-joined",
        "not-own-curve",
        "not-a-quarter",
        "in-pieces",
        "not-the-tail",
        "snake-finished",
        "sharp-turn",
        "branches",
        "not-at-an-end",
        "last-round-only",
        "not-replaceable",
        "not-a-replacement",
    )
)
"""Rules that fouls break by chance often enough; the others come first where they can."""
LONG_LEAN_EVERY = 4
USUAL_FAULTS = Faults(missed=0.01, unsure=0.01, hard=0.008)


def played_game(
    way: str, game_name: str, seed: int, most_moves: int | None = None, shots: Path | None = None
) -> Counts:
    """Play a game and return what was counted; odd seeds are of the side that is held out.

    Args:
        way: ``film`` or ``scripted``.
        game_name: which of the games.
        seed: decides the game, the table and all that happens.
        most_moves: where to stop, for a quick look.
        shots: where pictures of mistakes and questions are kept.
    """
    split = split_of(seed)
    game = game_named(game_name)
    box = find_set(game, None)
    one = game_of(game_name, seed)
    rng = rng_of("live", game_name, split, seed)
    middle = middle_of(game, one) if seed % (WHOLE + JOINED) >= WHOLE else None
    first = middle or 0
    hunted = frozenset(rule.id for rule in game.facts.rules if rule.can_be_broken) - COMMON
    seldom = seldom_of(game_name, seed)
    acts = list(acts_of(game, box, one, rng, first, hunted=hunted, seldom=seldom))
    if most_moves is not None:
        acts = [act for act in acts if act.number < first + most_moves]
    others = tuple(layouts_of(acts))
    shown = Played(one.players, one.moves[first:], one.layouts[first:], one.positions[first:])
    table: Table
    if way == "film":
        table = FilmTable(game, box, shown, split, seed, extra=others)
    else:
        layouts = tuple(dict.fromkeys((*shown.layouts, *others)))
        table = ScriptedTable(box, layouts, seed, USUAL_FAULTS)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        umpire = Umpire(
            Record(game, box, Start(one.players)),
            one,
            lambda match, emit: LiveLoop(match, table.reader, emit),
            store,
            f"{game_name}/{split}/{seed}",
            first,
            shots,
        )
        long = seed % LONG_LEAN_EVERY == 0
        Director(umpire, table, one, rng, long, middle is not None).play(acts)
        umpire.finish()
        return umpire.counts
