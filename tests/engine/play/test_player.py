"""What the player promises: ranked legal moves, the same for the same seed, and nothing peeked."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from engine.errors import RecordError
from engine.fields import SnakeField
from engine.game import Move, Start
from engine.games import GAMES
from engine.play import HIGHEST, LOWEST, Budget, Seat, think
from engine.play.dealing import Dealer
from engine.play.worlds import world_of
from engine.record import find_set, parse_options
from engine.snakes import card
from engine.tiles import TileSet
from tests.engine.playing import variants

FEW = Budget(looks=5)
LEVELS = range(LOWEST, HIGHEST + 1)


def dealt(name: str, players: tuple[str, ...], seed: int = 1, moves: int = 0, **options) -> Dealer:
    """Return a game some moves from its opening."""
    game = GAMES[name]
    rng = random.Random(seed)
    start = Start(players, parse_options(game, options))
    dealer = Dealer(game, start, find_set(game, None), rng)
    for _ in range(moves):
        if not dealer.is_over and dealer.turn_up() is None:
            dealer.make(rng.choice(dealer.legal_moves()))
    while dealer.turn_up() is not None:
        pass
    return dealer


def thought_of(dealer: Dealer, budget: Budget = FEW, level: int = HIGHEST, seed: int = 0):
    return think(dealer.game, dealer.position, dealer.seat(), budget, level, seed)


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_every_level_ranks_legal_moves_and_makes_the_one_that_it_ranks_first(variant):
    dealer = dealt(variant.game.facts.name, variant.players, moves=6, **variant.options)
    legal = dealer.legal_moves()
    for level in LEVELS:
        thought = thought_of(dealer, level=level)
        values = [idea.value for idea in thought.ideas]

        assert thought.best == thought.ideas[0].move == thought.line[0]
        assert values == sorted(values, reverse=True)
        assert all(0 <= value <= 1 for value in values)
        assert {idea.move for idea in thought.ideas} <= set(legal)
        assert sum(idea.share for idea in thought.ideas) == pytest.approx(1)
        assert sum(thought.expected.values()) == pytest.approx(1)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("name", "players"),
    [
        ("schlangennest", ("blue", "red")),
        ("sssnake", ("a", "b")),
        ("carnival", ("yellow", "black")),
    ],
)
def test_the_same_seed_and_looks_give_the_same_answer(name, players, level):
    dealer = dealt(name, players, moves=8)

    assert thought_of(dealer, level=level, seed=3) == thought_of(dealer, level=level, seed=3)


def test_more_looks_are_taken_only_as_told_and_a_stop_ends_them_with_the_best_so_far():
    dealer = dealt("schlangennest", ("blue", "red"), moves=6)
    asked = []

    def stop() -> bool:
        asked.append(True)
        return len(asked) > 3

    assert thought_of(dealer, Budget(looks=9)).looked_at == 9
    stopped = thought_of(dealer, Budget(stop=stop))
    assert stopped.best in dealer.legal_moves()
    assert stopped.looked_at < 20
    at_once = thought_of(dealer, Budget(stop=lambda: True))
    assert at_once.best in dealer.legal_moves()


def test_hidden_hands_and_the_order_of_the_pile_change_nothing():
    one = dealt("carnival", ("yellow", "black"), moves=10)
    other = dealt("carnival", ("yellow", "black"), moves=10)
    truth = other._truth
    assert truth is not None
    hidden = 1 - truth.turn
    truth.pile.reverse()
    truth.hands[hidden], truth.pile[:4] = truth.pile[:4], truth.hands[hidden]

    assert thought_of(one) == thought_of(other)


def test_before_a_roll_it_says_that_a_roll_is_needed_and_untold_cards_must_be_drawn():
    game = GAMES["sssnake"]
    position = game.opening(Start(("a", "b")), find_set(game, None))
    rolled = game.apply(position, Move("a", "roll", value=2))

    assert think(game, position).needs == "roll"
    assert think(game, rolled).needs == "draw"
    assert think(game, rolled).ideas == ()


def test_a_finished_game_has_no_moves_and_needs_nothing():
    dealer = dealt("sssnake", ("a", "b"), moves=400)
    thought = thought_of(dealer)

    assert dealer.is_over
    assert thought.ideas == () and thought.needs is None
    assert thought.expected[dealer.game.outcome(dealer.position).winners[0]] > 0


def test_without_the_hand_it_says_that_it_is_needed():
    game = GAMES["carnival"]
    position = game.opening(Start(("yellow", "black")), find_set(game, None))

    with pytest.raises(RecordError, match="hand: is needed"):
        think(game, position)
    with pytest.raises(RecordError, match="names yellow/knot 3 times, but only 2 can be left"):
        think(game, position, Seat({"yellow": ("yellow/knot",) * 3}))
    with pytest.raises(RecordError, match="names house once, but none can be left"):
        think(game, position, Seat({"yellow": ("house",)}))


def test_a_snake_that_can_be_closed_is_closed():
    game = GAMES["sssnake"]
    position = game.opening(Start(("a", "b")), find_set(game, None))
    field = nearly_closed(position.fields[0], position.box)
    nearly = replace(position, fields=(field, position.fields[1]))
    closing = [kind for kind in ("straight", "curve") if field.fits(position.box[kind], True)]
    rolled = game.apply(nearly, Move("a", "roll", value=2, tiles=(closing[0], closing[0])))

    best = think(game, rolled, budget=Budget(looks=30)).best
    assert best is not None
    assert game.outcome(game.apply(rolled, best)).winners == ("a",)


def nearly_closed(field: SnakeField, box: TileSet) -> SnakeField:
    """Return a field on which a single card is missing."""
    while len(field.route or ()) > 1:
        after = [
            field.with_card(cell, card(box[kind], turns))
            for kind in ("straight", "curve")
            for cell, turns in field.placements(box[kind], False)
        ]
        field = min(after, key=lambda one: len(one.route or ()))
    return field


def test_it_knows_a_good_move_from_a_bad_one():
    """Nobody who sees both caps his own snake in the middle of the game."""
    dealer = dealt("schlangennest", ("blue", "red"), seed=4, moves=2)
    for level in (3, 4, 5):
        best = thought_of(dealer, Budget(looks=40), level).best
        assert best is not None and best.tile is not None
        assert best.tile.rpartition("/")[2] in ("straight", "curve")


@pytest.mark.parametrize("level", [one for one in LEVELS if one < HIGHEST])
@pytest.mark.parametrize("name", ["snekagon", "snekagon5g"])
def test_where_nothing_is_drawn_a_lower_level_plays_another_game_every_time(name, level):
    names = GAMES[name].facts.player_names
    assert names is not None
    dealer = dealt(name, names[:2], moves=4)

    best = {thought_of(dealer, level=level, seed=seed).best for seed in range(6)}

    assert len(best) > 1


def test_options_that_no_quick_world_plays_are_played_by_the_book():
    for name, players, options in (
        ("snekagon5g", ("blue", "red"), {"far_drill": True}),
        ("snekagon5g", ("blue", "red"), {"advanced": True}),
        ("sssnake", ("a", "b"), {"rolls": "trust"}),
    ):
        dealer = dealt(name, players, **options)
        world = world_of(dealer.game, dealer.position, Seat())
        assert type(world).__name__ == "BookWorld"
