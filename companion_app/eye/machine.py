"""The machine's seats at this table: asks for a move on their turn, and for what that needs.

The move search runs in another process, for whose answer a thread here waits. Every move that
comes back is judged by the rule book before it is shown. If no answer comes, people play for the
machine.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from msgspec import structs

from companion_app.eye.desk import Desk
from companion_app.games.entries import Names, OpenHand
from companion_app.line.standing import MachineWish
from companion_app.live.errors import LiveError, ToldError
from companion_app.live.machine import LEVELS, NAME, SILENT, MachineTurn, hand_of, must_draw
from companion_app.live.match import Match
from companion_app.live.referee import Referee
from companion_app.refusal import Refusal
from companion_app.seat.player import Player
from engine.carnival.position import CarnivalPosition
from engine.errors import RecordError
from engine.game import Json, Move
from engine.play.worlds import check_told, needed
from engine.record import move_to_json, record_to_json

log = logging.getLogger(__name__)
LOOK_S = 1.0
AGAIN_S = 5.0
"""Seconds before a retry after a request that failed."""
MOST_TILES = 20


@dataclass(frozen=True, slots=True)
class Task:
    """A request to the process that thinks for the machine."""

    what: str
    position: Any
    body: Mapping[str, Any]


class MachineSeats:
    """Watches whose turn it is, and asks for a move when it is the machine's."""

    def __init__(self, desk: Desk, player: Player) -> None:
        self._desk, self._player = desk, player
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None
        self._ahead: Any = None
        """The last position that was sent for pondering on people's time."""
        self._failed: tuple[Any, float] | None = None
        """The last position for which no move came, and when."""

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._watch, name="machine", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop the thread."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(2)

    def _watch(self) -> None:
        listener = self._desk.hub.listen(None)
        try:
            while not self._stopped.is_set():
                listener.take(LOOK_S)
                try:
                    self.look()
                except Exception:  # the top of the thread: the game goes on without the machine
                    log.exception("the machine's seat failed")
                    self._stopped.wait(AGAIN_S)
        finally:
            self._desk.hub.leave(listener)

    # --- whose turn it is ------------------------------------------------------------------

    def look(self) -> None:
        """Send the request that is due, if any, and apply its answer."""
        task = self._desk.do(self._due)
        if task is None:
            return
        try:
            said = self._player.ask(task.what, task.body, wanted=lambda: self._is_due(task))
        except Refusal as error:
            log.warning("the machine has no answer: %s", error)
            said = None
        if task.what == "move":
            self._desk.do(lambda: self._take(task, said))

    def _is_due(self, task: Task) -> bool:
        match = self._desk.match
        return not self._stopped.is_set() and match is not None and match.position is task.position

    def _due(self) -> Task | None:
        referee, machine = self._desk.referee, self._desk.machine
        if referee is None or referee.match.ended or not machine.seats:
            return None
        match = referee.match
        position, player = match.position, match.position.to_move
        if match.game.outcome(position).over:
            return None
        if player not in machine.seats:
            return self._ahead_of_people(match)
        known = referee.doubts.machine
        if known is not None and known.position is position and known.move is not None:
            return None
        if self._has_failed(position) or self._needs(match, player) is not None:
            return None
        referee.wants(MachineTurn(player, position))
        if known is None:
            self._desk.say("machine")
        return Task("move", position, self._wanted_of(match, player))

    def _ahead_of_people(self, match: Match) -> Task | None:
        if self._ahead is match.position:
            return None
        self._ahead = match.position
        body = self._question(match) | {"machine": dict(self._desk.machine.seats)}
        return Task("ponder", match.position, body)

    def _wanted_of(self, match: Match, player: str) -> dict[str, Json]:
        """Return the question for a seat's move."""
        return self._question(match) | {"level": self._desk.machine.seats[player]}

    def _question(self, match: Match) -> dict[str, Json]:
        hands = {who: list(held) for who, held in self._hands(match).items()}
        return {"record": record_to_json(match.record()), "hands": hands}

    def _hands(self, match: Match) -> dict[str, tuple[str, ...]]:
        """Return the machine's hands that lie open, by seat."""
        machine = self._desk.machine
        told = {who: hand_of(machine, who, match.now) for who in machine.seats}
        return {who: held for who, held in told.items() if held is not None}

    def _has_failed(self, position: Any) -> bool:
        return (
            self._failed is not None
            and self._failed[0] is position
            and (time.monotonic() - self._failed[1] < AGAIN_S)
        )

    def _needs(self, match: Match, player: str) -> str | None:
        """Return what people must do for a seat: ``roll``, ``draw`` or ``hand``, else ``None``."""
        if isinstance(match.position, CarnivalPosition):
            hands = self._hands(match)
            if player not in hands or _why_not(match.position, hands) is not None:
                return "hand"
            ends = match.position.last_round is not None
            return "draw" if must_draw(self._desk.machine, player, match.now) and not ends else None
        if player != match.position.to_move:
            return None
        return needed(match.game, match.position)

    # --- what came of it -------------------------------------------------------------------

    def _take(self, task: Task, said: Any) -> None:
        referee, seats = self._desk.referee, self._desk.machine.seats
        if referee is None or referee.match.ended or referee.match.position is not task.position:
            return
        player = referee.match.position.to_move
        if player not in seats or task.body != self._wanted_of(referee.match, player):
            # Its seat, level or hand was changed while it thought: it is asked again.
            return
        move = _first_legal(referee.match, said)
        if move is None:
            self._give_up(referee, task)
        elif move.do in SILENT:
            self._make(referee, move, task)
        else:
            referee.wants(MachineTurn(player, task.position, move))
            self._desk.say("machine", player=player, belongs=move_to_json(move))

    def _make(self, referee: Referee, move: Move, task: Task) -> None:
        referee.wants(None)
        try:
            self._desk.tell({"move": move_to_json(move)})
        except LiveError as error:
            log.error("the machine's move cannot be kept: %s", error)
            self._give_up(referee, task)

    def _give_up(self, referee: Referee, task: Task) -> None:
        """Let people play for the machine until a later request succeeds."""
        self._failed = task.position, time.monotonic()
        referee.wants(None)
        self._desk.say("machine")

    # --- how it stands ---------------------------------------------------------------------

    def wish(self) -> MachineWish | None:
        """Return what the machine wants, asked by the desk; ``None`` where nothing is due."""
        referee, machine = self._desk.referee, self._desk.machine
        if referee is None or not machine.seats:
            return None
        match = referee.match
        if match.ended or match.game.outcome(match.position).over:
            return None
        player = match.position.to_move
        if player not in machine.seats:
            # A hand is refilled while others play.
            player = next((one for one in machine.seats if self._needs(match, one)), "")
        if not player:
            return None
        wish = MachineWish(player, machine.seats[player])
        turn, other = referee.doubts.machine, referee.doubts.otherwise
        if other is not None:
            wish = structs.replace(wish, laid=move_to_json(other.row.moves[0]))
        if turn is not None and turn.player == player and turn.position is match.position:
            move = move_to_json(turn.move) if turn.move else None
            return structs.replace(wish, thinking=move is None, move=move)
        needs = self._needs(match, player)
        if needs is None and self._has_failed(match.position):
            needs = "people"
        return structs.replace(wish, thinking=needs is None, needs=needs)

    # --- what people say to it -------------------------------------------------------------

    def sit(self, player: str, level: int | None) -> None:
        """Give the machine a seat at a level, or free the seat if the level is ``None``.

        Raises:
            ToldError: there is no such seat or level.
        """
        desk, match = self._desk, self._match()
        if player not in match.start.players:
            raise ToldError("that is no player of the game")
        if level is not None and level not in LEVELS:
            raise ToldError("a level is a number from 1 to 5")
        seats = {who: one for who, one in desk.machine.seats.items() if who != player}
        names = dict(match.now.names)
        if level is not None:
            seats[player] = level
            names[player] = NAME
        elif names.get(player) == NAME:
            del names[player]
        if names != match.now.names:
            match.note(Names(names))
        self._failed = None
        referee = desk.referee
        if referee is not None and referee.doubts.machine is not None:
            # The current move may be wrong for the new seats and levels.
            referee.wants(None)
        desk.agree(structs.replace(desk.machine, seats=seats))

    def mute(self, on: bool) -> None:
        """Mute or unmute the machine."""
        self._match()
        self._desk.agree(structs.replace(self._desk.machine, muted=on))

    def show_hand(self, player: str, tiles: Iterable[str]) -> None:
        """Set the open hand of one of the machine's seats; a move chosen before is forgotten.

        Raises:
            ToldError: nobody can hold these tiles, or the seat is not the machine's.
        """
        match, machine, held = self._match(), self._desk.machine, tuple(tiles)
        if player not in machine.seats:
            raise ToldError("that seat is not the machine's")
        if len(held) > MOST_TILES or not all(tile in match.box for tile in held):
            raise ToldError("there is no such tile in the box")
        if isinstance(match.position, CarnivalPosition):
            problem = _why_not(match.position, self._hands(match) | {player: held})
            if problem is not None:
                raise ToldError(f"the hand {problem}")
        referee = self._desk.referee
        turn = referee.doubts.machine if referee is not None else None
        if referee is not None and turn is not None and turn.player == player:
            referee.wants(None)
        told = OpenHand(held, len(match.accepted), match.seq)
        self._desk.agree(structs.replace(machine, hands={**machine.hands, player: told}))

    def draw(self, tiles: Iterable[str]) -> None:
        """Set the cards drawn for the machine, of a roll of which only the number is known.

        The last card of somebody else's roll may be the machine's to lay.

        Raises:
            ToldError: the cards cannot have been drawn.
        """
        match = self._match()
        if (
            match.position.to_move not in self._desk.machine.seats
            or needed(match.game, match.position) != "draw"
        ):
            raise ToldError("nobody has drawn for the machine")
        moves = [one.move for one in match.accepted]
        n = max(number for number, move in enumerate(moves, start=1) if move.do == "roll")
        laid = [move.tile for move in moves[n:] if move.tile is not None]
        drawn = [*laid, *tiles]
        try:
            roll = match.parsed({**move_to_json(moves[n - 1]), "tiles": drawn}, "draw")
        except RecordError as error:
            raise ToldError(str(error)) from error
        broken = match.game.judge(match.positions[n - 1], roll).violations
        if broken:
            raise ToldError(" ".join(one.text for one in broken), "against-rules")
        self._desk.tell({"correct": n, "move": {"tiles": drawn}})

    def take_hint(self, player: str, most: int) -> int:
        """Count a hint; return how many are left.

        Raises:
            Refusal: hints are off, or used up.
        """
        machine, match = self._desk.machine, self._match()
        if player not in match.start.players or player in machine.seats:
            raise Refusal(code="not-your-seat", status=403)
        had = machine.hints.get(player, 0)
        if had >= most:
            raise Refusal(code="no-hints-left" if most else "hints-off", status=409)
        self._desk.agree(structs.replace(machine, hints={**machine.hints, player: had + 1}))
        return most - had - 1

    def _match(self) -> Match:
        match = self._desk.match
        if match is None:
            raise ToldError("there is no game yet")
        return match


def _first_legal(match: Match, said: Any) -> Move | None:
    """Return the first move of an answer that is legal; ``None`` if there is none."""
    listed = said.get("moves") if isinstance(said, dict) else None
    for one in listed if isinstance(listed, list) else ():
        try:
            move = match.parsed(one["move"], "move")
            if move.player == match.position.to_move and (
                match.game.judge(match.position, move).legal
            ):
                return move
        except (RecordError, KeyError, TypeError):
            continue
        log.error("the machine wants what the rules forbid: %s", one)
    return None


def _why_not(position: CarnivalPosition, hands: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return why nobody can hold these hands; ``None`` if they can be held."""
    try:
        check_told(position, hands)
    except RecordError as error:
        return error.problem
    return None
