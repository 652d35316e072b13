"""How well the live referee does: whole simulated games, with fouls and every disturbance.

Two ways to play them: ``scripted`` (drawn squares, table states from the truth with the faults of a
reader) shows what the referee does; ``film`` (pictures of the scene maker, read by the real reader)
shows what the whole way from frame to verdict does. Every finished game is written to a file at
once; a run that was broken off goes on where it stopped.

    python -m companion_app.live.evaluate --games 12 --out build/evaluate/live
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count
from math import sqrt
from pathlib import Path
from typing import Any

from companion_app.live.errors import ToldError
from companion_app.live.loop import LiveLoop, Reader
from companion_app.live.match import Match
from companion_app.live.sameness import same_moves
from companion_app.live.store import Store
from engine.game import AnyGame, Move, Start
from engine.games import GAMES, game_named
from engine.infer import infer_move
from engine.placement import Layout
from engine.record import Record, find_set, move_to_json
from vision.types import Frame

Json = dict[str, Any]
Step = Frame | Json
"""A frame, or something that players and the table did, told after it is done."""

DISTURBANCES = (
    "none", "nudge", "knock", "light", "cup", "lean", "two-at-once", "take-back-redo",
    "take-back-two", "black-frames", "torn-frame", "no-frames", "killed", "out-of-order",
    "wrong-turn", "late-clay",
)  # fmt: skip
FOUL_EVERY = 10
VERDICT_WITHIN_S = 0.5


@dataclass
class Counts:
    """What is counted, for one game or for many."""

    numbers: Counter[str] = field(default_factory=Counter)
    by_disturbance: dict[str, Counter[str]] = field(default_factory=dict)
    mistakes: list[str] = field(default_factory=list)

    def add(self, what: str, disturbance: str | None = None) -> None:
        """Count one thing."""
        self.numbers[what] += 1
        if disturbance is not None:
            self.by_disturbance.setdefault(disturbance, Counter())[what] += 1

    def to_json(self) -> Json:
        """Return all of it as JSON."""
        return {
            "numbers": dict(self.numbers),
            "by_disturbance": {name: dict(c) for name, c in self.by_disturbance.items()},
            "mistakes": self.mistakes,
        }

    def take_in(self, data: Json) -> None:
        """Add what another game counted."""
        self.numbers.update(data["numbers"])
        for name, numbers in data["by_disturbance"].items():
            self.by_disturbance.setdefault(name, Counter()).update(numbers)
        self.mistakes += data["mistakes"]


class Umpire:
    """Plays the people at the table, and holds the referee to the truth."""

    def __init__(
        self, record: Record, truth: list[Move], make_loop: Callable[[Match], LiveLoop],
        store: Store, where: str,
    ) -> None:  # fmt: skip
        self.counts = Counts()
        self.truth = truth
        self.match = Match.begin(store, record)
        self.events: list[Json] = []
        self._make_loop = make_loop
        self.loop = self._started(make_loop(self.match))
        self.fouling = False
        """Whether the tile that was laid last is a foul."""
        self._done = 0
        self._seen = 0
        self._where = where
        self._contents: Callable[[Any], Any] = lambda spot: None

    def _started(self, loop: LiveLoop) -> LiveLoop:
        # The loop's own listener is this list; see ``listener``.
        loop.start(0.0)
        return loop

    def listener(self) -> list[Json]:
        """Return the list that events go to."""
        return self.events

    def frame(self, frame: Frame) -> None:
        """Show one frame, then answer whatever was asked."""
        self.loop.see(frame)
        self.answer(frame.taken_at_s)

    def answer(self, t: float) -> None:
        """Answer the questions that wait, by the truth."""
        for question in list(self.loop.referee.questions.values()):
            value = self._true_answer(question.about, question)
            if value is not None:
                try:
                    self.loop.tell({"answer": question.id, "value": value}, t)
                except ToldError as error:
                    self.counts.mistakes.append(f"{self._where}: {question.about}: {error}")

    def _true_answer(self, about: str, question: Any) -> Any:
        if about == "roll":
            return None
        if about == "hand":
            meant, not_meant = question.choices
            return not_meant if self.fouling else meant
        if about == "next":
            return self.loop.match.position.to_move
        if isinstance(question.key, tuple) and question.key[0] == "order":
            return self._true_order(question)
        if question.spot is not None:
            return self._contents(question.spot)
        return None

    def _true_order(self, question: Any) -> Any:
        known = [accepted.move for accepted in self.match.accepted]
        for number, guess in enumerate(question.guesses):
            row = question.choices.get(str(number))
            if guess != "taken-back" and row is not None:
                moves = [*known, *row.moves]
                if same_moves(moves, self.truth[: len(moves)], self.match.box):
                    return number
        return "taken-back" if "taken-back" in question.guesses else 0

    def told(self, move: Move, t: float) -> None:
        """Say aloud what leaves no trace on the table."""
        self._done += 1
        if len(self.match.accepted) >= self._done:
            return
        written = move_to_json(move)
        if move.do == "roll":
            message: Json = {"roll": move.value, "tiles": written.get("tiles")}
        else:
            message = {"move": written}
        try:
            self.loop.tell(message, t)
        except ToldError as error:
            self.counts.mistakes.append(f"{self._where}: told {written}: {error}")

    # --- checking --------------------------------------------------------------------------

    def check_moves(self, number: int, disturbance: str, after_s: float) -> None:
        """Hold what was accepted to the truth, after a legal visit of so many moves."""
        self._done += number
        wanted = self.truth[: self._done]
        got = [accepted.move for accepted in self.match.accepted]
        new = self.events[self._seen :]
        self._seen = len(self.events)
        for _ in range(number):
            self.counts.add("moves", disturbance)
        self._count_questions(new, disturbance)
        accused = [e for e in new if e["event"] == "verdict" and e["legal"] is False]
        if accused:
            self.counts.add("false accusations", disturbance)
            self._mistake(f"{disturbance}: accused {accused[0]['move']} "
                          f"{[v['rule'] for v in accused[0]['violations']]}")  # fmt: skip
        boards = getattr(getattr(self.match.position, "agreed", None), "boards", 1)
        if same_moves(got[: self._done], wanted, self.match.box, boards):
            self.counts.numbers["moves right"] += number
            self.counts.by_disturbance[disturbance]["moves right"] += number
        else:
            tail = [move_to_json(m) for m in got[self._done - number :]]
            after = f"after {self._done - number} moves; {self._last_words(new)}"
            self._mistake(f"{disturbance}: wanted {move_to_json(wanted[-1])}, got {tail} {after}")
            self._put_right(wanted)
        self._check_score(disturbance)
        self._check_latency(new, after_s)

    def check_foul(self, rules: list[str], disturbance: str, after_s: float) -> None:
        """Hold an illegal visit to be called one."""
        new = self.events[self._seen :]
        self._seen = len(self.events)
        self.counts.add("fouls", disturbance)
        self._count_questions(new, disturbance)
        calls = [e for e in new if e["event"] == "verdict" and e["legal"] is False]
        if calls:
            self.counts.add("fouls caught", disturbance)
            said = {v["rule"] for v in calls[-1]["violations"]}
            if said == set(rules):
                self.counts.add("fouls with the right rules", disturbance)
            self._check_latency(new, after_s)
        else:
            self._mistake(f"foul {rules} missed; {self._last_words(new)}")
        for rule in rules:
            self.counts.add(f"foul {rule}")

    def check_taken_back(self, disturbance: str) -> None:
        """Hold the referee to the position after a foul was lifted."""
        new = self.events[self._seen :]
        self._seen = len(self.events)
        self._count_questions(new, disturbance)
        if self.loop.referee.pending is not None or len(self.match.accepted) != self._done:
            self._mistake(f"{disturbance}: not as before the foul; {self._last_words(new)}")

    def finish(self) -> None:
        """Close the books on a game."""
        self.counts.add("games")
        if not self.counts.mistakes:
            self.counts.add("games without an error")

    def resumed(self) -> None:
        """Start again from the log alone, as after a kill."""
        self.match = Match.resume(self.match.store, self.match.key)
        self.loop = self._started(self._make_loop(self.match))
        self._seen = len(self.events)

    def _put_right(self, wanted: list[Move]) -> None:
        """Bring the match back to the truth, so that one mistake is counted once."""
        if self.match.accepted:
            self.match.take_back(len(self.match.accepted))
        self.match.accept(wanted)
        self.loop = self._started(self._make_loop(self.match))

    def _check_score(self, disturbance: str) -> None:
        game, position = self.match.game, game_position(self.match, self.truth[: self._done])
        self.counts.add("scores", disturbance)
        if game.outcome(position).scores == game.outcome(self.match.position).scores:
            self.counts.add("scores right", disturbance)

    def _check_latency(self, new: list[Json], after_s: float) -> None:
        verdicts = [e["t"] - after_s for e in new if e["event"] == "verdict"]
        if verdicts:
            self.counts.add("verdicts timed")
            if verdicts[-1] <= VERDICT_WITHIN_S + 1e-6:
                self.counts.add("verdicts in time")

    def _count_questions(self, new: list[Json], disturbance: str) -> None:
        for event in new:
            if event["event"] == "question":
                counted = event["about"] not in ("roll", "hand")
                self.counts.add("questions" if counted else "rolls and hands asked", disturbance)

    def _last_words(self, new: list[Json]) -> str:
        return "; ".join(
            f"{e['t']} {e['event']} {e.get('state', e.get('about', e.get('legal', '')))}"
            for e in new[-8:]
        )

    def _mistake(self, text: str) -> None:
        self.counts.mistakes.append(f"{self._where}: {text}")


def game_position(match: Match, moves: list[Move]) -> Any:
    """Return the position after so many moves of the truth."""
    position = match.positions[0]
    for move in moves:
        position = match.game.apply(position, move)
    return position


# --- scripted games ------------------------------------------------------------------------------


def scripted_game(game_name: str, split: Any, seed: int, faults: Any = None) -> Counts:
    """Play one whole game with drawn squares; return what was counted."""
    from models.evaluate import scripted
    from models.scenes.positions import GAMES_IN_POOL, played
    from models.scenes.script import illegal_move
    from models.scenes.splits import rng_of

    rng = rng_of("live", game_name, split, seed)
    play = ("random", "greedy")[seed % 2]
    one = played(game_name, split, play, seed % GAMES_IN_POOL)
    game, box = game_named(game_name), find_set(game_named(game_name), None)
    faults = faults or scripted.Faults(missed=0.01, unsure=0.01, hard=0.008)
    record = Record(game, box, Start(one.players))
    camera = scripted.ScriptedCamera(box, tuple(dict.fromkeys(one.layouts)))
    reader = scripted.ScriptedReader(camera, faults, seed)
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        events: list[Json] = []
        umpire = Umpire(record, list(one.moves), lambda m: LiveLoop(m, reader, events.append),
                        store, f"{game_name}/{split}/{seed}")  # fmt: skip
        umpire.events = events
        director = _Director(umpire, camera, reader, one, rng, illegal_move, game)
        director.play()
        umpire.finish()
        return umpire.counts


class _Director:
    """Lets a game happen in front of the scripted camera."""

    def __init__(
        self, umpire: Umpire, camera: Any, reader: Any, one: Any, rng: Any, illegal_move: Any,
        game: AnyGame,
    ) -> None:  # fmt: skip
        from models.evaluate import scripted

        self.umpire, self.camera, self.reader, self.one, self.rng = umpire, camera, reader, one, rng
        self.illegal_move, self.game = illegal_move, game
        self.scripted = scripted
        self.moment = scripted.Moment(one.layouts[0])
        umpire._contents = self._truth_at

    def _truth_at(self, spot: Any) -> Any:
        from companion_app.live.places import contents

        content = contents(self.moment.layout).get(spot)
        return None if content is None else {"tile": content[0], "turns": content[1]}

    def play(self) -> None:
        """Play to the end."""
        self.quiet(1.0)
        number = 0
        kinds = [*DISTURBANCES]
        self.rng.shuffle(kinds)
        turn = count()
        while number < len(self.one.moves):
            before, after = self.one.layouts[number], self.one.layouts[number + 1]
            if before == after:
                self.umpire.told(self.one.moves[number], self.camera.now_s)
                number += 1
                continue
            if self.rng.random() < 1 / FOUL_EVERY:
                self.foul(number)
            kind = kinds[next(turn) % len(kinds)] if self.rng.random() < 0.6 else "none"
            number += self.disturbed(kind, number)

    def quiet(self, seconds: float) -> None:
        """Let the table lie still."""
        for _ in range(round(seconds * self.camera.frames_a_second)):
            self.umpire.frame(self.camera.shoot(self.moment))

    def visit(self, *layouts: Layout, frames: int = 6) -> float:
        """Let a hand come in and lay the table as told; return when it has left."""
        from dataclasses import replace

        before = self.moment.layout
        for layout in layouts:
            for moment in self.scripted.hand_visit(before, layout, frames):
                shot = replace(
                    moment, covered=self.moment.covered, light=self.moment.light,
                    shift_px=self.moment.shift_px,
                )  # fmt: skip
                self.umpire.frame(self.camera.shoot(shot))
            before = layout
        self.moment = replace(self.moment, layout=before)
        return float(self.camera.now_s)

    def foul(self, number: int) -> None:
        position, before = self.one.positions[number], self.one.layouts[number]
        wrong = self.illegal_move(self.game, self.umpire.match.box, position, before, self.rng)
        if wrong is None:
            return
        move, layout = wrong
        if infer_move(self.game, position, layout).sequences:
            # What is wrong with it leaves no trace on the table: somebody would have to tell.
            return
        rules = [v.rule.id for v in self.game.judge(position, move).violations]
        self.umpire.fouling = True
        left = self.visit(layout)
        self.quiet(1.0)
        hard = any(self.reader.is_hard(p) for p in _new(before, layout))
        self.quiet(2.0 if hard else 0.0)
        self.umpire.check_foul(rules, "unsure tile" if hard else "none", left)
        self.umpire.fouling = False
        self.visit(before)
        self.quiet(1.0)
        self.umpire.check_taken_back("none")

    def disturbed(self, kind: str, number: int) -> int:
        """Play one move, or more, with something that goes on beside it; return how many."""
        from dataclasses import replace

        one, scripted = self.one, self.scripted
        before, after = one.layouts[number], one.layouts[number + 1]
        moves = 1
        if kind == "two-at-once":
            moves = self._two(number)
            after = one.layouts[number + moves]
            left = self.visit(after, frames=9)
        elif kind == "take-back-redo":
            self.visit(after)
            self.quiet(0.8)
            self.visit(before)
            self.quiet(0.8)
            left = self.visit(after)
        elif kind == "lean":
            hand = scripted.Moment(before, hand=(0.5, 0.6))
            for step in range(60):
                tremble = replace(hand, hand=(0.5 + 0.01 * (step % 2), 0.6))
                self.umpire.frame(self.camera.shoot(tremble))
            left = self.visit(after)
        elif kind == "wrong-turn":
            wrong = self._wrongly_turned(before, after)
            left = self.visit(*([wrong] if wrong else []), after, frames=4)
        else:
            self._before_move(kind, before)
            clay_later = kind == "late-clay" and after.clay != before.clay
            left = self.visit(replace(after, clay=before.clay) if clay_later else after)
            if clay_later:
                self.quiet(0.2)
                left = self.visit(after)
        if kind in ("black-frames", "torn-frame", "out-of-order"):
            self._spoil(kind)
        hard = any(self.reader.is_hard(p) for p in _new(before, after))
        self.quiet(3.2 if hard else 1.0)
        if kind == "take-back-two":
            self._take_two_back(number)
            left = self.camera.now_s
        self.umpire.check_moves(moves, "unsure tile" if hard else kind, left)
        self._after_move(kind)
        return moves

    def _two(self, number: int) -> int:
        """Return 2 where the next move changes the table too, and nothing is told between."""
        layouts = self.one.layouts
        if number + 2 < len(layouts) and layouts[number + 1] != layouts[number + 2]:
            return 2
        return 1

    def _take_two_back(self, number: int) -> None:
        """Lift the last two moves, then lay them again one by one."""
        layouts = self.one.layouts
        back = next((i for i in range(number - 1, -1, -1) if layouts[i] != layouts[number]), None)
        if back is None or any(m.do not in ("place", "turn", "replace", "pass")
                               for m in self.one.moves[back : number + 1]):  # fmt: skip
            return
        self.visit(layouts[back])
        self.quiet(1.0)
        for layout in dict.fromkeys(layouts[back + 1 : number + 2]):
            self.visit(layout)
            self.quiet(2.6)

    def _wrongly_turned(self, before: Layout, after: Layout) -> Layout | None:
        from models.scenes.script import _wrongly_turned

        return _wrongly_turned(self.umpire.match.box, before, after, self.rng)

    def _before_move(self, kind: str, before: Layout) -> None:
        from dataclasses import replace

        if kind == "knock":
            away = float(self.rng.uniform(-14, 14)), float(self.rng.uniform(-14, 14))
            for _ in range(3):
                shake = float(self.rng.uniform(-6, 6)), float(self.rng.uniform(-6, 6))
                self.umpire.frame(self.camera.shoot(replace(self.moment, shift_px=shake)))
            self.moment = replace(self.moment, shift_px=away)
            self.quiet(1.5)
        elif kind == "light":
            bright = 1.0 if self.moment.light != 1.0 else float(self.rng.uniform(0.45, 1.5))
            self.moment = replace(self.moment, light=bright)
            self.quiet(1.0)
        elif kind == "cup" and before.placements():
            things = [p for p in before.placements() if hasattr(p, "tile")]
            placed = things[int(self.rng.integers(len(things)))] if things else None
            self.visit(before)
            self.moment = replace(self.moment, covered=frozenset({placed}))
            self.quiet(1.2)
        elif kind == "no-frames":
            self.camera.wait(30.0)
            self.umpire.loop.silence(self.camera.now_s - 0.05)
        elif kind == "killed":
            self.umpire.resumed()

    def _after_move(self, kind: str) -> None:
        from dataclasses import replace

        if kind == "cup":
            self.visit(self.moment.layout)
            self.moment = replace(self.moment, covered=frozenset())
            self.quiet(1.0)
            self.umpire.check_taken_back("cup")

    def _spoil(self, kind: str) -> None:
        from dataclasses import replace

        if kind == "out-of-order":
            first, second = self.camera.shoot(self.moment), self.camera.shoot(self.moment)
            for frame in (second, first, second):
                self.umpire.frame(frame)
            return
        what = {"black-frames": "black", "torn-frame": "torn"}[kind]
        for _ in range(3 if what == "black" else 1):
            self.umpire.frame(self.camera.shoot(replace(self.moment, spoilt=what)))


def _new(before: Layout, after: Layout) -> list[Any]:
    known = set(before.placements())
    return [p for p in after.placements() if p not in known and hasattr(p, "tile")]


# --- filmed games --------------------------------------------------------------------------------


def filmed_game(
    game_name: str,
    split: Any,
    seed: int,
    make_reader: Callable[[AnyGame], Reader],
    size_px: tuple[int, int] = (1280, 720),
) -> Counts:
    """Play one whole game in pictures of the scene maker; return what was counted."""  # fmt: skip
    from engine.record import parse_move
    from models.scenes.sequence import film

    made = film(seed, split, game_name, size_px=size_px)
    game = game_named(game_name)
    box = find_set(game, None)
    players = made.script.players
    truth = [
        parse_move(game, box, players, move, "truth") for move in made.script.record["moves"]
    ]  # fmt: skip
    record = Record(game, box, Start(players))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        events: list[Json] = []
        reader = make_reader(game)
        umpire = Umpire(record, truth, lambda m: LiveLoop(m, reader, events.append), store,
                        f"{game_name}/{split}/{seed}")  # fmt: skip
        umpire.events = events
        for step in _film_steps(made):
            if isinstance(step, Frame):
                umpire.frame(step)
            elif step["event"] == "told":
                umpire.told(truth[step["n"]], step["t"])
            elif step["event"] == "move":
                umpire.check_moves(1, step["beside"], step["t"])
            elif step["event"] == "foul":
                umpire.check_foul(step["rules"], step["beside"], step["t"])
            elif step["event"] == "taken-back":
                umpire.check_taken_back(step["beside"])
        umpire.finish()
        return umpire.counts


def _film_steps(made: Any) -> Iterator[Step]:
    """Yield frames, and each event just before the next hand comes."""
    told = 0
    waiting: list[Json] = []
    beside = "none"
    for shot in made.frames():
        if shot.hand and waiting:
            yield from waiting
            waiting = []
        for event in made.events[told:]:
            what = event["event"]
            if what == "told":
                yield from waiting
                waiting = []
                yield event
            elif what in ("move", "foul", "taken-back"):
                yield from waiting
                waiting = [{**event, "beside": beside}]
                beside = "none"
            else:
                beside = what
        told = len(made.events)
        yield Frame(shot.bgr, shot.t)
    yield from waiting


# --- the report ----------------------------------------------------------------------------------


def interval(right: int, of: int) -> tuple[float, float]:
    """Return the 95 % interval of a share, after Wilson."""
    if not of:
        return 0.0, 1.0
    z, share = 1.96, right / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    reach = z * sqrt(share * (1 - share) / of + z * z / (4 * of * of)) / (1 + z * z / of)
    return max(0.0, middle - reach), min(1.0, middle + reach)


def report(counts: Counts) -> list[str]:
    """Return the figures in lines."""
    numbers = counts.numbers
    lines = []
    for name, right, of in (
        ("moves right and in order", "moves right", "moves"),
        ("fouls caught", "fouls caught", "fouls"),
        ("fouls with exactly the right rules", "fouls with the right rules", "fouls"),
        ("false accusations", "false accusations", "moves"),
        ("scores right after a move", "scores right", "scores"),
        ("questions (rolls and hands not counted)", "questions", "moves"),
        ("verdicts within 0.5 s", "verdicts in time", "verdicts timed"),
        ("games without an error", "games without an error", "games"),
    ):
        low, high = interval(numbers[right], numbers[of])
        lines.append(f"{name}: {numbers[right]} of {numbers[of]} ({low:.2%} to {high:.2%})")
    for name, split in sorted(counts.by_disturbance.items()):
        lines.append(
            f"  {name}: moves {split['moves right']} of {split['moves']}, "
            f"fouls {split['fouls caught']} of {split['fouls']}, "
            f"accusations {split['false accusations']}, questions {split['questions']}"
        )
    fouls = {k[5:]: n for k, n in sorted(numbers.items()) if k.startswith("foul ")}
    lines.append(f"  fouls by rule: {fouls}")
    return lines


def main(arguments: list[str] | None = None) -> int:
    """Play the games that are missing, then print the figures of all."""
    parser = argparse.ArgumentParser(description="Evaluate the live referee on whole games.")
    parser.add_argument("--games", type=int, default=12, help="how many of each game")
    parser.add_argument("--only", choices=GAMES, action="append", help="only this game")
    parser.add_argument("--way", choices=("scripted", "film"), default="scripted")
    parser.add_argument("--out", default="build/evaluate/live", help="where results are kept")
    parser.add_argument("--part", default="1/1", help="k/n: only every nth game, from the kth")
    chosen = parser.parse_args(arguments)
    folder = Path(chosen.out) / chosen.way
    folder.mkdir(parents=True, exist_ok=True)
    part, parts = (int(text) for text in chosen.part.split("/"))
    total = Counts()
    for game in chosen.only or GAMES:
        counts = Counts()
        for seed in range(chosen.games):
            file = folder / f"{game}-{seed}.json"
            if not file.exists() and seed % parts == part - 1:
                file.write_text(json.dumps(_played(chosen.way, game, seed).to_json()))
            if file.exists():
                counts.take_in(json.loads(file.read_text()))
        _print(f"{game} ({chosen.way})", counts)
        total.take_in(counts.to_json())
    _print(f"all games ({chosen.way})", total)
    return 0


def _played(way: str, game: str, seed: int) -> Counts:
    # Half of the seeds are held out: they are on the side that nothing was ever tuned on.
    split = ("train", "held-out")[seed % 2]
    if way == "scripted":
        return scripted_game(game, split, seed // 2 * 2 + seed % 2)
    return filmed_game(game, split, seed, _real_reader)


def _real_reader(game: AnyGame) -> Reader:
    from companion_app.live.reading import make_reader

    return make_reader(game, find_set(game, None))


def _print(title: str, counts: Counts) -> None:
    sys.stdout.write(title + "\n")
    for line in report(counts):
        sys.stdout.write(f"  {line}\n")
    for mistake in counts.mistakes[:10]:
        sys.stdout.write(f"  mistake: {mistake}\n")
    sys.stdout.flush()


__all__ = ["Counts", "Mapping", "filmed_game", "interval", "report", "scripted_game"]

if __name__ == "__main__":
    sys.exit(main())
