"""A person is called otherwise, or forgotten, in every kept game."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from companion_app.eye.desk import Desk
from companion_app.games import people
from companion_app.games.entries import Line, Names, kind_and_body
from companion_app.games.play import play
from companion_app.kept_looks import KeptLooks
from companion_app.live.errors import StoreError
from companion_app.refusal import Refusal


def call_otherwise(desk: Desk, name: str, to: str, nobody: str) -> int:
    """Call a person otherwise in all games, or forget the person; return how many games that are.

    Args:
        desk: owns the games; its thread calls this.
        name: what the person is called.
        to: the new name, which may be another person's: they are one then. Empty to forget.
        nobody: what players without a name are called in games without colours, with ``{n}``.

    Raises:
        Refusal: the two have sat at one game, so they are two people; or the game that is on goes
            on with the name of whom nothing is to be called.
        StoreError: the disk fails; some games may have the new name already.
    """
    logs = {key: desk.store.lines(key) for key in desk.store.games_with(people.spellings(name))}
    if to and any(people.has_both(lines, name, to) for lines in logs.values()):
        raise Refusal(code="people-met", status=409)
    changed = {
        key: names
        for key, lines in logs.items()
        if (names := people.names_after(lines, name, to, nobody)) is not None
    }
    match = desk.match
    own = match if match is not None and match.key in changed else None
    if own is not None and not to and own.game.facts.player_names is None:
        # Its moves are made by this name, and more may come.
        raise Refusal(code="game-is-on", status=409)
    for key, names in changed.items():
        if own is not None and own.key == key:
            own.note(Names(names))
        else:
            desk.store.append(key, *kind_and_body(Names(names)))
        if not to:
            _forget(desk, key, name, names)
    if changed:
        desk.say("told")
    return len(changed)


def _forget(desk: Desk, key: str, name: str, names: Mapping[str, str]) -> None:
    """Write a game's log without a name; where players are names, its moves hold it too."""
    lines = desk.store.lines(key)
    to = next((names[one] for one in people.spellings(name) if one in names), "")
    bodies = [
        people.forgotten(line, name, to) if to or line.kind == "names" else line.body
        for line in lines
    ]
    if _is_same(desk, lines, bodies):
        desk.store.rewrite(key, bodies)
        KeptLooks(desk.store.path.parent).forget(key)


def _is_same(desk: Desk, lines: Sequence[Line], bodies: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a game is the same with other bodies of its lines."""
    others = [replace(line, body=body) for line, body in zip(lines, bodies, strict=True)]
    try:
        before, after = (play(some, desk.set_folders) for some in (lines, others))
    except StoreError:
        return False
    scores = [list(one.game.outcome(one.position).scores.values()) for one in (before, after)]
    return len(before.accepted) == len(after.accepted) and scores[0] == scores[1]
