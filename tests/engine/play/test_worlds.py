"""The quick worlds keep the rule books' rules: the same moves, scores, turns and ends."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from engine.carnival.position import LastRound, Supply
from engine.game import Move, Start
from engine.games import GAMES
from engine.play.carnival_world import CarnivalWorld
from engine.play.dealing import Dealer
from engine.play.hex_world import hex_world
from engine.play.nest_world import NestWorld
from engine.play.sssnake_world import sssnake_world
from engine.play.world import ahead, chances, lead, shares
from engine.record import find_set, parse_options
from tests.engine.games.test_examples import opening
from tests.engine.playing import Variant, variants
from tests.kit.moves import read_move

WORLDS: dict[str, Callable[[Any], Any]] = {
    "schlangennest": NestWorld,
    "snekagon": hex_world,
    "snekagon5g": hex_world,
    "sssnake": sssnake_world,
}


def written(moves) -> list[str]:
    return sorted(map(repr, moves))


def assert_same_game(name: str, position: Any, world_of: Callable[[Any], Any], seed: int) -> None:
    """Play a game, half of it well, and compare world and rule book at every move."""
    game, rng, world = GAMES[name], random.Random(seed), world_of(position)
    while True:
        tokens = world.moves()
        assert written(game.legal_moves(position)) == written(map(world.move, tokens))
        outcome = game.outcome(position)
        assert list(outcome.scores.values()) == list(world.points())
        assert outcome.over == world.is_over()
        assert {token for _, token in world.prospects(rng, 3)} <= set(tokens)
        if not tokens:
            return
        assert world.turn == position.players.index(position.to_move)
        token = rng.choice(tokens)
        if rng.random() < 0.5:
            prospect, token = max(world.prospects(rng), key=lambda one: one[0])
            after = world.copy()
            after.play(token, rng)
            expected = ahead(after.standing(), world.turn, world.scale)
            if world.seats == 2:
                assert prospect == pytest.approx(expected)
        position = game.apply(position, world.move(token))
        world.play(token, rng)


def of(*names: str) -> list[Variant]:
    """Return the variants of some games, as their facts declare the options."""
    return [variant for variant in variants() if variant.game.facts.name in names]


@pytest.mark.parametrize("variant", of("schlangennest"), ids=str)
def test_schlangennest_is_played_by_its_rule_book(variant):
    for seed in range(2):
        assert_same_game("schlangennest", variant.opening(), NestWorld, seed)


@pytest.mark.parametrize("variant", of("snekagon", "snekagon5g"), ids=str)
def test_hex_games_are_played_by_their_rule_books(variant):
    position = variant.opening()
    if hex_world(position) is not None:
        assert_same_game(variant.game.facts.name, position, hex_world, 4)


def test_every_variant_has_a_quick_world_or_is_known_to_have_none():
    slow = {
        option
        for variant in of("schlangennest", "snekagon", "snekagon5g", "sssnake")
        if WORLDS[variant.game.facts.name](variant.opening()) is None
        for option in variant.options
    }

    assert slow == {"advanced", "far_drill", "rolls"}


@pytest.mark.parametrize(("name", "board"), [("snekagon", None), ("snekagon5g", 0)])
def test_hex_games_go_on_by_their_rule_books_after_a_tile_over_the_edge_was_let_stand(name, board):
    position = opening(GAMES[name], {"players": "red green"})
    for player, tile, cells in (("red", "1", ((0, 0),)), ("green", "2", ((5, 0), (6, 0)))):
        over = Move(player, "place", tile, cells=cells, board=board)
        position = GAMES[name].apply(position, over)

    assert_same_game(name, position, hex_world, 3)


def test_sssnake_is_played_by_its_rule_book():
    game = GAMES["sssnake"]
    for players in (("a", "b"), ("a", "b", "c")):
        rng = random.Random(len(players))
        dealer = Dealer(game, Start(players), find_set(game, None), rng)
        while not dealer.is_over:
            if dealer.turn_up():
                continue
            world = sssnake_world(dealer.position)
            assert world is not None
            moves = list(map(world.move, world.moves()))
            assert written(moves) == written(dealer.legal_moves())
            assert players[world.turn] == moves[0].player
            token = rng.choice(world.moves())
            dealer.make(world.move(token))
            world.play(token, rng)
            scores = game.outcome(dealer.position).scores.values()
            assert [-1000 if s is None else s for s in scores] == list(world.points())


def test_a_game_that_is_dealt_again_from_its_seed_goes_on_with_new_rolls():
    game = GAMES["sssnake"]
    made: list[Move] = []
    rolls: list[Move] = []
    for _ in range(12):
        dealer = Dealer(game, Start(("a", "b")), find_set(game, None), random.Random(1))
        for move in made:
            dealer.make(move)
        while (roll := dealer.turn_up()) is None:
            dealer.make(dealer.legal_moves()[0])
        rolls.append(roll)
        made = dealer.moves_made

    assert {roll.value for roll in rolls} == {1, 2, 3}
    assert {tile for roll in rolls for tile in roll.tiles or ()} >= {"straight", "curve"}


@pytest.mark.parametrize("variant", of("carnival"), ids=str)
def test_carnival_is_played_and_counted_by_its_rule_book(variant):
    game, rng = variant.game, random.Random(5)
    start = Start(variant.players, parse_options(game, variant.options))
    dealer = Dealer(game, start, variant.tile_set, rng)
    while not dealer.is_over:
        table, player = dealer.position, dealer.position.to_move
        moves = dealer.legal_moves()
        assert all(game.judge(table, move).legal for move in moves)
        assert {move.tile for move in moves} <= {*dealer.hand(player), None}
        dealer.make(rng.choice(moves))
        truth = dealer._truth
        assert isinstance(truth, CarnivalWorld)
        assert list(game.outcome(truth.table).scores.values()) == list(truth.points())
        if truth.table.last_round is None:
            assert truth.table.supply.pile == len(truth.pile)


def test_a_carnival_lists_every_way_to_lay_what_is_in_hand():
    game, rng = GAMES["carnival"], random.Random(8)
    players = ("yellow", "violet", "black", "red")
    dealer = Dealer(game, Start(players), find_set(game, None), rng)
    for _ in range(40):
        table, player = dealer.position, dealer.position.to_move
        mine = dealer.legal_moves()
        own = {f"{player}/{shape}" for shape in ("straight", "corner", "diamond")}
        held = set(dealer.hand(player))
        book = [m for m in game.legal_moves(table) if m.tile in held]
        if any(m.tile in own for m in book):
            others = ("/straight", "/corner", "/diamond")
            book = [
                m
                for m in book
                if m.tile in own
                or m.tile is None
                or not m.tile.endswith(others)
                or m.tile.startswith("log")
            ]
        if book:
            assert written(mine) == written(book)
        dealer.make(rng.choice(mine))


def test_what_others_hold_is_dealt_anew_and_the_own_hand_stays():
    game, rng = GAMES["carnival"], random.Random(1)
    truth = Dealer(game, Start(("yellow", "black")), find_set(game, None), rng)._truth
    assert truth is not None
    deals = [truth.deal(random.Random(seed)) for seed in range(5)]

    assert all(deal.hands[0] == truth.hands[0] for deal in deals)
    assert len({tuple(deal.hands[1]) for deal in deals}) > 1
    everything = sorted(truth.pile + truth.hands[1])
    assert all(sorted(deal.pile + deal.hands[1]) == everything for deal in deals)


@pytest.mark.parametrize(
    ("reshuffles", "drawn"), [(0, ["yellow/knot"]), (1, ["yellow/knot"]), (2, [])]
)
def test_a_tile_replaced_at_an_empty_pile_is_drawn_until_it_leaves_the_game(reshuffles, drawn):
    game = GAMES["carnival"]
    knot = opening(game, {"table": "yellow/knot@0,-1^1"})
    position = replace(knot, supply=Supply(0, reshuffles=reshuffles))
    world = CarnivalWorld(position, [["log/straight"], [], [], []], [])
    world.play(read_move(game, position, "replace log/straight@0,-1^1"), random.Random(0))

    assert world.hands[0] == drawn
    assert world.table.supply.pile == len(world.pile) == 0
    assert bool(world.table.supply.gone) == (not drawn)


def test_a_hat_on_a_head_counts_for_that_head_though_another_looks_at_it():
    """Yellow's head at (1, -1) looks at violet's at (2, -1), which looks at a gift."""
    heads = (
        "yellow/corner@0,-1^2 yellow/head@1,-1 violet/straight@1,0 violet/corner@2,0"
        " violet/head@2,-1^3 gift@2,-2"
    )
    game = GAMES["carnival"]
    table = opening(game, {"table": heads})
    position = replace(table, to_move="yellow", last_round=LastRound("hats"))
    world = CarnivalWorld(position, [["hat/+3"], [], [], []], [])
    world.play(read_move(game, position, "hat/+3@2,-1"), random.Random(0))

    assert list(world.points()) == list(game.outcome(world.table).scores.values())
    assert world.points()[1] == (game.outcome(position).scores["violet"] or 0) + 3


def test_results_and_chances_add_up():
    assert shares([3, 5, 5]) == [0.0, 0.5, 0.5]
    assert sum(chances([1.0, 2.0, 4.0], 2.0)) == pytest.approx(1)
    assert lead([3.0, 5.0], 0) == ahead([3.0, 5.0], 0, 1.0) == -2
    assert ahead([5.0, 5.0, 1.0], 0, 1.0) > ahead([5.0, 5.0, 5.0], 0, 1.0)
