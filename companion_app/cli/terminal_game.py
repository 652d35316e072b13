"""A game in the terminal: one person against the machine in every other seat."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable
from typing import TextIO

from companion_app.answers import print_line
from companion_app.cli.record_commands import ENGLISH
from engine import play as player
from engine.errors import RecordError
from engine.game import AnyGame, Json, Move, Start
from engine.given import load_json
from engine.notation import write_layout
from engine.play.dealing import Dealer
from engine.record import Record, move_to_json, parse_move, record_to_json
from engine.tiles import TileSet

SHOWN = 30
"""The largest number of moves listed at once; words after ? filter the list."""
HELP = (
    "Type the number of a move, ? to list them (? straight lists those with that word), the move "
    "itself as a record has it, h for a hint, q to stop."
)


class TerminalGame:
    """A game loop that asks one person, computes the others' moves, and deals and rolls for all."""

    def __init__(
        self,
        game: AnyGame,
        start: Start,
        box: TileSet,
        seat: str,
        budget: player.Budget,
        level: int,
        rng: random.Random,
    ) -> None:
        self.game, self.start, self.box = game, start, box
        self.seat, self.budget, self.level = seat, budget, level
        self._rng = rng
        self.dealer = Dealer(game, start, box, rng)

    def play(self, given: TextIO) -> None:
        """Play until the game is over, the person quits, or the input ends."""
        print_line(HELP)
        while not self.dealer.is_over:
            roll = self.dealer.turn_up()
            if roll is not None:
                drawn = ", ".join(ENGLISH.tile(tile) for tile in roll.tiles or ())
                print_line(f"{roll.player} rolls {roll.value} and draws {drawn}.")
                continue
            is_mine = self.dealer.position.to_move == self.seat
            move = self._asked(given) if is_mine else self._thought()
            if move is None:
                return
            self.dealer.make(move)
            if move.player != self.seat:
                print_line(f"{self._words(move)}  {_places(move)}")
        self._tell_the_end()

    def record_json(self) -> Json:
        """Return the game as a record."""
        moves = tuple(self.dealer.moves_made)
        return record_to_json(Record(self.game, self.box, self.start, moves))

    def _thought(self) -> Move | None:
        dealer = self.dealer
        thought = player.think(
            self.game,
            dealer.position,
            dealer.seat(),
            self.budget,
            self.level,
            self._rng.getrandbits(30),
        )
        return thought.best

    def _asked(self, given: TextIO) -> Move | None:
        """Return the person's move; ``None`` when the person quits or the input ends."""
        legal = self.dealer.legal_moves()
        if len(legal) == 1:
            print_line(f"You: {self._words(legal[0])} (nothing else is possible)")
            return legal[0]
        self._tell_the_position()
        for line in iter(given.readline, ""):
            text = line.strip()
            if text in ("q", "quit"):
                return None
            if text in ("h", "hint"):
                self._hint()
            elif text.startswith("?"):
                self._list(legal, text[1:].split())
            else:
                move = self._read(text, legal)
                if move is not None:
                    return move
        return None

    def _read(self, text: str, legal: list[Move]) -> Move | None:
        if text.isascii() and text.isdigit():
            number = int(text) if len(text) <= len(str(len(legal))) else 0
            if 1 <= number <= len(legal):
                return legal[number - 1]
            print_line(f"Moves have numbers from 1 to {len(legal)}.")
            return None
        try:
            value = load_json(text)
            if isinstance(value, dict):
                value = {"player": self.seat, **value}
            move = parse_move(self.game, self.box, self.start.players, value, "move")
        except RecordError as error:
            print_line(f"{error}. {HELP}")
            return None
        verdict = self.game.judge(self.dealer.position, move)
        if move in legal:
            return move
        for violation in verdict.violations:
            print_line(violation.text)
        if verdict.legal:
            print_line("You do not hold that.")
        return None

    def _list(self, legal: list[Move], words: Iterable[str]) -> None:
        wanted = [word.lower() for word in words]
        listed = [
            (number, move)
            for number, move in enumerate(legal, start=1)
            if all(word in f"{self._words(move)} {move_to_json(move)}".lower() for word in wanted)
        ]
        for number, move in listed[:SHOWN]:
            print_line(f"{number:4d}  {self._words(move)}  {_places(move)}")
        if len(listed) > SHOWN:
            print_line(f"and {len(listed) - SHOWN} more; ? with a word chooses among them")

    def _hint(self) -> None:
        dealer = self.dealer
        thought = player.think(self.game, dealer.position, dealer.seat(), self.budget)
        for idea in thought.ideas[:3]:
            print_line(f"{idea.value:5.0%}  {self._words(idea.move)}  {_places(idea.move)}")

    def _tell_the_position(self) -> None:
        position = self.dealer.position
        print_line(write_layout(self.game.layout(position)))
        scores = self.game.outcome(position).scores
        print_line(", ".join(f"{who}: {points}" for who, points in scores.items()))
        hand = self.dealer.hand(self.seat)
        if hand:
            print_line("Your hand: " + ", ".join(ENGLISH.tile(tile) for tile in hand))
        print_line(f"{self.seat}, your move:")

    def _tell_the_end(self) -> None:
        outcome = self.game.outcome(self.dealer.position)
        print_line(", ".join(f"{who}: {points}" for who, points in outcome.scores.items()))
        won = " and ".join(outcome.winners)
        print_line(f"Over. Won by {won}." if won else "Over. Nobody has won.")

    def _words(self, move: Move) -> str:
        return ENGLISH.move(move, self.game.facts.coloured_moves)


def _places(move: Move) -> str:
    """Return a move's JSON without its player and action; empty where nothing is left."""
    said = {key: value for key, value in move_to_json(move).items() if key not in ("player", "do")}
    return json.dumps(said) if said else ""
