"""What the judge makes of a settled table: a move, a foul, something undone, or a question."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from companion_app.live.doubts import move_at, needs_roll
from companion_app.live.explain import explain
from companion_app.live.keeping import Keeper
from companion_app.live.likeness import changed_spots, differ_by_drill, same
from companion_app.live.machine import MachineTurn
from companion_app.live.places import Belief, Sighting, Spot, beside, contents, spots_of
from companion_app.live.settle import Settled
from companion_app.live.table import read_settled
from engine.game import Move, Start
from engine.games import GAMES
from engine.lattice import hex_board
from engine.notation import read_layout
from engine.placement import Clay, Layout, Piece, Placement
from engine.record import move_to_json
from tests.companion_app.live.tabletop import Tabletop, said, verdicts
from tests.companion_app.live.test_referee import (
    PLAIN,
    a_foul,
    a_table,
    accepted,
    before_a_drill,
    covering,
    play,
    unsure,
    with_stray_cell,
)
from tests.engine.playing import Variant, random_game, variants
from vision.core.tables import TableState

NEST, CARNIVAL, SNEKAGON = PLAIN["schlangennest"], PLAIN["carnival"], PLAIN["snekagon"]
FIVE, DICE = PLAIN["snekagon5g"], PLAIN["sssnake"]
TWO = "blue/curve@0,0 red/curve@1,1"
"""Two first cards, of which only Blue's can have come first."""
THREE = f"{TWO} blue/straight@-1,0"
RED = "red/curve@0,0"
"""A first card that is out of turn."""
BENT = (
    "curve@2,0^3#{0} double-curve@-1,0#{0} crossing@-1,1#{0} straight@2,1^1#{0} curve@-1,2^1#{0} "
    "curve@0,2#{0} curve@2,2#{0}"
)
"""A snake that neither a straight nor a crossing fits."""


def table_of(variant: Any) -> Any:
    """Return the fixture of a table on which a game is played."""

    @pytest.fixture
    def table(tmp_path) -> Iterator[Tabletop]:
        with a_table(tmp_path, variant) as made:
            yield made

    return table


nest, carnival, snekagon = table_of(NEST), table_of(CARNIVAL), table_of(SNEKAGON)
five, dice = table_of(FIVE), table_of(DICE)


def moves_now(table: Tabletop) -> list[Move]:
    """Return the legal moves that lay a tile on an empty place."""
    return [m for m in table.match.game.legal_moves(table.match.position) if m.do == "place"]


def without(layout: Layout, *spots: Spot) -> Layout:
    return Layout.of(*(p for p in layout.placements() if not {*spots_of(p)} & {*spots}))  # type: ignore[arg-type]


def spoilt(table: Tabletop) -> tuple[Move, Layout]:
    """Play four moves, then lay a card that breaks a rule; return it and the table with it."""
    play(table, NEST, 7, 4)
    wrong, lying = a_foul(table)
    table.shows(lying)
    assert table.referee.doubts.pending is not None
    return wrong, lying


def events(happened: list[dict[str, Any]]) -> list[str]:
    return [one["event"] for one in happened]


def looks_at(
    table: Tabletop,
    layout: Layout | str,
    later_s: float = 0.1,
    looks: int = 8,
    sure: float | Mapping[Spot, float] = 0.999,
    covered: frozenset[Spot] = frozenset(),
) -> list[dict[str, Any]]:
    """Let the referee look at a table that so many looks agree on; return the events."""
    layout = read_layout(layout) if isinstance(layout, str) else layout
    lying = contents(layout)
    shares = dict.fromkeys(lying, sure) if isinstance(sure, float) else sure
    before = len(table.events)
    table.t += later_s
    agreed = {spot: (content, shares[spot]) for spot, content in lying.items()}
    last = Sighting(pieces=layout.pieces, clay=layout.clay)
    settled = Settled(looks, agreed, covered=covered, last=last)
    table.standing = table.referee.look(settled, table.t)
    return table.events[before:]


# --- one look ------------------------------------------------------------------------------------


def test_table_is_settling_while_too_few_looks_have_missed_a_tile(nest):
    play(nest, NEST, 5, 3)
    before = nest.match.layouts[-2]

    assert nest.shows(before, looks=3) == []
    assert nest.standing == "settling"
    assert events(nest.keeps(before, looks=1))[0] == "taken-back"
    assert nest.standing == "settled"


def test_doubtful_tile_leaves_the_table_unsure(nest):
    nest.shows(unsure(0.6))

    assert nest.standing == "unsure"
    assert nest.referee.doubts.reading.doubts.keys() == {(0, 0, 0)}


def test_cells_that_make_up_no_tile_leave_the_table_unsure(snekagon):
    play(snekagon, SNEKAGON, 3, 9)
    lying = contents(snekagon.match.layout)
    far = next(
        c
        for c in [(q, r) for q in range(-5, 6) for r in range(-5, 6) if abs(q + r) < 6]
        if not beside([(0, *c)], lying)
    )

    snekagon.shows(with_stray_cell(snekagon, snekagon.match.layout, far))

    assert snekagon.standing == "unsure"


def test_table_as_it_is_known_is_settled_and_nothing_is_said(nest):
    play(nest, NEST, 5, 3)

    assert nest.shows(nest.match.layout) == []
    assert nest.standing == "settled"
    assert nest.referee.doubts.touched is False


def test_foul_under_something_waits_until_it_is_seen(nest):
    wrong, _ = spoilt(nest)
    assert wrong.at is not None

    assert covering(nest, nest.match.layout, frozenset({(0, *wrong.at)})) == []

    assert nest.standing == "unsure"
    assert nest.referee.doubts.reading is None


def test_something_over_other_tiles_does_not_hide_that_a_foul_was_lifted(nest):
    spoilt(nest)
    hidden = frozenset([min(contents(nest.match.layout))])

    happened = covering(nest, nest.match.layout, hidden)

    assert events(happened) == ["taken-back"]
    assert nest.standing == "settled"


def test_word_that_a_missed_tile_still_lies_there_holds_until_it_is_seen_again(nest):
    play(nest, NEST, 5, 6)
    whole, third = nest.match.layout, accepted(nest)[2]
    assert third.at is not None
    left = without(whole, (0, *third.at))
    (question,) = said(nest.shows(left, looks=60), "question")
    nest.tell({"answer": question["id"], "value": question["guesses"][0][0]})
    assert said(nest.shows(left, looks=60), "question") == []

    nest.shows(whole)

    assert [q["at"] for q in said(nest.shows(left, looks=60), "question")] == [list(third.at)]


# --- other light ---------------------------------------------------------------------------------


YELLOW = read_layout("house@0,0 yellow/straight@0,-1 yellow/corner@0,-2 yellow/straight@1,-2")


def lit(*new: Placement, turned_to_logs: int) -> tuple[Layout, Settled]:
    """Return a layout with new tiles, and looks in which some yellow tiles look like logs."""
    yellow = sorted(card for card in YELLOW.cards if card.tile.startswith("yellow"))
    logs = [replace(c, tile="log/" + c.tile.split("/")[1]) for c in yellow[:turned_to_logs]]
    seen = Layout(YELLOW.cards - set(yellow[:turned_to_logs]) | {*logs, *new})
    return seen, Settled(6, {spot: (what, 0.998) for spot, what in contents(seen).items()})


def test_cards_of_one_colour_that_a_lamp_turns_into_another_are_as_they_were(carnival):
    new = Placement("black/diamond", (0, 1), 1)
    _, settled = lit(new, turned_to_logs=3)

    reading = read_settled(settled, YELLOW, carnival.match.box, {}, several=False)

    assert reading.layouts[0].cards == YELLOW.cards | {new}
    assert (reading.doubts, reading.changed) == ({}, frozenset(contents(Layout.of(new))))


def test_new_card_in_the_colour_that_a_lamp_makes_is_asked_about(carnival):
    new = Placement("log/corner", (2, -2), 2)
    _, settled = lit(new, turned_to_logs=3)

    reading = read_settled(settled, YELLOW, carnival.match.box, {}, several=False)

    (belief,) = reading.doubts.values()
    assert [content for content, _ in belief.guesses] == [("log/corner", 2), ("yellow/corner", 2)]


def test_new_card_that_there_is_in_one_colour_only_is_read_in_any_light(carnival):
    new = Placement("log/crossing", (2, -2), 0)
    _, settled = lit(new, turned_to_logs=3)

    reading = read_settled(settled, YELLOW, carnival.match.box, {}, several=False)

    assert reading.layouts[0].cards == YELLOW.cards | {new}
    assert reading.doubts == {}


def test_as_many_cards_as_hands_replace_were_replaced(carnival):
    seen, settled = lit(turned_to_logs=2)

    reading = read_settled(settled, YELLOW, carnival.match.box, {}, several=False)

    assert reading.layouts[0].cards == seen.cards


def test_answer_about_a_card_that_a_hand_has_replaced_changes_no_earlier_move(carnival):
    play(carnival, CARNIVAL, 2, 8)
    looks_at(carnival, carnival.match.layout)
    moves, match = accepted(carnival), carnival.match.now
    swap = next(
        move
        for move in carnival.match.game.legal_moves(carnival.match.position)
        if move.do == "replace" and move.at and move_at(match, (0, *move.at))
    )
    spot, content = (0, *swap.at), (swap.tile, swap.turns)
    sure = {s: (what, 0.999) for s, what in contents(carnival.match.layout).items() if s != spot}
    unread = Settled(8, sure, {spot: Belief(((content, 0.7),), sure=False)})
    carnival.referee.touch()

    for step in range(40):
        carnival.referee.look(unread, carnival.t + 0.1 * step)
        for question in carnival.referee.doubts.questions.values():
            said_so = {"answer": question.id, "value": {"tile": swap.tile, "turns": swap.turns}}
            carnival.tell(said_so)

    assert accepted(carnival) == [*moves, swap]


@pytest.mark.parametrize("noticed", [True, False])
def test_answer_that_would_break_an_earlier_move_and_is_a_legal_one_now_is_a_move(
    carnival, noticed
):
    # Carnival 37: a corner replaced in a lamp's light was told to have lain there for 33 moves.
    play(carnival, CARNIVAL, 1, 12)
    game, moves = carnival.match.game, accepted(carnival)
    swap = next(
        move
        for move in game.legal_moves(carnival.match.position)
        if move.do == "replace"
        and move.at
        and (n := move_at(carnival.match.now, (0, *move.at)))
        and not game.judge(
            carnival.match.positions[n - 1], replace(moves[n - 1], tile=move.tile, turns=move.turns)
        ).legal
    )
    spot, known = (0, *swap.at), contents(carnival.match.layout)
    doubt = Belief((((swap.tile, swap.turns), 0.7),), sure=False)
    sure = {s: (what, 0.999) for s, what in known.items() if s != spot}
    carnival.referee.look(Settled(8, sure, {spot: replace(doubt, why="covered")}), carnival.t)
    if noticed:
        carnival.referee.touch()
    heard = len(carnival.events)

    for step in range(40):
        carnival.referee.look(Settled(8, sure, {spot: doubt}), carnival.t + 0.1 * step)
        for question in list(carnival.referee.doubts.questions.values()):
            said_so = {"answer": question.id, "value": {"tile": swap.tile, "turns": swap.turns}}
            carnival.tell(said_so)

    assert accepted(carnival) == [*moves, swap]
    assert verdicts(carnival.events[heard:]) == [(len(moves) + 1, True)]


# --- as it is known, or as it was called a foul --------------------------------------------------


def test_foul_that_stays_is_said_once_and_the_table_is_settled(nest):
    _, lying = spoilt(nest)

    assert nest.shows(lying, looks=20) == []
    assert nest.standing == "settled"
    assert nest.referee.doubts.touched is False


def test_foul_that_will_be_lifted_as_somebody_said_is_not_called_again(nest):
    _, lying = spoilt(nest)
    nest.referee.waive_foul(nest.t)

    assert nest.shows(lying, looks=20) == []
    assert nest.standing == "unsure"
    assert nest.shows(nest.match.layout) == []
    assert nest.referee.doubts.waived is None
    assert verdicts(nest.shows(lying)) == [(5, False)]


def test_another_table_than_the_one_that_will_be_lifted_is_judged(nest):
    spoilt(nest)
    nest.referee.waive_foul(nest.t)
    move = moves_now(nest)[0]

    assert verdicts(nest.shows(nest.match.after(move))) == [(5, True)]


def finished(table: Tabletop, variant) -> None:
    play(table, variant, 13, 400)
    assert table.referee.doubts.over


def test_finished_game_is_cleared_once_more_than_half_of_it_is_gone(tmp_path):
    variant = next(v for v in variants() if v.options == {"size": [3, 4]})
    with a_table(tmp_path, variant) as table:
        finished(table, variant)
        count, lying = len(table.match.accepted), len(table.match.layout.cards)
        sizes = [len(layout.cards) for layout in table.match.layouts]
        cleared = table.match.layouts[sizes.index((lying - 1) // 2)]

        assert table.shows(cleared) == []

        assert table.standing == "settled"
        assert len(table.match.accepted) == count


def test_finished_game_of_which_half_is_gone_was_taken_back(tmp_path):
    variant = Variant(GAMES["schlangennest"], ("blue", "red"), {"size": [3, 4]})
    with a_table(tmp_path, variant) as table:
        finished(table, variant)
        sizes = [len(layout.cards) for layout in table.match.layouts]
        assert sizes[-1] % 2 == 0
        half = sizes.index(sizes[-1] // 2)

        happened = table.shows(table.match.layouts[half])

        assert said(happened, "taken-back")
        assert len(table.match.accepted) == half
        assert not table.referee.doubts.over


def test_game_that_goes_on_is_taken_back_however_much_of_it_is_gone(nest):
    play(nest, NEST, 6, 6)

    happened = nest.shows(nest.match.layouts[1])

    assert [e["n"] for e in said(happened, "taken-back")] == [6, 5, 4, 3, 2]


# --- misread -------------------------------------------------------------------------------------


def turned(table: Tabletop, card: Placement) -> Placement:
    return replace(card, turns=(card.turns + 1) % table.match.box[card.tile].period)


def swapped(layout: Layout, old: Placement, new: Placement) -> Layout:
    return Layout(layout.cards - {old} | {new})


def shown(card: Placement) -> list[object]:
    return [card.tile, 0.5, *([card.turns] if card.turns else [])]


def test_tile_that_looks_different_though_nobody_was_near_is_asked_about_with_both(nest):
    play(nest, NEST, 10, 3)
    layout, first = nest.match.layout, min(nest.match.layout.cards)
    other = turned(nest, first)

    assert looks_at(nest, swapped(layout, first, other)) == []
    assert nest.standing == "unsure"
    assert looks_at(nest, swapped(layout, first, other), 1.4) == []
    (question,) = looks_at(nest, swapped(layout, first, other), 0.2)

    assert (question["event"], question["about"]) == ("question", "tile")
    assert question["at"] == list(first.at)
    assert question["guesses"] == [shown(other), shown(first)]
    assert nest.standing == "unsure"


def test_each_tile_that_looks_different_is_asked_about_in_its_own_time(nest):
    play(nest, NEST, 10, 3)
    layout = nest.match.layout
    first, second = sorted(layout.cards, key=lambda card: card.at)[:2]
    odd = swapped(layout, first, turned(nest, first))
    both = swapped(odd, second, turned(nest, second))

    assert looks_at(nest, odd) == looks_at(nest, both, 1.0) == []
    assert [e["at"] for e in looks_at(nest, both, 0.6)] == [list(first.at)]
    assert [e["at"] for e in looks_at(nest, both, 1.0)] == [list(second.at)]


def test_card_that_nobody_was_seen_to_lay_is_a_move(nest):
    play(nest, NEST, 10, 3)
    move = moves_now(nest)[0]

    happened = looks_at(nest, nest.match.after(move))

    assert verdicts(happened)[0] == (4, True)
    assert accepted(nest)[3] == move


def test_card_laid_while_another_looks_different_is_judged_and_nothing_is_asked(nest):
    play(nest, NEST, 10, 3)
    move = moves_now(nest)[0]
    first = next(card for card in nest.match.layout.cards if card.at == accepted(nest)[0].at)
    both = swapped(nest.match.after(move), first, turned(nest, first))

    happened = looks_at(nest, both) + looks_at(nest, both, 2.0)

    assert said(happened, "question") == []
    assert verdicts(happened) == [(4, True), (5, False)]


def test_colour_of_hexes_is_not_asked_about_as_if_it_were_a_card(snekagon):
    play(snekagon, SNEKAGON, 2, 6)
    lying = snekagon.match.layout
    (older,) = snekagon.match.layouts[-2].pieces - snekagon.match.layouts[-3].pieces
    colour, _, shape = older.tile.partition("/")
    other = replace(older, tile=f"{'green' if colour == 'red' else 'red'}/{shape}")

    happened = snekagon.keeps(replace(lying, pieces=lying.pieces - {older} | {other}), looks=30)

    assert said(happened, "question") == []


@pytest.mark.parametrize(("later_s", "about"), [(1.25, "order"), (1.5, "tile")])
def test_tile_swapped_back_is_a_move_or_one_undone_until_it_can_only_be_misread(
    carnival, later_s, about
):
    play(carnival, CARNIVAL, 2, 8)
    before, after = swapped_once(carnival)
    carnival.referee.touch()
    carnival.t = 60.0
    looks_at(carnival, after, 0.0)

    first = looks_at(carnival, before, later_s)
    later = looks_at(carnival, before, 2.0) + looks_at(carnival, before, 2.0)

    assert bool(first) is (about == "order")
    assert [one["about"] for one in said(first + later, "question")] == [about]


# --- a game's first table ------------------------------------------------------------------------


def test_two_cards_on_a_first_table_are_moves(nest):
    assert verdicts(nest.shows(TWO)) == [(1, True), (2, True)]


def test_three_cards_on_a_first_table_are_a_game_taken_up_in_its_middle(nest):
    (question,) = nest.shows(THREE)

    assert (question["event"], question["about"]) == ("question", "next")
    assert nest.standing == "unsure"


def test_three_cards_after_the_bare_table_was_seen_are_moves(nest):
    nest.shows(Layout())

    assert verdicts(nest.shows(THREE)) == [(1, True), (2, True), (3, True)]


def test_two_cards_that_no_moves_explain_are_a_game_taken_up_in_its_middle(nest):
    nest.shows(Layout())

    (question,) = nest.shows("blue/curve@0,0 red/curve@3,3")

    assert (question["event"], question["about"]) == ("question", "next")
    assert nest.standing == "unsure"


# --- rolls ---------------------------------------------------------------------------------------


def rolled(table: Tabletop, value: int) -> list[Move]:
    """Tell a roll; return the cards that may be laid then, all on one snake."""
    table.tell({"roll": value})
    return moves_now(table)


def test_card_without_a_roll_leaves_the_table_unsure(dice):
    after = DICE.game.apply(dice.match.position, Move("a", "roll", value=2))
    move = next(m for m in DICE.game.legal_moves(after) if m.do == "place")

    assert verdicts(dice.shows(DICE.game.layout(DICE.game.apply(after, move)))) == []
    assert dice.standing == "unsure"


def test_card_laid_anew_does_not_wait_for_the_next_roll(dice):
    first, *others = rolled(dice, 1)
    second = next(m for m in others if m.at != first.at)
    tables = [dice.match.after(first), dice.match.after(second)]
    dice.shows(tables[0])
    assert needs_roll(dice.match.now, dice.referee.doubts)

    happened = dice.shows(tables[1])

    assert [e["n"] for e in said(happened, "taken-back")] == [2]
    assert accepted(dice)[1:] == [second]
    assert dice.standing == "settled"


def test_card_taken_back_does_not_wait_for_the_next_roll(dice):
    first, *_ = rolled(dice, 1)
    before = dice.match.layout
    dice.shows(dice.match.after(first))

    assert [e["n"] for e in said(dice.shows(before), "taken-back")] == [2]


def test_card_of_a_roll_that_was_told_ahead_puts_out_what_was_left_before_it(dice):
    shut = " ".join(BENT.format(field) for field in (0, 1))
    dice.match.restart(Start(("a", "b"), {}, read_layout(shut), midgame=True))
    dice.tell({"roll": 2, "tiles": ["straight", "crossing"]})
    dice.tell({"roll": 1, "tiles": ["curve"]})
    game, reached = dice.match.game, dice.match.position
    for out in ("straight", "crossing"):
        reached = game.apply(reached, Move("a", "discard", out))
    reached = game.apply(reached, Move("b", "roll", value=1, tiles=("curve",)))
    laid = game.legal_moves(reached)[0]

    happened = looks_at(dice, game.layout(game.apply(reached, laid)))

    assert [m.do for m in accepted(dice)] == ["roll", "discard", "discard", "roll", "place"]
    assert verdicts(happened)[-1] == (5, True)
    assert dice.standing == "settled"


# --- legal moves ---------------------------------------------------------------------------------


def swapped_once(
    table: Tabletop, spots: frozenset[Spot] = frozenset(), but: Layout | None = None
) -> tuple[Layout, Layout]:
    """Swap a tile that the next player may swap back; return the tables before and after.

    It lies in these spots, and the table after it is not ``but``.
    """
    game, position = table.match.game, table.match.position
    before = table.match.layout
    for swap in (m for m in game.legal_moves(position) if m.do == "replace"):
        after = game.apply(position, swap)
        if game.layout(after) == but or not spots <= changed_spots(before, game.layout(after)):
            continue
        if len(explain(game, after, before).rows) == 1:
            table.shows(game.layout(after))
            assert accepted(table)[-1] == swap
            return before, game.layout(after)
    raise AssertionError("no such swap")


def test_tile_swapped_back_may_be_a_move_or_one_undone_and_is_asked_about(carnival):
    play(carnival, CARNIVAL, 2, 8)
    before, _ = swapped_once(carnival)
    count = len(carnival.match.accepted)

    (question,) = said(carnival.shows(before), "question")

    assert (question["about"], question["guesses"][-1]) == ("order", "taken-back")
    assert [[move["do"] for move in guess] for guess in question["guesses"][:-1]] == [["replace"]]
    assert carnival.standing == "unsure"
    carnival.tell({"answer": question["id"], "value": "taken-back"})
    assert len(carnival.match.accepted) == count - 1


def test_order_that_somebody_has_chosen_is_the_order(carnival):
    play(carnival, CARNIVAL, 2, 8)
    before, _ = swapped_once(carnival)
    count = len(carnival.match.accepted)
    (question,) = said(carnival.shows(before), "question")
    carnival.tell({"answer": question["id"], "value": 0})

    happened = carnival.keeps(before)

    assert verdicts(happened)[0] == (count + 1, True)
    assert carnival.match.layout == before
    assert carnival.standing == "settled"


def test_order_is_asked_again_at_once_when_the_chosen_move_was_taken_back_and_made_again(carnival):
    # Carnival 34: for ten seconds it was held for the question that had just been answered.
    play(carnival, CARNIVAL, 2, 8)
    before, after = swapped_once(carnival)
    count = len(carnival.match.accepted)
    (question,) = said(carnival.shows(before), "question")
    carnival.tell({"answer": question["id"], "value": 0})
    carnival.keeps(before)
    carnival.referee.take_back(1, carnival.t)
    assert (carnival.match.layout, len(carnival.match.accepted)) == (after, count)

    (again,) = said(carnival.shows(before), "question")

    assert again["guesses"] == question["guesses"]


def test_order_that_somebody_has_chosen_stands_where_a_hand_takes_it_back_and_makes_it_again(
    carnival,
):
    # Carnival 34: three moves taken back and made again asked nine times in a minute.
    play(carnival, CARNIVAL, 2, 8)
    before, after = swapped_once(carnival)
    count = len(carnival.match.accepted)
    (question,) = said(carnival.shows(before), "question")
    carnival.tell({"answer": question["id"], "value": 0})
    carnival.keeps(before)
    made = len(carnival.match.accepted) - count
    carnival.referee._decide(lambda draft: Keeper(draft).undo(made, lambda: None), carnival.t)
    assert carnival.match.layout == after

    assert said(carnival.shows(before), "question") == []

    assert len(carnival.match.accepted) > count
    assert carnival.match.layout == before


def test_tile_laid_back_as_when_somebody_called_it_a_move_is_one_until_a_move_is_taken_back(
    carnival,
):
    # Carnival 34: two players who laid back what the other had replaced were asked at every turn.
    play(carnival, CARNIVAL, 2, 8)
    before, after = swapped_once(carnival)
    for table in (before, after):
        (question,) = said(carnival.shows(table), "question")
        carnival.tell({"answer": question["id"], "value": 0})
        carnival.keeps(table)
    count = len(carnival.match.accepted)

    assert said(carnival.shows(before), "question") == []
    assert len(carnival.match.accepted) > count
    assert carnival.match.layout == before

    carnival.referee.take_back(len(carnival.match.accepted) - count, carnival.t)
    assert said(carnival.shows(before), "question")


def test_other_tile_gone_where_one_was_once_laid_back_as_a_move_is_asked_about(carnival):
    # Carnival 20: a diamond that was taken back counted as replaced, and won its points twice.
    play(carnival, CARNIVAL, 4, 8)
    before, after = swapped_once(carnival)
    (question,) = said(carnival.shows(before), "question")
    carnival.tell({"answer": question["id"], "value": 0})
    carnival.keeps(before)
    assert swapped_once(carnival, changed_spots(before, after), but=after)[0] == before
    count = len(carnival.match.accepted)

    (question,) = said(carnival.shows(before), "question")

    assert question["guesses"][-1] == "taken-back"
    assert len(carnival.match.accepted) == count


def test_several_tiles_back_as_they_lay_were_taken_back_though_moves_could_lead_there(carnival):
    play(carnival, CARNIVAL, 2, 8)
    match = carnival.match
    before = list(dict.fromkeys(match.layouts))[-3]
    assert explain(match.game, match.position, before).rows

    carnival.shows(before)

    assert carnival.standing == "settled"
    assert match.layout == before
    line = [one for one in carnival.store.lines(match.key) if one.kind == "taken-back"][-1]
    assert carnival.store.picture(line.seq, "after") == b"jpeg"


def test_tile_changed_to_what_lay_there_two_moves_ago_is_a_move(carnival):
    play(carnival, CARNIVAL, 0, 6)
    before = carnival.match.layout
    (log,) = (card for card in before.cards if card.tile == "log/corner")
    swaps = [("black/corner", 1), ("log/corner", 2), ("log/corner", log.turns)]

    for tile, turns in swaps:
        carnival.shows(swapped(before, log, replace(log, tile=tile, turns=turns)))

    assert [(m.do, m.tile, m.turns) for m in accepted(carnival)[6:]] == [
        ("replace", *swap) for swap in swaps
    ]
    assert carnival.match.layout == before
    assert carnival.standing == "settled"


def drilled_or_flat(table: Tabletop) -> tuple[Move, Layout]:
    """Play up to a tile that may be a drill or none; return the drill and the table after it."""
    for position, _, move in random_game(FIVE, 8):
        after = FIVE.game.layout(FIVE.game.apply(position, move))
        flat = replace(move, origin=None, to=None)
        if move.origin is not None and FIVE.game.judge(position, flat).legal:
            return move, after
        if after != FIVE.game.layout(position):
            table.shows(after)
    raise AssertionError("no such drill")


def test_tile_without_clay_is_no_drill_once_it_was_waited_for(five):
    drill, after = drilled_or_flat(five)
    bare = replace(after, clay=five.match.layout.clay)
    count = len(five.match.accepted)

    assert five.shows(bare, looks=4) == []
    assert five.standing == "unsure"
    assert verdicts(five.keeps(bare, looks=2))[0] == (count + 1, True)
    assert accepted(five)[count] == replace(drill, origin=None, to=None)
    assert five.standing == "settled"


def test_clay_that_is_laid_late_makes_the_last_move_the_drill_that_it_was(five):
    drill, after = drilled_or_flat(five)
    count = len(five.match.accepted)
    five.shows(replace(after, clay=five.match.layout.clay))

    happened = five.shows(after)

    assert verdicts(happened) == [(count + 1, True)]
    assert said(happened, "verdict")[0]["move"] == move_to_json(drill)
    assert accepted(five)[count:] == [drill]
    (line,) = (one for one in five.store.lines(five.match.key) if one.kind == "corrected")
    assert line.body["t"] == pytest.approx(happened[0]["t"])
    assert five.shows(after) == []


@pytest.mark.parametrize("passes", [1, 2])
def test_clay_that_is_laid_after_stuck_players_passed_makes_it_a_drill_all_the_same(five, passes):
    drill, after = drilled_or_flat(five)
    count = len(five.match.accepted)
    five.shows(replace(after, clay=five.match.layout.clay))
    for _ in range(passes):
        five.match.accept([Move(five.match.position.to_move, "pass")])

    happened = five.shows(after)

    assert accepted(five)[count:] == [drill]
    undone = [count + 1 + number for number in range(passes, 0, -1)]
    assert [e["n"] for e in said(happened, "taken-back")] == undone
    assert verdicts(happened) == [(count + 1, True)]
    kept = [one for one in five.store.lines(five.match.key) if one.kind == "taken-back"]
    assert [line.body["n"] for line in kept] == undone
    assert [line.body["t"] for line in kept] == pytest.approx([happened[0]["t"]] * passes)


def test_clay_is_waited_for_anew_where_another_tile_lies(five):
    drill, after = drilled_or_flat(five)
    match, clay = five.match, five.match.layout.clay
    other = next(
        table
        for move in moves_now(five)
        if move.origin and move.cells != drill.cells
        for table in [replace(match.after(move), clay=clay)]
        if len(rows := list(explain(match.game, match.position, table).rows)) > 1
        and differ_by_drill(rows)
    )

    assert looks_at(five, replace(after, clay=clay)) == []
    assert looks_at(five, other, 0.2) == []
    assert verdicts(looks_at(five, other, 0.2))[0][1] is True


def test_hexes_that_were_cut_into_no_tiles_yet_are_cut_on_their_own_board(five):
    move = next(m for m in moves_now(five) if m.board == 1)
    lying = contents(five.match.after(move))

    five.referee.look(Settled(8, {spot: (one, 0.999) for spot, one in lying.items()}), 1.0)

    assert accepted(five) == [move]


def test_board_on_which_nothing_was_laid_yet_is_settled(five):
    assert five.shows(five.match.layout) == []
    assert five.standing == "settled"


def test_clay_in_time_tells_the_drill_at_once(five):
    drill, after = drilled_or_flat(five)

    assert verdicts(five.shows(after, looks=3))[0][1] is True
    assert accepted(five)[-1] == drill


def test_card_laid_on_trust_is_its_owners(tmp_path):
    variant = next(v for v in variants() if v.options == {"rolls": "trust"})
    with a_table(tmp_path, variant) as table:
        for snake in ("b", "a", "c"):
            move = next(m for m in moves_now(table) if m.snake == snake)
            table.shows(table.match.after(move))

        assert [(m.player, m.snake) for m in accepted(table)] == [
            ("b", "b"),
            ("a", "a"),
            ("c", "c"),
        ]


def test_legal_move_in_place_of_a_foul_takes_the_foul_back_first(nest):
    spoilt(nest)

    happened = nest.shows(nest.match.after(moves_now(nest)[0]))

    assert events(happened)[:2] == ["taken-back", "verdict"]
    assert (happened[0]["n"], happened[0]["legal"]) == (5, False)
    assert nest.standing == "settled"
    assert nest.referee.doubts.pending is None


# --- beside something that covers tiles ----------------------------------------------------------


def laid_away_from(table: Tabletop, spots: Collection[Spot]) -> frozenset[Piece]:
    """Return the tiles of a move that touches none of some spots; empty if there is none."""
    match = table.match
    found = (match.after(move).pieces - match.layout.pieces for move in moves_now(table))
    away = (laid for laid in found if not beside({s for p in laid for s in spots_of(p)}, spots))
    return next(away, frozenset())


def beside_a_cup(table: Tabletop) -> tuple[Layout, frozenset[Spot], Layout]:
    """Return a table with a tile hidden and the one beside it misread; the same with a move."""
    match = table.match
    for hidden in sorted(match.layout.pieces):
        cup = frozenset(spots_of(hidden))
        for near in sorted(match.layouts[-2].pieces - {hidden}):
            if not beside(spots_of(near), cup):
                continue
            colour, _, shape = near.tile.partition("/")
            other = replace(near, tile=f"{'green' if colour == 'red' else 'red'}/{shape}")
            seen = match.layout.pieces - {hidden, near} | {other}
            if laid := laid_away_from(table, {*cup, *spots_of(near)}):
                return Layout(pieces=seen), cup, Layout(pieces=seen | laid)
    raise AssertionError("no such place")


def half_under_a_cup(table: Tabletop) -> tuple[Layout, frozenset[Spot], Layout]:
    """Return a table with one cell of a hidden tile seen in another colour; that with a move."""
    for hidden in sorted(table.match.layout.pieces):
        first, *rest = spots_of(hidden)
        laid = laid_away_from(table, spots_of(hidden))
        if len(rest) < 2 or not laid:
            continue
        other = "green" if hidden.tile.startswith("red") else "red"
        seen = table.match.layout.pieces - {hidden} | {Piece(f"{other}/1", (first[1:],))}
        return Layout(pieces=seen), frozenset(rest), Layout(pieces=seen | laid)
    raise AssertionError("no such place")


@pytest.mark.parametrize("strange", [beside_a_cup, half_under_a_cup])
def test_move_far_from_a_cup_counts_though_a_tile_at_the_cup_is_misread(snekagon, strange):
    play(snekagon, SNEKAGON, 2, 6)
    count = len(snekagon.match.accepted)
    seen, cup, moved = strange(snekagon)

    assert looks_at(snekagon, seen, covered=cup) == []
    assert snekagon.standing == "unsure"
    assert verdicts(looks_at(snekagon, moved, covered=cup)) == [(count + 1, True)]
    assert snekagon.standing == "settled"


def test_foul_far_from_a_cup_is_not_called_while_something_looks_new_beside_it(snekagon):
    play(snekagon, SNEKAGON, 2, 6)
    seen, cup, _ = beside_a_cup(snekagon)
    taken = contents(seen)
    other = "green" if snekagon.match.position.to_move == "red" else "red"
    apart = next(
        Piece(f"{other}/3/0", cells)
        for q in range(-5, 3)
        for r in range(-5, 6)
        for cells in [tuple((q + n, r) for n in range(3))]
        if max(abs(q + n + r) for n in range(3)) < 6
        and not beside([(0, *cell) for cell in cells], {*taken, *cup})
    )

    assert looks_at(snekagon, Layout(pieces=seen.pieces | {apart}), covered=cup) == []
    assert snekagon.standing == "unsure"


def test_move_far_from_a_cup_waits_while_cells_elsewhere_make_up_no_tile(snekagon):
    play(snekagon, SNEKAGON, 3, 9)
    count = len(snekagon.match.accepted)
    _, cup, moved = beside_a_cup(snekagon)
    lying = contents(moved)
    taken = {*lying, *contents(snekagon.match.layout)}
    far = next((0, *cell) for cell in sorted(hex_board(6)) if not beside([(0, *cell)], taken))
    cells = {**lying, far: ("red", 0)}
    settled = Settled(
        8,
        {spot: (one, 0.999) for spot, one in cells.items()},
        covered=cup,
        last=Sighting(pieces=moved.pieces),
    )

    assert snekagon.referee.look(settled, snekagon.t) == "unsure"
    assert len(snekagon.match.accepted) == count
    snekagon.referee.doubts = replace(snekagon.referee.doubts, strays=frozenset({far}))
    assert snekagon.referee.look(settled, snekagon.t) == "settled"
    assert len(snekagon.match.accepted) == count + 1


# --- the machine's move --------------------------------------------------------------------------


def machine_wants(table: Tabletop) -> tuple[Move, Move]:
    """Let the machine want a move; return it and another legal one."""
    wanted, *others = moves_now(table)
    other = next(m for m in others if m.at != wanted.at)
    table.referee.wants(MachineTurn(wanted.player, table.match.position, wanted))
    return wanted, other


def test_machines_move_laid_as_it_wants_is_taken(nest):
    play(nest, NEST, 10, 3)
    wanted, _ = machine_wants(nest)

    happened = nest.shows(nest.match.after(wanted))

    assert verdicts(happened)[0] == (4, True)
    assert said(happened, "machine") == []


def test_machines_move_laid_otherwise_is_told_once_and_not_taken(nest):
    play(nest, NEST, 10, 3)
    wanted, other = machine_wants(nest)
    table = nest.match.after(other)

    assert nest.shows(table, looks=3) == []
    (told,) = nest.keeps(table, looks=1)
    assert nest.keeps(table, looks=10) + nest.shows(table) == []

    assert told == {
        "t": round(nest.t - 1.6, 3),
        "event": "machine",
        "player": wanted.player,
        "laid": move_to_json(other),
        "belongs": move_to_json(wanted),
    }
    assert len(nest.match.accepted) == 3
    assert nest.standing == "settled"
    otherwise = nest.referee.doubts.otherwise
    assert otherwise is not None
    assert (otherwise.row.moves, otherwise.layout) == ((other,), table)
    (line,) = (one for one in nest.store.lines(nest.match.key) if one.kind == "laid-otherwise")
    assert line.body["laid"] == [move_to_json(other)]
    assert line.body["belongs"] == move_to_json(wanted)
    assert line.body["t"] == pytest.approx(told["t"])


def test_machines_move_laid_otherwise_in_another_way_is_told_again(nest):
    play(nest, NEST, 10, 3)
    wanted, other = machine_wants(nest)
    third = next(m for m in moves_now(nest) if m not in (wanted, other))
    nest.shows(nest.match.after(other))

    (told,) = nest.shows(nest.match.after(third))

    assert told["laid"] == move_to_json(third)


def test_what_lay_otherwise_is_forgotten_once_it_is_lifted(nest):
    play(nest, NEST, 10, 3)
    _, other = machine_wants(nest)
    nest.shows(nest.match.after(other))

    (told,) = nest.shows(nest.match.layout, looks=3)

    assert told == {"t": round(nest.t, 3), "event": "machine"}
    assert nest.referee.doubts.otherwise is None
    assert nest.shows(nest.match.layout) == []


def test_what_was_let_stand_for_the_machine_is_kept_with_the_picture_of_its_tile(nest):
    play(nest, NEST, 10, 3)
    _, other = machine_wants(nest)
    nest.picture = b"with its tile"
    nest.shows(nest.match.after(other))

    nest.tell({"stand": True})

    assert nest.store.picture(nest.match.accepted[3].seq, "after") == b"with its tile"


def test_machines_move_laid_otherwise_is_told_before_a_foul_after_it(snekagon):
    play(snekagon, SNEKAGON, 2, 6)
    wanted, *others = moves_now(snekagon)
    other = next(m for m in others if set(m.cells or ()).isdisjoint(wanted.cells or ()))
    snekagon.referee.wants(MachineTurn(wanted.player, snekagon.match.position, wanted))
    seen = snekagon.match.after(other)
    lying = contents(seen)
    own = {spot for spot, content in lying.items() if content[0] == "green"}
    foul = next(
        Piece("green/1", ((q, r),))
        for q in range(-5, 6)
        for r in range(-5, 6)
        if abs(q + r) < 6
        and (0, q, r) not in lying
        and beside([(0, q, r)], lying.keys() - own)
        and not beside([(0, q, r)], own)
    )

    (told,) = snekagon.shows(Layout(pieces=seen.pieces | {foul}))

    assert (told["event"], told["laid"]) == ("machine", move_to_json(other))
    assert len(snekagon.match.accepted) == 6
    assert snekagon.standing == "settled"


def test_nobody_chooses_for_a_machine_that_thinks(nest):
    play(nest, NEST, 10, 3)
    nest.referee.wants(MachineTurn(nest.match.position.to_move, nest.match.position))

    assert nest.shows(nest.match.after(moves_now(nest)[0])) == []

    assert nest.standing == "settled"
    assert len(nest.match.accepted) == 3


def test_turn_of_the_machine_that_is_past_changes_nothing(nest):
    play(nest, NEST, 10, 3)
    nest.referee.wants(MachineTurn(nest.match.position.to_move, nest.match.positions[1]))

    assert verdicts(nest.shows(nest.match.after(moves_now(nest)[0])))[0] == (4, True)


def test_move_of_another_player_is_not_the_machines(carnival):
    play(carnival, CARNIVAL, 2, 8)
    match = carnival.match
    other = next(player for player in match.start.players if player != match.position.to_move)
    carnival.referee.wants(MachineTurn(other, match.position))
    move = moves_now(carnival)[0]

    assert verdicts(carnival.shows(match.after(move)))[0][1] is True


def test_of_moves_that_look_alike_the_machines_is_taken_without_a_question(five):
    drill, after = drilled_or_flat(five)
    bare = replace(after, clay=five.match.layout.clay)
    five.referee.wants(MachineTurn(drill.player, five.match.position, drill))

    five.shows(bare, looks=3)

    assert accepted(five)[-1] == drill


def test_past_wish_of_the_machine_chooses_none_of_moves_that_look_alike(five):
    drill, after = drilled_or_flat(five)
    bare = replace(after, clay=five.match.layout.clay)
    five.referee.wants(MachineTurn(drill.player, five.match.positions[0], drill))

    five.shows(bare)

    assert accepted(five)[-1] == replace(drill, origin=None, to=None)


# --- fouls ---------------------------------------------------------------------------------------


def test_foul_is_called_by_so_many_looks_that_are_just_sure_enough(nest):
    assert looks_at(nest, RED, looks=3, sure=0.97) == []
    assert nest.standing == "settling"

    assert verdicts(looks_at(nest, RED, looks=4, sure=0.97)) == [(1, False)]
    assert nest.standing == "settled"


def test_foul_that_is_not_quite_sure_is_asked_about_after_a_while(nest):
    assert looks_at(nest, RED, sure=0.969) == []
    assert nest.standing == "unsure"
    assert looks_at(nest, RED, 1.4, sure=0.969) == []

    (question,) = looks_at(nest, RED, 0.2, sure=0.969)

    assert (question["about"], question["at"]) == ("tile", [0, 0])
    assert question["guesses"] == [["red/curve", 0.969]]
    assert nest.standing == "unsure"


def test_another_foul_that_is_not_quite_sure_is_waited_for_anew(nest):
    assert looks_at(nest, RED, sure=0.969) == []

    assert looks_at(nest, "red/straight@0,0", 1.6, sure=0.969) == []


def test_only_the_tiles_of_a_foul_that_are_not_quite_sure_are_asked_about(nest):
    nest.shows("blue/curve@0,0")
    table = "blue/curve@0,0 red/curve@3,0 blue/curve@6,0"
    sure = {(0, 0, 0): 0.9, (0, 3, 0): 0.97, (0, 6, 0): 0.96}
    assert looks_at(nest, table, sure=sure) == []

    asked = looks_at(nest, table, 2.0, sure=sure)

    assert [(one["event"], one["at"]) for one in asked] == [("question", [6, 0])]


def test_tile_that_the_box_has_no_more_of_is_asked_about_and_nobody_is_accused(nest):
    play(nest, NEST, 10, 3)
    tail = f"{nest.match.position.to_move}/tail"
    move = next(m for m in moves_now(nest) if m.tile != tail)
    many = nest.match.box[tail].count
    laid = [Placement(tail, (20 + 2 * n, 20)) for n in range(many)]
    start = replace(
        nest.match.start,
        layout=Layout.of(*nest.match.layout.cards, *laid),
        midgame=True,
        next=move.player,
    )
    nest.match.restart(start)
    assert move.at is not None
    one_more = Layout.of(*nest.match.layout.cards, Placement(tail, move.at, move.turns or 0))
    assert said(nest.shows(one_more, looks=10), "question") == []

    happened = nest.keeps(one_more, looks=20)

    assert events(happened) == ["question"]
    assert (happened[0]["about"], happened[0]["at"]) == ("tile", list(move.at))
    assert nest.standing == "unsure"


def test_foul_after_a_legal_move_in_one_look_is_called_after_it(nest):
    play(nest, NEST, 7, 3)
    move = moves_now(nest)[0]
    after = nest.match.game.apply(nest.match.position, move)
    wrong = next(
        Placement(m.tile, (m.at[0], m.at[1] + 5))
        for m in nest.match.game.legal_moves(after)
        if m.tile
        and m.at
        and not nest.match.game.judge(after, replace(m, at=(m.at[0], m.at[1] + 5), turns=0)).legal
    )

    happened = nest.shows(Layout.of(*nest.match.after(move).cards, wrong))

    assert verdicts(happened) == [(4, True), (5, False)]
    assert accepted(nest)[3:] == [move]


def test_foul_after_a_tile_that_was_legal_only_after_passes_waits_for_a_word_about_them(tmp_path):
    table = Tabletop(tmp_path, "carnival", ("yellow", "violet", "black"))
    lying = "house@0,0"
    for laid in ("", " yellow/straight@0,-1^1", " violet/straight@1,0", " black/straight@0,1^1"):
        lying += laid
        table.shows(lying)
    table.tell({"finale": True})
    both, before = f"{lying} black/head@0,2^1 yellow/straight@5,5", accepted(table)

    (question,) = table.shows(both)

    assert (question["event"], question["guesses"]) == ("question", ["pass", "foul"])
    assert accepted(table) == before
    assert table.standing == "unsure"
    table.tell({"answer": question["id"], "value": "pass"})
    assert [m.do for m in accepted(table)[len(before) :]] == ["pass", "pass", "place"]
    assert verdicts(table.keeps(both)) == [(len(accepted(table)) + 1, False)]
    table.close()


def test_foul_in_place_of_another_takes_that_one_back_first(nest):
    wrong, lying = spoilt(nest)
    (card,) = lying.cards - nest.match.layout.cards
    assert wrong.at is not None
    other = replace(card, at=(wrong.at[0], wrong.at[1] + 9))

    happened = nest.shows(Layout(lying.cards - {card} | {other}))

    assert events(happened) == ["taken-back", "verdict"]
    assert verdicts(happened) == [(5, False)]
    assert nest.referee.doubts.pending.move.at == other.at


def test_foul_stays_one_while_more_clay_shows_no_drill(five):
    move, after = before_a_drill(five, FIVE)
    others = (p for p in after.pieces if p.tile.partition("/")[0] != move.player)
    specks = [Clay(s[0], s[1:], "open") for p in sorted(others) for s in spots_of(p)][:2]
    known = five.match.layout.clay
    assert verdicts(five.shows(replace(after, clay=known | {specks[0]}))) == [
        (len(five.match.accepted) + 1, False)
    ]

    assert five.shows(replace(after, clay=known | {*specks})) == []

    assert five.standing == "settled"
    assert five.referee.doubts.pending is not None


# --- moves that are undone -----------------------------------------------------------------------


def test_first_move_of_a_game_is_taken_back_like_any_other(nest):
    nest.shows("blue/curve@0,0")

    assert [e["n"] for e in said(nest.shows(Layout()), "taken-back")] == [1]
    assert nest.match.accepted == ()


def test_last_of_many_moves_is_taken_back(nest):
    play(nest, NEST, 5, 9)

    assert [e["n"] for e in said(nest.shows(nest.match.layouts[-2]), "taken-back")] == [9]


@pytest.mark.parametrize(("gone", "undone"), [(12, 12), (13, 0)])
def test_a_dozen_tiles_at_most_are_taken_back_at_once(nest, gone, undone):
    play(nest, NEST, 4, 14)
    sizes = [len(layout.cards) for layout in nest.match.layouts]
    number = sizes.index(sizes[-1] - gone)

    happened = nest.shows(nest.match.layouts[number])

    assert bool(said(happened, "taken-back")) is bool(undone)
    assert len(nest.match.layout.cards) == sizes[-1] - undone


def test_last_card_turned_in_its_place_was_laid_otherwise_by_whoever_laid_it(carnival):
    first, second = turned_in_place(carnival)
    carnival.referee.touch()

    happened = looks_at(carnival, second)

    assert len(said(happened, "taken-back")) == 1
    assert accepted(carnival)[-1] == replace(first, turns=accepted(carnival)[-1].turns)
    assert carnival.match.layout == second


def turned_in_place(table: Tabletop, same_tile: bool = True) -> tuple[Move, Layout]:
    """Lay a card that could be turned as a move too; return it and the table with it turned.

    Or with another tile in its place, where it shall not be the same one.
    """
    match = table.match
    for number in range(40):
        for move in moves_now(table):
            for other in moves_now(table):
                if other == move or (other.at, other.tile == move.tile) != (move.at, same_tile):
                    continue
                lying = match.after(other)
                if explain(match.game, match.game.apply(match.position, move), lying).rows:
                    table.shows(match.after(move))
                    assert accepted(table)[-1] == move
                    return move, lying
        table.shows(match.after(moves_now(table)[number % len(moves_now(table))]))
    raise AssertionError("no such card")


def test_last_card_swapped_for_another_is_the_next_players_move(carnival):
    first, second = turned_in_place(carnival, same_tile=False)

    happened = carnival.shows(second)

    assert said(happened, "taken-back") == []
    assert accepted(carnival)[-2] == first
    assert accepted(carnival)[-1].do == "replace"


def hard_to_read(table: Tabletop, layout: Layout, spot: Spot) -> TableState:
    """Return a table on which the tile of one spot is not surely read."""
    state = table.state(layout)
    (dim,) = (tile for tile in state.tiles if (0, *tile["at"]) == spot)
    guesses = [[dim["tile"], 0.6, dim.get("turns", 0)], ["gift", 0.4]]
    rest = tuple(tile for tile in state.tiles if tile is not dim)
    return replace(state, tiles=rest, unsure=({**dim, "guesses": guesses, "why": "glare"},))


def swappable(table: Tabletop) -> tuple[Move, Move]:
    """Play up to a tile that may be replaced by another at once; return both moves."""
    match = table.match
    for number in range(40):
        for move in moves_now(table):
            for swap in match.game.legal_moves(match.game.apply(match.position, move)):
                if (swap.do, swap.at) == ("replace", move.at) and swap.tile != move.tile:
                    return move, swap
        table.shows(match.after(moves_now(table)[number % len(moves_now(table))]))
    raise AssertionError("no such tile")


def test_tile_that_was_named_and_is_replaced_later_is_a_move(carnival):
    match = carnival.match
    move, swap = swappable(carnival)
    assert move.at is not None
    dim = hard_to_read(carnival, match.after(move), (0, *move.at))
    (question,) = said(carnival.shows(dim, looks=30), "question")
    carnival.tell({"answer": question["id"], "value": {"tile": move.tile, "turns": move.turns}})
    carnival.keeps(dim)
    assert accepted(carnival)[-1] == move

    carnival.shows(match.after(swap))

    assert accepted(carnival)[-1] == swap


def test_last_card_turned_is_a_move_where_another_was_laid_too(carnival):
    _, table = turned_in_place(carnival)
    match = carnival.match
    (swap,) = {row.moves[-1] for row in explain(match.game, match.position, table).rows}
    after = match.game.apply(match.position, swap)
    found = {
        move.at: lying
        for move in match.game.legal_moves(after)
        if move.do == "place"
        for lying in [match.game.layout(match.game.apply(after, move))]
        if len(explain(match.game, match.position, lying).rows) > 1
    }
    assert len(found) > 2

    for both in found.values():
        assert said(carnival.shows(both), "taken-back") == []


def replayed(table: Tabletop, count: int) -> tuple[Layout, Move]:
    """Return the table with the last moves gone and another laid, and that other move."""
    match = table.match
    before, lying = match.positions[-1 - count], match.layouts[-1 - count]
    gone = match.layout.cards - lying.cards
    for move in match.game.legal_moves(before):
        after = match.game.layout(match.game.apply(before, move))
        other = move.do == "place" and not (after.cards - lying.cards) & gone
        if other and not explain(match.game, match.position, after).rows:
            return after, move
    raise AssertionError("no such move")


@pytest.mark.parametrize(("count", "undone"), [(1, 1), (2, 2), (8, 8), (9, 0)])
def test_moves_taken_back_with_another_laid_in_their_place_are_undone_up_to_eight(
    nest, count, undone
):
    play(nest, NEST, 5, 10)
    table, move = replayed(nest, count)

    happened = nest.shows(table)

    assert len(said(happened, "taken-back")) == undone
    if undone:
        assert accepted(nest)[10 - count :] == [move]
        assert nest.standing == "settled"
    else:
        assert len(nest.match.accepted) == 10


def test_only_move_of_a_game_may_be_laid_otherwise(nest):
    nest.shows("blue/curve@0,0")
    nest.referee.touch()

    happened = looks_at(nest, "blue/straight@0,0")

    assert [e["n"] for e in said(happened, "taken-back")] == [1]
    assert verdicts(happened) == [(1, True)]
    assert [m.tile for m in accepted(nest)] == ["blue/straight"]


def test_last_card_moved_to_where_it_breaks_a_rule_is_undone_and_called(nest):
    nest.shows("blue/curve@0,0")
    nest.shows("blue/curve@0,0 red/curve@1,1")

    happened = nest.shows("blue/curve@0,0 red/curve@3,1")

    assert [e["n"] for e in said(happened, "taken-back")] == [2]
    assert verdicts(happened) == [(2, False)]
    assert nest.standing == "settled"


def test_last_card_that_seems_to_lie_wrong_is_not_undone_before_it_is_surely_read(nest):
    nest.shows("blue/curve@0,0")
    nest.shows("blue/curve@0,0 red/curve@1,1")
    nest.referee.touch()

    looks_at(nest, "blue/curve@0,0 red/curve@3,1", sure={(0, 0, 0): 0.99, (0, 3, 1): 0.96})

    assert len(nest.match.accepted) == 2
    assert said(nest.events, "taken-back") == []


def test_first_card_that_breaks_a_rule_does_not_undo_the_roll_before_it(dice):
    dice.tell({"roll": 1, "tiles": ["straight"]})
    dice.referee.touch()
    own = Placement("straight", (2, 0), 0, 0)

    happened = looks_at(dice, Layout(dice.match.layout.cards | {own}))

    assert events(happened) == ["verdict"]
    assert verdicts(happened) == [(2, False)]


def test_cards_that_vanish_are_no_foul_of_those_that_stay(nest):
    play(nest, NEST, 7, 4)
    cells = [move.at for move in accepted(nest)]
    left = Layout(frozenset(c for c in nest.match.layout.cards if c.at in (cells[0], cells[2])))

    assert looks_at(nest, left) == []

    assert nest.standing == "unsure"
    assert len(nest.match.accepted) == 4


def test_older_card_that_vanishes_while_the_last_one_stays_is_no_move_made_anew(nest):
    play(nest, NEST, 5, 6)
    whole, third = nest.match.layout, accepted(nest)[2]
    assert third.at is not None

    happened = nest.shows(without(whole, (0, *third.at)), looks=10)

    assert happened == []
    assert nest.standing == "unsure"
    assert same(nest.match.layout, whole)


def test_table_that_no_moves_explain_is_unsure_until_it_is_asked_about(nest):
    play(nest, NEST, 5, 6)
    left = Layout(frozenset(sorted(nest.match.layout.cards)[2:]))

    assert nest.shows(left, looks=20) == []
    assert nest.standing == "unsure"
    assert [e["about"] for e in said(nest.keeps(left, looks=40), "question")] == ["next"]
