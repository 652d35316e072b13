"""Undoes players' messages: an answer or a correction, with everything that it led to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from companion_app.live.keeping import Keeper
from companion_app.live.match import Accepted
from companion_app.live.referee_state import Before, Deed, RefereeState


class Undoing:
    """The undo stack of players' messages."""

    def __init__(self, state: RefereeState, keeper: Keeper) -> None:
        self._state, self._match, self._keeper = state, state.match, keeper

    @property
    def can_undo_told(self) -> bool:
        """Whether the last player's message can be undone: nothing but its effects came after."""
        now = self._match.start, tuple(self._match.accepted)
        while self._state.deeds and not self._stands(self._state.deeds[-1]):
            self._state.deeds.pop()
        return (
            bool(self._state.deeds)
            and (self._state.deeds[-1].start, self._state.deeds[-1].accepted) == now
        )

    def undo_told(self, t: float) -> bool:
        """Undo the last player's message and its effects; return whether there was one."""
        if not self.can_undo_told:
            return False
        before = self._state.deeds[-1].before
        if self._state.pending is not None and self._state.pending != before.state["pending"]:
            self._keeper.take_foul_back(t)
        count = _common(before.match.accepted, self._match.accepted)
        last = len(self._match.accepted)
        self._match.go_back(before.match, t)
        self._state.deeds.pop()
        for n in range(last, count, -1):
            self._state.say("taken-back", t, n=n)
        for n, one in enumerate(self._match.accepted[count:], start=count + 1):
            self._state.say_verdict(n, one, t)
        self._state.put_back(before)
        turn = self._state.machine
        if turn is not None and turn.position is not self._match.position:
            self._state.wants(None)
        self._state.withdraw_all(t)
        if before.question is not None:
            self._state.put(before.question, t)
        self._state.turn = self._state.scores = None
        self._keeper.go_on(t)
        return True

    def remember(self, before: Before) -> None:
        """Push the message that was just handled, with the snapshot from before it."""
        now = tuple(self._match.accepted)
        unchanged = now == tuple(before.match.accepted) and self._match.start == before.match.start
        due = unchanged and self._state.pending == before.state["pending"]
        self._state.deeds.append(Deed(before, self._match.start, now, due))

    def settle(self) -> None:
        """Note that moves from now on are no effect of the last message: another one came."""
        if self._state.deeds:
            self._state.deeds[-1] = replace(self._state.deeds[-1], due=False)

    def _stands(self, deed: Deed) -> bool:
        """Say whether the moves that a message led to are still part of the game."""
        first = tuple(self._match.accepted[: len(deed.accepted)])
        return deed.start == self._match.start and deed.accepted == first


def _common(one: Iterable[Accepted], other: Iterable[Accepted]) -> int:
    """Return the length of the common prefix of two rows of moves."""
    count = 0
    for mine, yours in zip(one, other, strict=False):
        if mine != yours:
            break
        count += 1
    return count
