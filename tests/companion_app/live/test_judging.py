"""What the judge makes of a settled table: a move, a foul, something undone, or a question."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

import pytest

from companion_app.live.doubts import move_at
from companion_app.live.explain import explain
from companion_app.live.keeping import Keeper
from companion_app.live.likeness import changed_spots
from companion_app.live.machine import MachineTurn
from companion_app.live.places import Belief, Sighting, Spot, beside, contents, spots_of
from companion_app.live.settle import Settled
from companion_app.live.table import read_settled
from engine.game import Move, Start
from engine.lattice import hex_board
from engine.notation import read_layout
from engine.placement import Layout, Piece, Placement
from engine.record import move_to_json
from tests.companion_app.live.tabletop import Tabletop, said, verdicts
from tests.companion_app.live.test_referee import (
    PLAIN,
    a_table,
    accepted,
    play,
)
from tests.engine.playing import random_game

NEST, CARNIVAL, SNEKAGON = PLAIN["schlangennest"], PLAIN["carnival"], PLAIN["snekagon"]
FIVE, DICE = PLAIN["snekagon5g"], PLAIN["sssnake"]
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


def events(happened: list[dict[str, Any]]) -> list[str]:
    return [one["event"] for one in happened]


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
    carnival.finds(carnival.match.layout)
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


# --- rolls ---------------------------------------------------------------------------------------


def rolled(table: Tabletop, value: int) -> list[Move]:
    """Tell a roll; return the cards that may be laid then, all on one snake."""
    table.tell({"roll": value})
    return moves_now(table)


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

    happened = dice.finds(game.layout(game.apply(reached, laid)))

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


def test_hexes_that_were_cut_into_no_tiles_yet_are_cut_on_their_own_board(five):
    move = next(m for m in moves_now(five) if m.board == 1)
    lying = contents(five.match.after(move))

    five.referee.look(Settled(8, {spot: (one, 0.999) for spot, one in lying.items()}), 1.0)

    assert accepted(five) == [move]


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


def test_what_was_let_stand_for_the_machine_is_kept_with_the_picture_of_its_tile(nest):
    play(nest, NEST, 10, 3)
    _, other = machine_wants(nest)
    nest.picture = b"with its tile"
    nest.shows(nest.match.after(other))

    nest.tell({"stand": True})

    assert nest.store.picture(nest.match.accepted[3].seq, "after") == b"with its tile"


# --- fouls ---------------------------------------------------------------------------------------
