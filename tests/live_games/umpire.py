"""The umpire: plays the people around the table, and holds the referee to the truth."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import cv2

from companion_app.live.errors import ToldError
from companion_app.live.loop import LiveLoop
from companion_app.live.match import Match
from companion_app.live.places import contents
from companion_app.live.questions import is_half_hidden
from companion_app.live.store import Store
from engine.game import Move
from engine.placement import Layout, Piece, Placement
from engine.record import Record, layout_to_json, move_to_json
from models.lab.scenes.games.positions import Played
from tests.live_games.counts import (
    ASKED,
    DELAY,
    FOUL,
    MOST_IN_A_MINUTE,
    VERDICT_WITHIN_S,
    Counts,
    most_in_a_minute,
)
from tests.live_games.sameness import same_moves, turnings
from vision.core.types import Frame

Json = dict[str, Any]
NOT_COUNTED = ("roll", "hand")
"""Questions that no camera could answer."""
MakeLoop = Callable[[Match, Callable[[Json], None]], LiveLoop]


class Umpire:
    """Shows the referee frames, tells and answers what people would, and checks what it says."""

    def __init__(
        self,
        record: Record,
        one: Played,
        make_loop: MakeLoop,
        store: Store,
        where: str,
        first: int = 0,
        shots: Path | None = None,
    ) -> None:
        self.counts = Counts()
        self._shots = shots
        self._shown: Frame | None = None
        self.one = one
        self.match = Match.begin(store, record)
        self.events: list[Json] = []
        self.fouling = False
        """Whether the tile that was laid last is a foul."""
        self.lying = one.layouts[first]
        """What really lies on the table."""
        self.done = first
        """How many moves of the game have been made."""
        self.lying_moves: float = inf
        """While moves are taken back: how many of the game's moves still lie on the table."""
        self._moves = list(one.moves)
        """The truth; moves of one turn that may be made in any order in that of the referee."""
        self._first = first
        self._kept = 0
        """How many accepted moves of a game taken up in its middle are left out of account."""
        self._astray = False
        self.since_s = float("-inf")
        """When the hand came whose verdict is timed: an older one is about an earlier hand."""
        self._make_loop = make_loop
        self._seen = 0
        self._where = where
        self.loop = self._started()

    def _started(self) -> LiveLoop:
        loop = self._make_loop(self.match, self.events.append)
        loop.start(0.0)
        return loop

    # --- people ----------------------------------------------------------------------------

    def frame(self, frame: Frame) -> None:
        """Show one frame, then answer whatever was asked."""
        self._shown = frame
        before = self._doubts()
        self.loop.see(frame)
        if self._doubts() - before:
            self._keep_shot("a question", self.events[-6:])
        self.answer(frame.taken_at_s)

    def _doubts(self) -> set[int]:
        """Return the numbers of open questions, but for those that only a player can answer."""
        listed = self.loop.referee.doubts.questions.values()
        return {question.id for question in listed if question.about not in NOT_COUNTED}

    def answer(self, t: float) -> None:
        """Answer the questions that wait, by the truth."""
        for question in list(self.loop.referee.doubts.questions.values()):
            value = self._true_answer(question.about, question)
            if value is not None:
                try:
                    self.loop.tell({"answer": question.id, "value": value}, t)
                except ToldError as error:
                    self.mistake(f"answer about {question.about}: {error}")

    def told(self, move: Move, t: float) -> None:
        """Say aloud what leaves no trace on the table."""
        self.done += 1
        if len(self._accepted) >= self.done - self._first:
            return
        written = move_to_json(move)
        message: Json = {"move": written}
        if move.do == "roll":
            message = {"roll": move.value, "tiles": written.get("tiles")}
        try:
            self.loop.tell(message, t)
        except ToldError as error:
            self.mistake(f"told {written}: {error}")

    def skip_to(self, number: int) -> None:
        """Let so many moves be accepted already, as if the game had been left and taken up."""
        self.match.accept(self._moves[:number])
        self.done, self.lying = number, self.one.layouts[number]
        self.killed()

    def killed(self) -> None:
        """Start again from the log alone, as after a kill."""
        self.match = Match.resume(self.match.store, self.match.key)
        self.loop = self._started()

    @property
    def behind(self) -> bool:
        """Whether the referee has not yet accepted all that was done."""
        return len(self._accepted) < self.done - self._first

    @property
    def asks_for_room(self) -> bool:
        """Whether the referee has asked about a tile that lies half under something."""
        return any(map(is_half_hidden, self.loop.referee.doubts.questions.values()))

    @property
    def wrong_light(self) -> str | None:
        """``too-bright`` or ``too-dark`` if the page says so."""
        why = self.loop.why
        return why.what if why and why.what in ("too-bright", "too-dark") else None

    def _true_answer(self, about: str, question: Any) -> Any:
        if about == "roll" or is_half_hidden(question) or "discard" in question.choices:
            # Rolls and discards are said aloud, and the cup over a tile is taken away.
            return None
        if about == "hand":
            choices = list(question.choices)
            return choices[-1] if self.fouling else choices[0]
        if about == "next":
            # A game is joined once; after that, people put the table right.
            joining = self._first and not self.match.start.midgame
            return self.one.positions[self.done].to_move if joining else None
        if isinstance(question.key, tuple) and question.key[0] == "order":
            return self._true_order(question)
        return None if question.spot is None else self._true_tile(question)

    def _true_order(self, question: Any) -> Any:
        known = self._accepted
        if len(known) > self.lying_moves - self._first and "taken-back" in question.guesses:
            return len(question.guesses) - 1
        for number, guess in enumerate(question.guesses):
            row = question.choices.get(str(number))
            if guess != "taken-back" and row is not None:
                moves = [*known, *row.moves]
                true = self._moves[self._first : self._first + len(moves)]
                if same_moves(moves, true, self.match.box, self._boards):
                    return number
        return "taken-back" if "taken-back" in question.guesses else 0

    def _true_tile(self, question: Any) -> Any:
        """Return what lies in a spot of the referee's own lattice."""
        got = self._accepted
        true = self._moves[self._first : self._first + len(got)]
        for turning in turnings(true, got, self.match.box, self._boards):
            if [turning(move) for move in true] == got:
                there = contents(_turned(self.lying, turning)).get(question.spot)
                if there is not None:
                    return {"tile": there[0], "turns": there[1]}
        names = {p.tile for p in self.lying.placements() if isinstance(p, Placement | Piece)}
        return next((guess[0] for guess in question.guesses if guess[0] in names), "none")

    # --- checking --------------------------------------------------------------------------

    def begin_act(self) -> None:
        """Hold a game that went astray to the truth again, from here on."""
        self.since_s = float("-inf")
        if self._astray:
            self._kept, self._astray = len(self.match.accepted), False

    @property
    def _accepted(self) -> list[Move]:
        return [accepted.move for accepted in self.match.accepted][self._kept :]

    def check_moves(self, number: int, disturbance: str, left_s: list[float]) -> None:
        """Hold what was accepted to the truth, after a legal visit of so many moves."""
        self.done += number
        new = self._new(disturbance)
        self.counts.add("moves", disturbance, number)
        accused = [e for e in new if e["event"] == "verdict" and e["legal"] is False]
        if accused:
            self.counts.add("false accusations", disturbance)
            rules = [v["rule"] for v in accused[0]["violations"]]
            self.mistake(f"{disturbance}: accused {accused[0]['move']} {rules}")
        self._reorder(number)
        wanted = self._moves[self._first : self.done]
        got = self._accepted[: len(wanted)]
        right = same_moves(got, wanted, self.match.box, self._boards)
        if right:
            self.counts.add("moves right", disturbance, number)
        else:
            tail = [move_to_json(m) for m in got[len(wanted) - number :]]
            said = f"after {self.done - number} moves; {_last_words(new)}"
            self.mistake(f"{disturbance}: wanted {move_to_json(wanted[-1])}, got {tail} {said}")
            self._put_right(wanted)
        self._check_score(disturbance)
        if right:
            self._time(new, disturbance, left_s)

    def _reorder(self, number: int) -> None:
        """Take the last moves of the truth in the referee's order where that leads to the same."""
        got = self._accepted[: self.done - self._first]
        true = self._moves[self.done - number : self.done]
        last = got[len(got) - number :]
        if len({move.player for move in true}) == 1 and set(last) == set(true):
            self._moves[self.done - number : self.done] = last

    def check_foul(self, rules: tuple[str, ...], disturbance: str, left_s: list[float]) -> None:
        """Hold an illegal visit to be called one."""
        new = self._new(disturbance)
        self.counts.add("fouls", disturbance)
        calls = [e for e in new if e["event"] == "verdict" and e["legal"] is False]
        if calls:
            self.counts.add("fouls caught", disturbance)
            if {v["rule"] for v in calls[-1]["violations"]} == set(rules):
                self.counts.add("fouls with the right rules", disturbance)
            self._time(new, disturbance, left_s)
        else:
            self.mistake(f"{disturbance}: foul {rules} missed; {_last_words(new)}")
            if any(e["event"] == "verdict" for e in new):
                self.counts.add("fouls excused", disturbance)
        for rule in rules:
            self.counts.add(FOUL + rule)

    def check_as_before(self, disturbance: str) -> None:
        """Hold the referee to the position before a foul that was lifted."""
        new = self._new(disturbance)
        accepted = len(self._accepted)
        if self.loop.referee.doubts.pending is not None or accepted < self.done - self._first:
            self.mistake(f"{disturbance}: not as before; {_last_words(new)}")
        elif accepted > self.done - self._first and not self._ahead():
            self.mistake(f"{disturbance}: {accepted} moves, not as before; {_last_words(new)}")
            self._put_right(self._moves[self._first : self.done])

    def check_joined(self) -> None:
        """Hold the referee to having asked who is next, and nothing else."""
        new = self._new("joined")
        if not self.match.start.midgame:
            self.mistake(f"joined: the game was not taken up; {_last_words(new)}")

    def finish(self) -> None:
        """Close the books on a game."""
        asked_s = [
            event["t"]
            for event in self.events
            if event["event"] == "question" and event["about"] not in NOT_COUNTED
        ]
        self.counts.numbers[MOST_IN_A_MINUTE] = most_in_a_minute(asked_s)
        self.counts.add("games")
        if not self.counts.mistakes:
            self.counts.add("games without an error")

    def mistake(self, text: str) -> None:
        """Write down what went wrong."""
        self.counts.mistakes.append(f"{self._where}: {text}")
        self._keep_shot(text, self.events[-12:])

    def _keep_shot(self, text: str, events: list[Json]) -> None:
        """Keep the picture beside what was said of it, where somebody wants to look at it."""
        if self._shots is None or self._shown is None:
            return
        self._shots.mkdir(parents=True, exist_ok=True)
        name = f"{self._where.replace('/', '-')}-{self._shown.taken_at_s:06.1f}"
        cv2.imwrite(str(self._shots / f"{name}.jpg"), self._shown.bgr)
        lying = layout_to_json(self.lying)
        said = json.dumps({"text": text, "events": events, "lying": lying}) + "\n"
        with (self._shots / f"{name}.json").open("a") as file:
            file.write(said)

    def _ahead(self) -> bool:
        """Say whether what was accepted beyond the truth are its next moves: passes, say."""
        got = self._accepted
        true = self._moves[self._first : self._first + len(got)]
        return same_moves(got, true, self.match.box, self._boards)

    @property
    def _boards(self) -> int:
        return int(getattr(getattr(self.match.position, "agreed", None), "boards", 1))

    def _new(self, disturbance: str) -> list[Json]:
        """Return the events since the last check, with their questions counted."""
        new = self.events[self._seen :]
        self._seen = len(self.events)
        for event in new:
            if event["event"] == "question":
                told = event["about"] in NOT_COUNTED
                asked = "rolls and hands asked" if told else "questions"
                self.counts.add(asked, disturbance)
                self.counts.add(ASKED + event["about"], disturbance)
        return new

    def _put_right(self, wanted: list[Move]) -> None:
        """Bring the match back to the truth, so that one mistake is counted once."""
        if self._first:
            # A game taken up in its middle may lie turned: nobody can lay the truth over it.
            self._first, self._astray = self.done, True
            return
        if self.match.accepted:
            self.match.take_back(len(self.match.accepted))
        self.match.accept(wanted)
        self.loop = self._started()

    def _check_score(self, disturbance: str) -> None:
        game = self.match.game
        truth = game.outcome(self.one.positions[self.done]).scores
        self.counts.add("scores", disturbance)
        if truth == game.outcome(self.match.position).scores or self._joined_tokens():
            self.counts.add("scores right", disturbance)
        else:
            self.mistake(
                f"{disturbance}: scores {game.outcome(self.match.position).scores}, but {truth}"
            )

    def _joined_tokens(self) -> bool:
        """Say whether points were won before the game was taken up: nobody can see those."""
        return bool(self._first) and self.match.game.facts.name == "carnival"

    def _time(self, new: list[Json], disturbance: str, left_s: list[float]) -> None:
        """Count how long after the table was left, or after the frames that failed, a verdict came.

        The last such moment before the verdict counts; one before all of them came too early.
        """
        verdicts = [e["t"] for e in new if e["event"] == "verdict"]
        if verdicts and verdicts[-1] < self.since_s:
            # Taken back and laid again, and neither was noticed.
            self.counts.add("verdicts timed", disturbance)
            self.counts.add(f"{DELAY}none")
        elif verdicts:
            before = [left for left in left_s if left <= verdicts[-1] + 1e-6] or left_s
            delay = verdicts[-1] - before[-1]
            self.counts.add("verdicts timed", disturbance)
            self.counts.add(f"{DELAY}{min(round(delay, 1), 9.9):.1f}")
            if delay < -1e-6:
                self.counts.add("verdicts too early", disturbance)
            elif delay <= VERDICT_WITHIN_S + 1e-6:
                self.counts.add("verdicts in time", disturbance)


def _turned(layout: Layout, turning: Callable[[Move], Move]) -> Layout:
    """Return a layout as a way to turn moves turns it."""
    placed: list[Placement | Piece] = []
    for card in layout.cards:
        move = turning(Move("", "place", card.tile, card.at, card.turns))
        placed.append(Placement(card.tile, move.at or card.at, move.turns or 0, card.field))
    for piece in layout.pieces:
        move = turning(Move("", "place", piece.tile, cells=piece.cells, board=piece.board))
        placed.append(Piece(piece.tile, move.cells or piece.cells, move.board))
    return Layout.of(*placed)


def _last_words(events: list[Json]) -> str:
    return "; ".join(
        f"{e['t']} {e['event']} {e.get('state', e.get('about', e.get('legal', '')))}"
        for e in events[-8:]
    )
