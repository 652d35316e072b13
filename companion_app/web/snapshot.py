"""The state of the table as a JSON document for the page, in the guest's language."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from companion_app.games.play import Accepted, Game, Pending
from companion_app.line.standing import Standing
from companion_app.live.places import leading, tiles_of
from companion_app.web.asking import question_in_words
from companion_app.web.drawing.match import mark_of, pointed, shown
from companion_app.web.drawing.table import spot, spots_of
from companion_app.web.machine import machine_to_json
from companion_app.web.rows import board_side
from companion_app.web.speech import Speech
from engine.draw.palette import coat
from engine.game import Json, Move, Outcome, Position, ScoreLine, Violation
from engine.placement import Placement
from engine.record import move_to_json
from engine.tiles import TileSet

Doc = dict[str, Json]
DISK_FULL = "disk is full"
"""The part of the store's error text that tells that the disk is full."""
GAME_COLOURS = ("#35b58a", "#f0802a", "#9552cf", "#2d74da")
"""CSS colours for the players of a game without colours, by seat."""


@dataclass(frozen=True, slots=True)
class Now:
    """The table at one moment, for the page."""

    standing: Standing
    version: int
    """The number of the newest event."""
    match: Game | None = None
    pictures: frozenset[str] = frozenset()
    """The names of the kept pictures of the pending foul."""
    is_watched: bool = True
    """Whether the eye is connected."""

    @property
    def pending(self) -> Pending | None:
        """The announced foul that still lies on the table."""
        return self.match.pending if self.match is not None else None

    @property
    def mark(self) -> tuple[int, int, bool]:
        """A version mark that changes whenever the page has to show something new."""
        return self.version, self.standing.mark, self.is_watched


def state(now: Now, speech: Speech) -> Doc:
    """Return the whole table: game, players, score, moves, foul, questions, camera."""
    standing = now.standing
    document: Doc = {
        "version": now.version,
        "seeing": {
            "state": standing.seeing,
            "text": speech.page(f"seeing-{standing.seeing}"),
            "why": _why(standing.why, speech),
        },
        "source": {
            "kind": standing.kind,
            "by_people": standing.by_people,
            "waits": standing.waits,
        },
        "trouble": _trouble(standing.trouble, speech)
        if now.is_watched
        else speech.page("error-eye-away"),
        "language": speech.language,
        "game": None,
    }
    match = now.match
    if match is None:
        return document
    document |= match_to_json(match, speech)
    document["drawing"] = mark_of(match, now.pending)
    document["can_undo"] = standing.can_undo
    document["can_redo"] = standing.can_redo
    document["paused"] = standing.paused
    document["can_pause"] = standing.paused or standing.is_fed
    document |= doubts(standing)
    document["machine"] = machine_to_json(standing.wish, match, speech)
    for player in document["players"]:
        player["machine"] = match.machine.seats.get(player["id"])
    document["foul"] = _foul(match, now, speech)
    document["questions"] = [question_in_words(one, match, speech) for one in standing.questions]
    return document


def _why(why: Mapping[str, Json] | None, speech: Speech) -> Doc | None:
    """Return why the referee has no verdict yet: a sentence, and the places concerned."""
    if why is None:
        return None
    spots = [spot(place) for place in why["spots"]]
    return {"what": why["what"], "text": speech.page(f"why-{why['what']}"), "spots": spots}


def _trouble(text: str | None, speech: Speech) -> str | None:
    """Return the text of a problem; a full disk is translated, other texts stay as they are."""
    return speech.page("trouble-disk-full") if text and DISK_FULL in text else text


def doubts(standing: Standing) -> Doc:
    """Return the places of covered tiles, and those where the camera is unsure."""
    return {
        "covered": sorted(map(spot, standing.covered)),
        "unsure": sorted(map(spot, standing.unsure)),
    }


def match_to_json(match: Game, speech: Speech, upto: int | None = None) -> Doc:
    """Return a match as it stands, or as it stood after ``upto`` moves."""
    count = len(match.accepted) if upto is None else max(0, min(upto, len(match.accepted)))
    position = match.positions[count]
    outcome = match.game.outcome(position)
    facts = match.game.facts
    over = outcome.over or (match.ended and count == len(match.accepted))
    return {
        "key": match.key,
        "game": facts.name,
        "title": facts.title,
        "set": match.box.name,
        "options": dict(match.start.options),
        "lattice": facts.lattice,
        "board_side": board_side(match.box),
        "fields": len(match.start.players) if facts.several_fields else 1,
        "actions": list(facts.actions),
        "turn": None if over else position.to_move,
        "last_round": _last_round(position),
        "players": _players(match, outcome, speech, None if over else position.to_move),
        "scores": dict(outcome.scores),
        "over": over,
        "winners": list(outcome.winners) or _leading(outcome.scores, over),
        "moves": [
            _move(n, one, match, speech) for n, one in enumerate(match.accepted[:count], start=1)
        ],
        "tiles": _tiles(match, count, speech),
        "last": [spot(p) for p in shown(match, count).last],
        "stock": _stock(match, count, speech),
    }


def _last_round(position: Position) -> str | None:
    """Return the phase of Carnival's last round, ``heads`` or ``hats``; ``None`` before it."""
    last = getattr(position, "last_round", None)
    return last.phase if last is not None else None


def _leading(scores: Mapping[str, int | None], over: bool) -> list[str]:
    """Return the leaders of a game that people ended early; nobody while it is running."""
    return leading(scores) if over else []


def _players(match: Game, outcome: Outcome, speech: Speech, turn: str | None) -> list[Doc]:
    return [
        {
            "id": player,
            "name": speech.player(player),
            "colour": colour_of(match, player),
            "word": speech.colour(player) if player in match.box.colours else "",
            "score": outcome.scores.get(player),
            "turn": player == turn,
            "winner": player in (outcome.winners or _leading(outcome.scores, match.ended)),
            "lines": _lines(match, outcome, player, speech),
        }
        for player in match.start.players
    ]


def colour_of(match: Game, player: str) -> str:
    """Return a player's colour for CSS."""
    if player in match.box.colours:
        return coat(player, match.box.colours).base
    return GAME_COLOURS[list(match.start.players).index(player) % len(GAME_COLOURS)]


def _lines(match: Game, outcome: Outcome, player: str, speech: Speech) -> list[Doc]:
    """Return a player's score lines; those with the same reason are added up."""
    by_reason: dict[str, list[ScoreLine]] = {}
    for line in outcome.lines.get(player, ()):
        by_reason.setdefault(speech.why(line), []).append(line)
    return [
        {
            "why": why,
            "points": sum(line.points for line in lines),
            "count": len(lines),
            "spots": sorted({spot(p) for line in lines for p in pointed(line, match)}),
        }
        for why, lines in sorted(by_reason.items())
    ]


def _move(n: int, one: Accepted, match: Game, speech: Speech) -> Doc:
    return {
        "n": n,
        "text": speech.move(one.move, match.game.facts.coloured_moves),
        "player": one.move.player,
        "colour": colour_of(match, one.move.player),
        "move": move_to_json(one.move),
        "legal": not one.violations,
        "overruled": one.overruled,
        "violations": violations_to_json(one.violations, match, speech),
        "seq": one.seq,
        "spots": [spot(p) for p in match.cells_of(one.move)],
    }


def listed_move(move: Move, match: Game, speech: Speech) -> Doc:
    """Return a possible move: as JSON, with its places, and in words."""
    return {
        "move": move_to_json(move),
        "spots": [spot(p) for p in match.cells_of(move)],
        "text": speech.move(move, match.game.facts.coloured_moves),
    }


def violations_to_json(violations: Iterable[Violation], match: Game, speech: Speech) -> list[Doc]:
    """Return violations: the sentence, the rule, its source in print, and the places."""
    game = match.game.facts.name
    return [
        {
            "rule": broken.rule.id,
            "text": speech.violation(game, broken),
            "rulebook": speech.rule(game, broken.rule),
            "source": speech.source(broken.rule.source),
            "cells": [list(cell) for cell in broken.cells],
            "spots": [spot(p) for p in pointed(broken, match)],
        }
        for broken in violations
    ]


def _foul(match: Game, now: Now, speech: Speech) -> Doc | None:
    pending = now.pending
    if pending is None:
        return None
    return {
        "n": pending.n,
        "seq": pending.seq,
        "player": pending.move.player,
        "name": speech.player(pending.move.player),
        "text": speech.move(pending.move, match.game.facts.coloured_moves),
        "said": speech.laid(pending.move, match.game.facts.coloured_moves),
        "spots": [spot(p) for p in match.cells_of(pending.move)],
        "move": move_to_json(pending.move),
        "violations": violations_to_json(pending.violations, match, speech),
        "pictures": {name: name in now.pictures for name in ("before", "after")},
    }


# --- the table -----------------------------------------------------------------------------------


def _tiles(match: Game, count: int, speech: Speech) -> list[Doc]:
    """Return the tiles of the layout, each with the number of the move that laid it."""
    born: dict[str, int] = {}
    for number, one in enumerate(match.accepted[:count], start=1):
        for place in match.cells_of(one.move):
            born[spot(place)] = number
    layout = match.layouts[count]
    label = speech.labels(layout, match.box)
    return [
        {
            "tile": one.tile,
            "label": label(one),
            "spots": places,
            "n": max(born.get(place, 0) for place in places),
            "turns": one.turns if isinstance(one, Placement) else None,
        }
        for one in sorted(tiles_of(layout), key=str)
        for places in (spots_of(one, match.box),)
    ]


def _stock(match: Game, count: int, speech: Speech) -> list[Doc]:
    """Return by kind how many tiles are not in the layout."""
    lying = Counter(one.tile for one in tiles_of(match.layouts[count]))
    return [
        {
            "tile": name,
            "label": speech.tile(name),
            "left": max(0, number - lying[name]),
            "colour": match.box[name].colour,
        }
        | _cells(match.box, name)
        for name, number in match.box.counts.items()
        if number
    ]


def _cells(box: TileSet, tile: str) -> Doc:
    """Return the cells of a hex tile, which the page needs to place it on a drawing."""
    return {"cells": [list(cell) for cell in box[tile].cells]} if box.lattice == "hex" else {}
