"""Every game against its naive referee: whole games, and moves that are nearly legal."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from engine.errors import RecordError
from engine.game import AnyGame, Json, Move, Start
from engine.games import GAMES
from engine.lattice import HEX_STEPS
from engine.nest.position import COLOURS
from engine.placement import Layout, Placement
from engine.record import layout_to_json, move_to_json, parse_move
from engine.setfile import built_in_set
from tests.engine.games.carnival_table import FOUR
from tests.engine.games.nest_tables import (
    CROSSING,
    frame,
    likely_move,
    near_legal_move,
    opening,
    settings,
)
from tests.naive.carnival import NaiveCarnival
from tests.naive.schlangennest import NaiveSchlangennest
from tests.naive.snekagon import NaiveSnekagon, NaiveSnekagon5G
from tests.naive.sssnake import NaiveSssnake

NEST, CARNIVAL, SSSNAKE = (GAMES[name] for name in ("schlangennest", "carnival", "sssnake"))
FIVE = ("blue", "red", "yellow", "green", "violet")
NEST_GAMES = 20


@dataclass
class Duel:
    """A game before both referees."""

    game: AnyGame
    position: Any
    naive: Any
    chance: random.Random

    def agree_on(self, move: Move) -> None:
        """Both call a move legal, or neither does."""
        written, broken = move_to_json(move), self.game.judge(self.position, move).violations
        assert (not broken) == self.naive.is_legal(written), (
            move,
            [violation.rule.id for violation in broken],
            self.naive.why(written),
        )

    def agree_on_standing(self) -> None:
        """Both count the same, and know the same end and the same winners."""
        outcome = self.game.outcome(self.position)
        assert dict(outcome.scores) == self.naive.scores()
        assert outcome.over == self.naive.over()
        assert sorted(outcome.winners) == sorted(self.naive.winners())

    def agree_on_list(self, moves: Iterable[Move]) -> None:
        """Both list the same moves."""
        assert written(map(move_to_json, moves)) == written(self.naive.legal_moves())

    def play(self, move: Move) -> None:
        """Make a move before both."""
        self.naive.play(move_to_json(move))
        self.position = self.game.apply(self.position, move)

    def follow(
        self,
        near: Callable[[Duel, list[Move]], Move],
        choice: Callable[[Duel, list[Move]], Move],
        *,
        tries: int,
        listed: float = 0.1,
        most: int = 400,
    ) -> None:
        """Play on; both must say the same of every position, list and move that is tried."""
        for _ in range(most):
            moves = self.game.legal_moves(self.position)
            self.agree_on_standing()
            if not moves or self.chance.random() < listed:
                self.agree_on_list(moves)
            if not moves:
                return
            assert self.position.to_move == self.naive.to_move()
            for _ in range(tries):
                self.agree_on(near(self, moves))
            self.play(choice(self, moves))


def written(moves: Iterable[Mapping[str, Json]]) -> list[str]:
    return sorted(json.dumps(move, sort_keys=True) for move in moves)


def nearly(duel: Duel, moves: list[Move]) -> Move:
    """Return a legal move with one or two things changed."""
    chance, position, name = duel.chance, duel.position, duel.game.facts.name
    move, tiles = chance.choice(moves), [t for t in position.box.kinds if "big" not in t]
    changes: dict[str, Any] = {"player": chance.choice(position.players)}
    if move.tile is not None:
        changes["tile"] = chance.choice(tiles)
    if move.at is not None:
        x, y = move.at
        step = chance.choice(list(itertools.product((-1, 0, 1), repeat=2)))
        lying = position.cards if name == "carnival" else ()
        changes["at"] = chance.choice([(x + step[0], y + step[1]), *lying])
        changes["turns"] = chance.randrange(4)
        if name == "carnival":
            changes["do"] = chance.choice(("place", "replace"))
            changes["declares"] = chance.choice((None, "no-own-tile"))
        else:
            changes["snake"] = chance.choice(position.players)
    if move.value is not None:
        changes["value"] = chance.choice((1, 2, 3))
        changes["tiles"] = tuple(chance.choices(tiles, k=chance.choice((1, 2, 3))))
    names = chance.sample(sorted(changes), min(len(changes), chance.choice((1, 1, 2))))
    return replace(move, **{name: changes[name] for name in names})


def refuses(begin: Callable[..., Any], *start: Any) -> bool:
    try:
        begin(*start)
    except (RecordError, ValueError):
        return True
    return False


# --- Schlangennest


@pytest.mark.parametrize("seed", range(NEST_GAMES))
def test_games_of_schlangennest_agree(seed):
    start = settings(seed)
    duel = Duel(NEST, opening(*start), NaiveSchlangennest(*start), random.Random(seed))
    duel.follow(
        lambda duel, _: near_legal_move(duel.chance, duel.position),
        lambda duel, moves: likely_move(duel.chance, duel.position, moves),
        tries=6,
    )

    assert NEST.outcome(duel.position).over


@pytest.mark.parametrize("two_snakes", ["off", "both", "one"])
def test_the_same_set_up_cards_are_refused(two_snakes):
    seatings = [list(p) for n in (2, 3, 4) for p in itertools.permutations(COLOURS, n)]
    if two_snakes != "off":
        seatings = [players for players in seatings if len(players) == 2]
    asked = itertools.product(
        seatings, (("border", "fixed"), ("frame", True)), (CROSSING, frame(), None)
    )
    answers = set()
    for players, (name, value), setup in asked:
        start = (players, {name: value, "two_snakes": two_snakes}, setup)
        refused = refuses(opening, *start)
        assert refused == refuses(NaiveSchlangennest, *start), players
        answers.add(refused)
    assert answers == ({True, False} if two_snakes == "off" else {True})


# --- Carnival


def drawn(count: int) -> list[Any]:
    """Return the options of Carnival that a list of values decides, for a number of players."""
    listed = (option for option in CARNIVAL.facts.options if not option.more)
    return [option for option in listed if not option.players or count in option.players]


def carnival(seed: int, **more: Json) -> Duel:
    """Return a game of Carnival: players, options and the house at random."""
    chance = random.Random(seed)
    players = chance.sample(FOUR, chance.choice((2, 3, 4)))
    options = {option.name: chance.choice(option.values) for option in drawn(len(players))} | more
    turns = chance.randrange(4)
    house = Layout.of(Placement("house", (0, 0), turns))
    naive = NaiveCarnival(players, options, [{"tile": "house", "at": [0, 0], "turns": turns}])
    start = Start(tuple(players), options, house)
    return Duel(CARNIVAL, CARNIVAL.opening(start, built_in_set("carnival")), naive, chance)


def tasteful(*liked: str) -> Callable[[Duel, list[Move]], Move]:
    """Return a choice that would rather do some things, and passes now and then."""

    def choice(duel: Duel, moves: list[Move]) -> Move:
        if duel.chance.random() < 0.03:
            return Move(duel.position.to_move, "pass")
        best = [move for move in moves if move.do in liked]
        return duel.chance.choice(best if best and duel.chance.random() < 0.8 else moves)

    return choice


@pytest.mark.parametrize(
    ("seed", "most"), [*((n, 400) for n in range(3)), *((n, 35) for n in range(12))]
)
def test_games_of_carnival_agree(seed, most):
    duel = carnival(seed)
    liked = (("place", "replace"), ("place",), ("replace",))[seed % 3]
    duel.follow(nearly, tasteful(*liked), tries=3 if most > 35 else 20, listed=0.015, most=most)

    assert CARNIVAL.inspect(duel.position) == ()
    assert most == 35 or CARNIVAL.outcome(duel.position).over


@pytest.mark.parametrize("seed", range(12))
def test_last_rounds_agree(seed):
    duel = carnival(seed, hands="trust")
    for _ in range(12):
        moves = CARNIVAL.legal_moves(duel.position)
        duel.play(duel.chance.choice([move for move in moves if move.do == "place"]))
    duel.play(Move(duel.chance.choice(duel.position.players), "finale"))
    duel.follow(nearly, tasteful(), tries=10, listed=0)


@pytest.mark.parametrize("seed", range(4))
def test_an_early_last_round_is_refused_by_both(seed):
    duel = carnival(seed, hands="ask", snakes=2)
    for _ in range(25):
        finale = Move(duel.chance.choice(duel.position.players), "finale")
        assert not CARNIVAL.judge(duel.position, finale).legal
        assert not duel.naive.is_legal(move_to_json(finale))
        duel.play(duel.chance.choice(CARNIVAL.legal_moves(duel.position)))


@pytest.mark.parametrize("players", [("yellow", "black"), FOUR[:3], FOUR], ids=len)
@pytest.mark.parametrize(
    "colours", [None, {"yellow": ["yellow", "red"], "black": ["black", "violet"]}]
)
def test_one_snake_each_is_refused_by_both(players, colours):
    options = {"snakes": 1, **({"colours": colours} if colours else {})}
    start = Start(players, options)
    refused = (
        refuses(CARNIVAL.opening, start, built_in_set("carnival")),
        refuses(NaiveCarnival, list(players), options),
    )

    assert refused == ((False,) if len(players) == 2 and not colours else (True,)) * 2


# --- Sssnake

ALL = {"straight": 60, "curve": 48, "crossing": 8, "double-curve": 4}
SHORT_PILE = {"straight": 54, "curve": 38, "crossing": 4, "double-curve": 2}
"""Cards that are out from the start, so that games reach the end of the pile."""
DOUBLE_PILE = {"straight": 50, "curve": 36}
"""The same, with all double cards still in."""


class FreeTrust(NaiveSssnake):
    """On trust, cards of one roll come one by one, so nobody knows whose turn it is."""

    TRUST_TURNS = "free"


def sssnake(
    seed: int, players: str, *, rolls: str = "told", coiled: bool = False, **out: int
) -> Duel:
    """Return a game of Sssnake, coiled with everybody's ends near each other."""
    chance, names, box = random.Random(seed), tuple(players), built_in_set("sssnake")
    layout = coils(names, chance) if coiled else Layout()
    gone = {name.replace("_", "-"): count for name, count in out.items()}
    start = Start(names, {"rolls": rolls}, layout, midgame=True, out=gone)
    naive = FreeTrust(list(names), {"rolls": rolls}, layout_to_json(layout), None, out=gone)
    return Duel(SSSNAKE, SSSNAKE.opening(start, box), naive, chance)


def coils(players: tuple[str, ...], chance: random.Random) -> Layout:
    position = SSSNAKE.opening(Start(players, {"rolls": "trust"}), built_in_set("sssnake"))
    for player in players:
        for _ in range(chance.randrange(4, 12)):
            moves = [move for move in SSSNAKE.legal_moves(position) if move.snake == player]
            after = [SSSNAKE.apply(position, move) for move in chance.choices(moves, k=3)]
            scores = [SSSNAKE.outcome(one).scores[player] for one in after]
            some = [pair for pair in zip(scores, range(3), strict=True) if pair[0]]
            position = after[max(some)[1]] if some else position
    return SSSNAKE.layout(position)


def nearly_or_otherwise(duel: Duel, moves: list[Move]) -> Move:
    """Return a move that is nearly legal, or one that comes at a wrong time."""
    chance, player = duel.chance, duel.chance.choice(duel.position.players)
    if chance.random() < 0.75:
        return nearly(duel, moves)
    tile, at = chance.choice(list(ALL)), chance.choice(((-1, 0), (2, 0), (0, 0)))
    snake = chance.choice(duel.position.players)
    return chance.choice(
        [
            Move(player, "pass"),
            Move(player, "discard", tile),
            Move(player, "roll", value=chance.choice((1, 2, 3))),
            Move(player, "place", tile, at, chance.randrange(4), snake=snake),
        ]
    )


def tightly(duel: Duel, moves: list[Move]) -> Move:
    """Return a move that rather coils the snake up; what is drawn is forgotten now and then."""
    some = duel.chance.choices(moves, k=3)
    move = min(some, key=lambda move: abs(move.at[0]) + abs(move.at[1]) if move.at else 0)
    untold = move.do == "roll" and duel.chance.random() < 0.3
    return Move(move.player, "roll", value=move.value) if untold else move


@pytest.mark.parametrize("players", ["ab", "abc", "abcd"])
@pytest.mark.parametrize(
    ("seeds", "most", "more"),
    [(1, 40, {}), (3, 20, {"coiled": True}), (1, 200, SHORT_PILE), (1, 200, DOUBLE_PILE)],
    ids=["whole", "coiled", "short-pile", "double-pile"],
)
def test_games_of_sssnake_agree(players, seeds, most, more):
    for seed in range(seeds):
        duel = sssnake(seed, players, **{n.replace("-", "_"): v for n, v in more.items()})
        duel.follow(nearly_or_otherwise, tightly, tries=8, listed=0.25, most=most)


@pytest.mark.parametrize("coiled", [False, True])
def test_games_of_sssnake_on_trust_agree(coiled):
    for seed in range(3):
        duel = sssnake(seed, "abc", rolls="trust", coiled=coiled)
        for _ in range(8):
            duel.agree_on_standing()
            moves = SSSNAKE.legal_moves(duel.position)
            places = [move for move in moves if move.do != "discard"]
            duel.agree_on_list(places)
            if not moves:
                break
            for _ in range(8):
                move = nearly_or_otherwise(duel, moves)
                if move.do != "discard":
                    duel.agree_on(move)
            duel.play(tightly(duel, places))


# --- the hex games

NOWHERE = {"off-board", "on-eye", "cell-taken"}
"""A tile that cannot lie there at all is not asked by the naive referee what it touches."""
FEW_MOVES = 60
"""A position with fewer is late in a game."""
HEX_GAMES: list[tuple[str, Any, tuple[str, ...], dict[str, Any], int]] = [
    ("snekagon", NaiveSnekagon, ("red", "green"), {}, 5),
    ("snekagon", NaiveSnekagon, ("green", "red"), {"second_without_1": True}, 4),
    ("snekagon5g", NaiveSnekagon5G, FIVE[:2], {}, 1),
    ("snekagon5g", NaiveSnekagon5G, FIVE[1:4], {}, 1),
    ("snekagon5g", NaiveSnekagon5G, FIVE, {}, 1),
    ("snekagon5g", NaiveSnekagon5G, FIVE[3:], {"advanced": True}, 1),
    ("snekagon5g", NaiveSnekagon5G, FIVE[:3], {"advanced": True}, 1),
    ("snekagon5g", NaiveSnekagon5G, FIVE[:4], {"far_drill": True}, 1),
    ("snekagon5g", NaiveSnekagon5G, FIVE[:2], {"far_drill": True, "advanced": True}, 1),
    ("snekagon5g", NaiveSnekagon5G, FIVE[2:], {"single_opening": True, "advanced": True}, 1),
    ("snekagon5g", NaiveSnekagon5G, FIVE[:2], {"eyes": [[0, 0], [1, 1]]}, 1),
]


def changed(move: Mapping[str, Json], players: tuple[str, ...], chance: random.Random) -> Any:
    """Return a legal move with one or two things changed, as a record writes it."""
    found = json.loads(json.dumps(move))
    if found["do"] == "pass" or chance.random() < 0.05:
        return {"player": chance.choice(players), "do": "pass"}
    step = chance.choice(HEX_STEPS)
    found["cells"] = sorted([q + step[0], r + step[1]] for q, r in found["cells"])
    if "board" in found and chance.random() < 0.2:
        found["board"] = chance.randrange(len(players))
    for key in ("from", "to"):
        if key in found and chance.random() < 0.5:
            q, r = found[key]["cell"]
            found[key]["cell"] = [q + step[0], r + step[1]]
        if key in found and chance.random() < 0.1:
            found[key]["board"] = chance.randrange(len(players))
        if key in found and chance.random() < 0.2:
            del found[key]
    return found


@pytest.mark.parametrize(
    ("name", "naive", "players", "options", "games"),
    HEX_GAMES,
    ids=lambda value: str(len(value)) if isinstance(value, tuple) else None,
)
def test_hex_games_agree(name, naive, players, options, games):
    game, box = GAMES[name], built_in_set(name)
    for seed in range(games):
        start = game.opening(Start(players, options), box)
        duel = Duel(game, start, naive(list(players), options), random.Random(seed))
        while moves := game.legal_moves(duel.position):
            for _ in range(6):
                move = changed(move_to_json(duel.chance.choice(moves)), players, duel.chance)
                expected = {
                    "must-move" if rule == "could-move" else rule
                    for rule in duel.naive.violations(move)
                }
                verdict = game.judge(duel.position, parse_move(game, box, players, move, "move"))
                found = {violation.rule.id for violation in verdict.violations}
                nowhere = bool(expected & NOWHERE)
                assert expected <= found if nowhere else expected == found, (
                    move,
                    duel.naive.table(),
                )
            assert game.outcome(duel.position).scores == duel.naive.scores()
            ours, theirs = layout_to_json(game.layout(duel.position)), duel.naive.table()
            assert written(ours["tiles"]) == written(theirs["tiles"])
            assert written(ours.get("clay", [])) == written(theirs["clay"])
            # The naive list takes a second, so only a late one and the last are asked for.
            if len(moves) < FEW_MOVES and len(duel.position.pieces) % 3 == 0:
                duel.agree_on_list(moves)
            drilled = [move for move in moves if move.origin or move.to]
            duel.play(
                duel.chance.choice(drilled if drilled and duel.chance.random() < 0.5 else moves)
            )
        duel.agree_on_list([])
        duel.agree_on_standing()


# --- options


def pairs(played: Iterable[Mapping[str, Json]]) -> set[tuple[str, str]]:
    """Return the options that were chosen in some games, each with its value as text."""
    return {(name, str(value)) for options in played for name, value in options.items()}


PLAYED = {
    "schlangennest": pairs(settings(seed)[1] for seed in range(NEST_GAMES)),
    "snekagon": pairs(options for name, _, _, options, _ in HEX_GAMES if name == "snekagon"),
    "snekagon5g": pairs(options for name, _, _, options, _ in HEX_GAMES if name == "snekagon5g"),
    "sssnake": pairs([{"rolls": "trust"}]),
    "carnival": pairs({option.name: value} for option in drawn(2) for value in option.values),
}


@pytest.mark.parametrize("name", GAMES)
def test_naive_referee_plays_every_value_that_is_not_the_default(name):
    declared = pairs(
        {option.name: value} for option in GAMES[name].facts.options for value in option.values[1:]
    )

    assert declared - PLAYED[name] == set()
