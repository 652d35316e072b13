"""The machine's moves laid by people before the camera: wrongly first, then right.

A wrong one (another cell, turn or tile, legal by itself) must be noticed and not taken; a right one
must be taken and never refused. Games are of the held-out side, filmed by the scene maker and read
by the reader that ships. Every finished game is kept at once; a run that was broken off goes on
where it stopped.

    python -m tests.live_games.machine --out build/evaluate/machine
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from companion_app.live.loop import LiveLoop
from companion_app.live.machine import MachineTurn
from companion_app.live.store import Store
from engine.game import AnyGame, Move, Start
from engine.games import GAMES, game_named
from engine.placement import Layout
from engine.record import Record, find_set, move_to_json
from models.lab.evaluate.harness import wilson
from models.lab.scenes.games.positions import Played
from models.lab.scenes.splits import rng_of
from models.lab.scenes.world.arrays import Random
from tests.live_games.cast import game_of, split_of
from tests.live_games.director import Director
from tests.live_games.plan import Act
from tests.live_games.tables import FilmTable
from tests.live_games.umpire import Umpire

KINDS = ("cell", "turn", "tile")
FIRST = 3
"""So many moves lie already: where a table begins nobody has said yet."""
MOVES, WRONG = 25, 5
"""Of each film: moves that are laid right, and how many of them wrongly before."""
FILMS = 8
Result = dict[str, object]


def wrong_move(game: AnyGame, one: Played, number: int, kind: str, rng: Random) -> Layout | None:
    """Return the table with another legal move of the same player than the one that is wanted."""
    right, position = one.moves[number], one.positions[number]
    found = [
        game.layout(game.apply(position, move))
        for move in game.legal_moves(position)
        if move.do == right.do and move.player == right.player and _differs(move, right, kind)
    ]
    tables = [table for table in found if table not in one.layouts[number : number + 2]]
    return tables[int(rng.integers(len(tables)))] if tables else None


def _differs(move: Move, right: Move, kind: str) -> bool:
    meets = bool(_place(move) & _place(right))
    if kind == "tile":
        return meets and move.tile != right.tile
    return meets is (kind == "turn") and move.tile == right.tile


def _place(move: Move) -> frozenset[object]:
    """Return the cells of a move, with their board."""
    cells = move.cells if move.cells is not None else (move.at,)
    return frozenset((move.board, cell) for cell in cells)


class MachineFilm:
    """One game in which people lay every move for the machine."""

    def __init__(self, game_name: str, seed: int, moves: int, wrong: int) -> None:
        self.game, self.one = game_named(game_name), game_of(game_name, seed)
        self.rng = rng_of("machine", game_name, seed)
        seen = [
            n
            for n in range(FIRST, len(self.one.moves))
            if self.one.layouts[n] != self.one.layouts[n + 1]
        ][:moves]
        self.numbers = range(FIRST, seen[-1] + 1)
        self._where = (game_name, seed)
        self.wrong = self._wrong(seen, wrong)

    def _wrong(self, seen: list[int], most: int) -> dict[int, tuple[str, Layout]]:
        """Return what is laid wrongly, spread over the film, each kind in its turn."""
        wrong: dict[int, tuple[str, Layout]] = {}
        order = [seen[int(n)] for n in self.rng.permutation(len(seen))]
        for number in order:
            if len(wrong) == most:
                break
            first = (len(wrong) + self._where[1] // 2) % len(KINDS)
            for kind in KINDS[first:] + KINDS[:first]:
                table = wrong_move(self.game, self.one, number, kind, self.rng)
                if table is not None:
                    wrong[number] = (kind, table)
                    break
        return wrong

    def shown(self) -> list[Result]:
        """Show the film to the referee; return what became of every move."""
        name, seed = self._where
        box, one = find_set(self.game, None), self.one
        first, last = self.numbers[0], self.numbers[-1] + 2
        part = Played(
            one.players, one.moves[first:last], one.layouts[first:last], one.positions[first:last]
        )
        extra = tuple(table for _, table in self.wrong.values())
        table = FilmTable(self.game, box, part, split_of(seed), seed, extra)
        with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
            umpire = Umpire(
                Record(self.game, box, Start(one.players)),
                one,
                lambda match, emit: LiveLoop(match, table.reader, emit),
                store,
                f"{name}/{seed}",
            )
            umpire.skip_to(first)
            director = Director(umpire, table, one, self.rng)
            director.show(table.quiet(1.2))
            return [one for number in self.numbers for one in self._laid(director, number)]

    def _laid(self, director: Director, number: int) -> list[Result]:
        umpire, one = director.umpire, self.one
        umpire.begin_act()
        right, act = one.moves[number], Act("move", number)
        if one.layouts[number] == one.layouts[number + 1]:
            umpire.told(right, director.table.now_s)
            return []
        results: list[Result] = []
        self._want(umpire, right)
        if number in self.wrong:
            kind, table = self.wrong[number]
            director.lay(act, table)
            director.wait_until(lambda: self._is_noticed(umpire))
            noticed = self._is_noticed(umpire) and len(umpire.match.accepted) == number
            results.append(self._told(number, kind, noticed))
            if len(umpire.match.accepted) != number:
                self._put_right(umpire, number)
                self._want(umpire, right)
            director.lay(act, one.layouts[number])
            director.show(director.table.quiet(0.5))
        said = len(umpire.events)
        director.lay(act, one.layouts[number + 1])

        def is_taken() -> bool:
            return len(umpire.match.accepted) > number

        director.wait_until(is_taken)
        if not is_taken():
            # Nothing is said to be wrong, so people take away whatever stands on the tile.
            director.show(director.table.clear_away())
            director.wait_until(is_taken)
        made = [accepted.move for accepted in umpire.match.accepted[number:]]
        # Whoever can lay nothing after it passes at once.
        taken = bool(made) and made == list(one.moves[number : number + len(made)])
        refused = any(self._refuses(event) for event in umpire.events[said:])
        results.append(self._told(number, "right", taken and not refused))
        umpire.done = number + 1
        if not taken:
            self._put_right(umpire, number + 1)
        return results

    @staticmethod
    def _want(umpire: Umpire, right: Move) -> None:
        umpire.loop.referee.wants(MachineTurn(right.player, umpire.match.position, right))

    @staticmethod
    def _is_noticed(umpire: Umpire) -> bool:
        referee = umpire.loop.referee
        return referee.doubts.otherwise is not None or referee.doubts.pending is not None

    @staticmethod
    def _refuses(event: Result) -> bool:
        otherwise = event["event"] == "machine" and bool(event.get("laid"))
        return otherwise or (event["event"] == "verdict" and event["legal"] is False)

    def _told(self, number: int, kind: str, good: bool) -> Result:
        move = move_to_json(self.one.moves[number])
        return {"n": number, "kind": kind, "good": good, **({} if good else {"move": move})}

    def _put_right(self, umpire: Umpire, number: int) -> None:
        """Let the truth go on, so that one mistake is counted once."""
        match = umpire.match
        if match.accepted:
            match.take_back(len(match.accepted))
        match.accept(list(self.one.moves[:number]))
        umpire.killed()


# --- the figures ---------------------------------------------------------------------------------


def table(kept: dict[str, list[Result]]) -> str:
    """Return what was counted, game by game."""
    lines = ["| game | laid wrongly | noticed | laid right | taken |\n|---|--:|--:|--:|--:|\n"]
    total: Counter[str] = Counter()
    for game in [name for name in GAMES if name in kept]:
        count: Counter[str] = Counter()
        for one in kept[game]:
            side = "right" if one["kind"] == "right" else "wrong"
            count[side] += 1
            count[f"{side} good"] += bool(one["good"])
        total += count
        lines.append(_line(game, count))
    if len(kept) > 1:
        lines.append(_line("all", total))
    for game, results in kept.items():
        missed = [one for one in results if not one["good"]]
        lines += [f"{game}, move {one['n']}, {one['kind']}: {one['move']}\n" for one in missed]
    return "".join(lines)


def _line(name: str, count: Counter[str]) -> str:
    cells = []
    for side in ("wrong", "right"):
        good, all_ = count[f"{side} good"], count[side]
        low, high = wilson(good, all_) if all_ else (0.0, 1.0)
        cells.append(f"{all_} | {good} ({low:.1%} to {high:.1%})")
    return f"| {name} | {' | '.join(cells)} |\n"


def main(arguments: list[str] | None = None) -> int:
    """Film what is missing and print the figures of all."""
    parser = argparse.ArgumentParser(prog="python -m tests.live_games.machine", description=__doc__)
    parser.add_argument("--films", type=int, default=FILMS, help="of each game")
    parser.add_argument("--moves", type=int, default=MOVES, help="of each film")
    parser.add_argument("--wrong", type=int, default=WRONG, help="of these laid wrongly before")
    parser.add_argument("--only", choices=GAMES, action="append", help="only this game")
    parser.add_argument("--within", type=float, metavar="S", help="begin no film after so long")
    parser.add_argument("--out", type=Path, default=Path("build/evaluate/machine"), metavar="DIR")
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    ends_s = None if asked.within is None else time.monotonic() + asked.within
    kept: dict[str, list[Result]] = {}
    for film in range(asked.films):
        for game in asked.only or GAMES:
            # Odd seeds are of the side that is held out.
            seed = 2 * film + 1
            file = asked.out / f"{game}-{seed}-{asked.moves}-{asked.wrong}.json"
            if not file.exists():
                if ends_s is not None and time.monotonic() >= ends_s:
                    continue
                results = MachineFilm(game, seed, asked.moves, asked.wrong).shown()
                file.write_text(json.dumps(results), encoding="utf-8")
            kept.setdefault(game, []).extend(json.loads(file.read_text(encoding="utf-8")))
    sys.stdout.write(table(kept))
    return 0 if all(one["good"] for results in kept.values() for one in results) else 1


if __name__ == "__main__":
    sys.exit(main())
