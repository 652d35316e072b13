from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from companion_app.live.errors import StoreFull, ToldError
from companion_app.live.explain import explain
from companion_app.live.places import Belief, Sighting, beside, contents, spots_of
from companion_app.live.questions import as_shown
from companion_app.live.referee import Referee
from companion_app.live.referee_state import RefereeSettings
from companion_app.web.asking import question_in_words
from companion_app.web.speech import Speech
from engine.game import Move
from engine.lattice import hex_board
from engine.notation import write_layout
from engine.placement import Clay, Layout, Piece
from engine.record import move_to_json
from tests.companion_app.live.tabletop import Tabletop, said, verdicts
from tests.companion_app.live.test_store import FailingDisk
from tests.engine.playing import Variant, random_game, variants
from vision.core.tables import TableState

GAMES = ("schlangennest", "snekagon", "snekagon5g", "sssnake", "carnival")
PLAIN = {game: next(v for v in variants() if v.game.facts.name == game) for game in GAMES}
TABLE_MOVES = ("place", "turn", "replace")


@contextmanager
def a_table(folder, variant: Variant, resume: str | None = None) -> Iterator[Tabletop]:
    name = variant.game.facts.name
    table = Tabletop(folder, name, variant.players, variant.options, resume)
    try:
        yield table
    finally:
        table.close()


def tell_silent(table: Tabletop, move: Move) -> None:
    written = move_to_json(move)
    if move.do == "roll":
        table.tell({"roll": move.value, "tiles": written.get("tiles")})
    else:
        table.tell({"move": written})


def play(table: Tabletop, variant: Variant, seed: int, most: int) -> list[Move]:
    """Play a random game in front of the referee; return its moves."""
    moves = []
    for number, (position, _, move) in enumerate(random_game(variant, seed)):
        if number == most:
            break
        moves.append(move)
        after = variant.game.layout(variant.game.apply(position, move))
        if after != variant.game.layout(position):
            table.shows(after)
            for question in list(table.referee.state.questions.values()):
                if "no-own-tile" in question.choices:
                    table.tell({"answer": question.id, "value": "no-own-tile"})
        elif len(table.match.accepted) < len(moves) and variant.options != {"rolls": "trust"}:
            tell_silent(table, move)
    return moves


def accepted(table: Tabletop) -> list[Move]:
    return [one.move for one in table.match.accepted]


@pytest.mark.parametrize("variant", variants(), ids=str)
def test_random_game_is_followed_move_by_move(tmp_path, variant):
    with a_table(tmp_path, variant) as table:
        moves = play(table, variant, 3, 14)

        if variant.options == {"rolls": "trust"}:
            # Nobody sees who laid a card on whose snake, nor which cards went out.
            moves = [replace(m, player="") for m in moves if m.do == "place"]
            followed = [replace(m, player="") for m in accepted(table)]
        else:
            followed = accepted(table)
        assert followed[: len(moves)] == moves
        assert not [e for e in said(table.events, "verdict") if not e["legal"]]
        assert said(table.events, "turn")


@pytest.mark.parametrize("game", GAMES)
def test_match_goes_on_from_the_log_after_a_kill(tmp_path, game):
    variant = PLAIN[game]
    with a_table(tmp_path, variant) as table:
        moves = play(table, variant, 4, 9)
        key, layout = table.match.key, table.match.layout

    with a_table(tmp_path, variant, resume=key) as table:
        assert accepted(table)[: len(moves)] == moves
        assert table.shows(layout) == []


@pytest.mark.parametrize("game", ["schlangennest", "carnival"])
def test_foul_that_lies_on_the_table_is_announced_once_although_a_kill_came(tmp_path, game):
    variant = PLAIN[game]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 4, 9)
        _, lying = a_foul(table)
        assert [legal for _, legal in verdicts(table.shows(lying))] == [False]
        key, lay = table.match.key, table.match.layout

    with a_table(tmp_path, variant, resume=key) as table:
        assert table.keeps(lying) == []
        assert said(table.shows(lay), "taken-back")
        assert table.match.now.pending is None


@pytest.mark.parametrize("game", ["schlangennest", "snekagon", "snekagon5g", "carnival"])
def test_last_move_taken_back_undoes_it(tmp_path, game):
    variant = PLAIN[game]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 5, 5)
        layouts = list(dict.fromkeys(table.match.layouts))
        count = len(table.match.accepted)

        events = table.shows(layouts[-2])

        assert said(events, "taken-back")[0]["n"] == count
        assert table.match.layout == layouts[-2]
        assert verdicts(table.shows(layouts[-1])) != []


def test_several_moves_taken_back_undo_several(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 6, 6)

        events = table.shows(table.match.layouts[3])

        assert [e["n"] for e in said(events, "taken-back")] == [6, 5, 4]
        assert said(events, "turn")[-1]["player"] == table.match.position.to_move


def a_foul(table: Tabletop) -> tuple[Move, Layout]:
    """Return a card of the player to move that breaks a rule, and the table with it."""
    match = table.match
    legal = match.game.legal_moves(match.position)
    for move in legal:
        if move.do != "place" or move.at is None:
            continue
        for turns in range(4):
            wrong = Move(move.player, "place", move.tile, (move.at[0], move.at[1] + 1), turns)
            if (
                wrong.at not in {c.at for c in match.layout.cards}
                and not match.game.judge(match.position, wrong).legal
            ):
                return wrong, match.game.layout(match.game.apply(match.position, wrong))
    raise AssertionError("no foul found")


def test_foul_is_announced_and_the_game_waits_until_it_is_lifted(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        layout = table.match.layout
        wrong, spoilt = a_foul(table)

        events = table.shows(spoilt)

        (verdict,) = said(events, "verdict")
        assert verdict["legal"] is False
        assert verdict["n"] == 5
        assert verdict["move"] == move_to_json(wrong)
        assert all(v["rule"] and v["text"] for v in verdict["violations"])
        assert table.store.picture(verdict["seq"], "before") == b"jpeg"
        assert table.store.picture(verdict["seq"], "after") == b"jpeg"
        assert table.keeps(spoilt) == []
        assert len(table.match.accepted) == 4
        assert [e["event"] for e in table.shows(layout)] == ["taken-back"]


def test_table_may_overrule_a_foul(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        wrong, spoilt = a_foul(table)
        table.shows(spoilt)

        events = table.tell({"overrule": 5})

        assert said(events, "verdict")[0]["overruled"] is True
        assert accepted(table)[-1] == wrong
        assert table.keeps(spoilt) == []
        with pytest.raises(ToldError, match="no foul"):
            table.tell({"overrule": 5})


def test_foul_that_was_let_stand_is_kept_with_the_picture_of_its_tile(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        table.picture = b"with its tile"
        table.shows(a_foul(table)[1])
        table.tell({"overrule": 5})

        table.picture = b"with the next one"
        (verdict,) = said(table.shows(a_foul(table)[1]), "verdict")

        assert table.store.picture(table.match.accepted[4].seq, "after") == b"with its tile"
        assert table.store.picture(verdict["seq"], "before") == b"with its tile"


def test_foul_stays_on_the_table_when_letting_it_stand_cannot_be_kept(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        wrong, spoilt = a_foul(table)
        table.shows(spoilt)
        disk = ["full"]
        FailingDisk(table.store, lambda statement: bool(disk) and "INSERT" in statement)
        with pytest.raises(StoreFull):
            table.tell({"overrule": 5})
        assert table.keeps(spoilt) == []

        disk.clear()
        table.tell({"overrule": 5})

        assert accepted(table)[-1] == wrong


def test_card_that_was_let_stand_outside_the_field_makes_no_foul_of_the_next_one(tmp_path):
    with a_table(tmp_path, replace(PLAIN["schlangennest"], options={"size": [2, 2]})) as table:
        cards = ["blue/straight@0,0", "red/curve@0,1^1", "blue/straight@1,0", "red/tail@0,-1^3"]
        for count in range(1, 5):
            table.shows(" ".join(cards[:count]))
        lying = " ".join([*cards, "blue/straight@2,0"])
        (foul,) = said(table.shows(lying), "verdict")
        assert [broken["rule"] for broken in foul["violations"]] == ["outside-field"]
        table.tell({"overrule": 5})

        happened = table.shows(f"{lying} red/straight@1,1")

        assert verdicts(happened) == [(6, True)]


def test_foul_may_be_put_right_by_another_move(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        _, spoilt = a_foul(table)
        table.shows(spoilt)
        match = table.match
        good = match.game.legal_moves(match.position)[0]

        events = table.shows(match.game.layout(match.game.apply(match.position, good)))

        assert [e["event"] for e in events][:2] == ["taken-back", "verdict"]
        assert accepted(table)[-1] == good


def test_two_moves_between_two_looks_are_found_in_order(tmp_path):
    variant = PLAIN["schlangennest"]
    with a_table(tmp_path, variant) as table:
        rows = [(p, m) for _, (p, _, m) in zip(range(6), random_game(variant, 8), strict=False)]
        for position, move in rows[:2]:
            table.shows(variant.game.layout(variant.game.apply(position, move)))

        last, move = rows[3]
        events = table.shows(variant.game.layout(variant.game.apply(last, move)))

        assert accepted(table) == [m for _, m in rows[:4]]
        assert verdicts(events) == [(3, True), (4, True)]


def test_player_out_of_turn_is_told(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        events = table.shows("red/curve@0,0")

        (verdict,) = said(events, "verdict")
        assert verdict["legal"] is False
        assert "not-your-turn" in [v["rule"] for v in verdict["violations"]]


def test_verdict_needs_several_looks(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        assert table.shows("blue/curve@0,0", looks=2) == []
        assert verdicts(table.keeps("blue/curve@0,0", looks=1)) == [(1, True)]


def test_foul_needs_one_look_more_than_a_legal_move(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        assert table.shows("red/curve@0,0", looks=3) == []
        assert verdicts(table.keeps("red/curve@0,0", looks=1)) == [(1, False)]


def unsure(share: float) -> TableState:
    entry = {"tile": "red/curve", "at": [0, 0], "turns": 0, "confidence": share}
    guesses = [["red/curve", share], ["blue/curve", 1 - share]]
    return TableState((9, 9), unsure=({**entry, "guesses": guesses, "why": "glare"},))


def test_unsure_tile_is_asked_about_and_never_accused(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        events = table.shows(unsure(0.6), looks=30)

        (question,) = said(events, "question")
        assert question["about"] == "tile"
        assert question["at"] == [0, 0]
        assert [g[0] for g in question["guesses"]] == ["red/curve", "blue/curve"]
        assert verdicts(events) == []

        table.tell({"answer": question["id"], "value": "blue/curve"})
        assert verdicts(table.keeps(unsure(0.6))) == [(1, True)]
        assert accepted(table)[0].tile == "blue/curve"


def test_tile_that_every_look_has_the_same_single_guess_at_is_asked_about_at_once(tmp_path):
    # Carnival 6: a gift half behind a cup; nothing became clearer in a second and a half.
    entry = {"tile": "blue/curve", "at": [0, 0], "turns": 0, "confidence": 0.79}
    half = {**entry, "guesses": [["blue/curve", 0.79]], "why": "unknown-tile"}
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        state = TableState((9, 9), unsure=(half,))
        assert table.shows(state, looks=3) == []

        (question,) = said(table.keeps(state, looks=1), "question")

        assert question["about"] == "tile"
        table.tell({"answer": question["id"], "value": "blue/curve"})
        assert verdicts(table.keeps(state, looks=1)) == [(1, True)]


def test_foul_that_was_not_read_surely_is_asked_about(tmp_path):
    entry = {"tile": "red/curve", "at": [0, 0], "turns": 0, "confidence": 0.93}
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        events = table.shows(TableState((9, 9), (entry,)), looks=30)

        assert verdicts(events) == []
        assert [q["about"] for q in said(events, "question")] == ["tile"]


def test_correction_of_an_earlier_move_is_judged_with_all_after_it(tmp_path):
    variant = PLAIN["schlangennest"]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 9, 4)
        first = accepted(table)[0]
        turns = ((first.turns or 0) + 1) % 4

        events = table.tell({"correct": 1, "move": {"turns": turns}})

        assert [n for n, _ in verdicts(events)] == [1, 2, 3, 4]
        assert accepted(table)[0].turns == turns


def test_tile_missed_by_one_look_is_still_there(tmp_path):
    variant = PLAIN["schlangennest"]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 10, 5)
        whole = table.match.layout
        lacking = Layout(frozenset(sorted(whole.cards)[1:]))

        for shown in (whole, lacking, whole, whole, lacking, lacking, whole):
            assert table.keeps(shown, looks=1) == []


def test_covered_tile_is_not_gone(tmp_path):
    variant = PLAIN["schlangennest"]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 10, 5)
        state = table.state(table.match.layout)
        *seen, hidden = state.tiles
        cup = {**hidden, "guesses": [], "why": "covered"}

        assert table.shows(TableState((9, 9), tuple(seen), (cup,)), looks=30) == []


def test_tile_that_changes_with_nobody_near_is_asked_about(tmp_path):
    variant = PLAIN["schlangennest"]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 10, 3)
        state = table.state(table.match.layout)
        first, *rest = state.tiles
        other = {**first, "turns": (first["turns"] + 1) % 4}

        events = table.keeps(TableState((9, 9), (other, *rest)), looks=40)

        assert [e["event"] for e in events] == ["question"]


def test_game_joined_in_its_middle_asks_who_is_next(tmp_path):
    variant = PLAIN["schlangennest"]
    *_, (position, _, _) = (row for _, row in zip(range(9), random_game(variant, 11), strict=False))
    layout = variant.game.layout(position)
    with a_table(tmp_path, variant) as table:
        (question,) = said(table.shows(layout), "question")
        assert question["about"] == "next"
        assert question["guesses"] == list(variant.players)

        table.tell({"answer": question["id"], "value": position.to_move})

        assert table.shows(layout) == []
        assert table.match.position.to_move == position.to_move
        good = variant.game.legal_moves(table.match.position)[0]
        after = variant.game.layout(variant.game.apply(table.match.position, good))
        assert verdicts(table.shows(after)) == [(1, True)]


def test_card_waits_for_its_roll(tmp_path):
    variant = PLAIN["sssnake"]
    with a_table(tmp_path, variant) as table:
        assert [q.about for q in table.referee.state.questions.values()] == ["roll"]
        opening = table.match.position
        rolled = variant.game.apply(opening, Move("a", "roll", value=2))
        move = next(m for m in variant.game.legal_moves(rolled) if m.do == "place")
        after = variant.game.layout(variant.game.apply(rolled, move))

        assert verdicts(table.shows(after)) == []
        table.tell({"roll": 2})
        assert verdicts(table.keeps(after)) == [(2, True)]


def test_rolls_may_be_told_ahead(tmp_path):
    variant = PLAIN["sssnake"]
    rows = [(p, m) for _, (p, _, m) in zip(range(16), random_game(variant, 12), strict=False)]
    with a_table(tmp_path, variant) as table:
        for _, move in rows:
            if move.do == "roll":
                table.tell({"roll": move.value, "tiles": list(move.tiles or ())})
        last = 0
        for number, (position, move) in enumerate(rows):
            if move.do == "place":
                table.shows(variant.game.layout(variant.game.apply(position, move)))
                last = number

        assert accepted(table)[: last + 1] == [m for _, m in rows[: last + 1]]


def test_tile_of_another_colour_is_asked_about_where_hands_are_asked_for(tmp_path):
    variant = next(v for v in variants() if v.options == {"hands": "ask"})
    with a_table(tmp_path, variant) as table:
        match = table.match
        move = next(m for m in match.game.legal_moves(match.position) if m.declares)
        after = match.game.layout(match.game.apply(match.position, move))

        (question,) = said(table.shows(after), "question")
        assert question["about"] == "hand"
        assert table.standing == "unsure"

        events = table.tell({"answer": question["id"], "value": "no-own-tile"})
        assert verdicts(events) == [(1, True)]
        assert accepted(table) == [move]


def test_hand_that_held_an_own_tile_makes_it_a_foul(tmp_path):
    variant = next(v for v in variants() if v.options == {"hands": "ask"})
    with a_table(tmp_path, variant) as table:
        match = table.match
        move = next(m for m in match.game.legal_moves(match.position) if m.declares)
        after = match.game.layout(match.game.apply(match.position, move))
        (question,) = said(table.shows(after), "question")

        events = table.tell({"answer": question["id"], "value": "own-tile"})

        assert [v["rule"] for v in said(events, "verdict")[0]["violations"]] == ["undeclared"]


def test_cleared_table_after_the_end_undoes_nothing(tmp_path):
    variant = next(v for v in variants() if v.options == {"size": [3, 4]})
    with a_table(tmp_path, variant) as table:
        play(table, variant, 13, 400)
        assert said(table.events, "over")
        count = len(table.match.accepted)

        assert table.shows(Layout(), looks=20) == []
        assert len(table.match.accepted) == count


@pytest.mark.parametrize(
    "message",
    [
        {},
        {"answer": 99, "value": 1},
        {"roll": 2},
        {"overrule": 1},
        {"correct": 4},
        {"move": {}},
        {"discard": "x"},
        {"answer": "x"},
    ],
)
def test_word_that_cannot_be_used_is_refused_with_a_reason(tmp_path, message):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table, pytest.raises(ToldError):
        table.tell(message)


def with_die(tabletop: Tabletop, value: int) -> TableState:
    die = {"tile": f"die/{value}", "outline": [[5, 5], [9, 5], [9, 9], [5, 9]], "confidence": 1.0}
    return replace(tabletop.state(tabletop.match.layout), aside=(die,))


def test_die_in_view_is_the_roll_when_it_shows_another_number(tmp_path):
    tabletop = Tabletop(tmp_path, "sssnake", ("a", "b"))
    tabletop.shows(with_die(tabletop, 1))
    assert tabletop.match.accepted == ()

    events = tabletop.shows(with_die(tabletop, 2))

    assert [e["move"]["value"] for e in said(events, "verdict")] == [2]
    tabletop.close()


def test_roll_that_is_told_after_the_die_was_seen_is_the_same_roll(tmp_path):
    tabletop = Tabletop(tmp_path, "sssnake", ("a", "b"))
    tabletop.shows(with_die(tabletop, 1))
    tabletop.shows(with_die(tabletop, 2))

    tabletop.tell({"roll": 2, "tiles": ["straight", "curve"]})

    assert [one.move.tiles for one in tabletop.match.accepted] == [("straight", "curve")]
    tabletop.close()


def test_die_that_looks_differ_about_is_not_believed(tmp_path):
    tabletop = Tabletop(tmp_path, "sssnake", ("a", "b"))
    tabletop.shows(with_die(tabletop, 1))
    tabletop.settler.moved()
    for value in (2, 3, 2, 3):
        tabletop.keeps(with_die(tabletop, value), 1)

    assert tabletop.match.accepted == ()
    tabletop.close()


def covering(
    table: Tabletop,
    layout: Layout,
    covered: frozenset[tuple[int, int, int]],
    looks: int = 6,
    touched: bool = True,
):
    """Show a table on which a cup stands over known places."""
    before = len(table.events)
    if touched:
        table.settler.moved()
        table.referee.state.touch()
    for _ in range(looks):
        table.t += 0.1
        look = table.aligner.sighting(table.state(layout), table.match.layout)
        assert look is not None
        table.sees(replace(look, covered=covered))
    return table.events[before:]


def a_cup_beside_what_looks_new(
    table: Tabletop,
) -> tuple[Layout, frozenset[tuple[int, int, int]]]:
    """Return a table with a tile hidden and a wrong one beside it, and where it is hidden."""
    match = table.match
    lying = contents(match.layout)
    for piece in match.layout.pieces:
        hidden = frozenset(spots_of(piece))
        rest = [one for one in match.layout.pieces if one != piece]
        for spot in sorted(beside([(0, q, r) for q in range(-4, 5) for r in range(-4, 5)], hidden)):
            cells = tuple((spot[1] + away, spot[2]) for away in range(3))
            wrong = Piece(f"{match.position.to_move}/3/0", cells)
            move = Move(match.position.to_move, "place", "3/0", cells=cells)
            rules = {broken.rule.id for broken in match.game.judge(match.position, move).violations}
            if rules == {"touches-only-opponent"} and beside(lying, hidden) <= hidden:
                return Layout.of(*rest, wrong), hidden
    raise AssertionError("no such place")


def test_nobody_is_accused_of_what_looks_new_beside_a_cup(tmp_path):
    with a_table(tmp_path, PLAIN["snekagon"]) as table:
        play(table, PLAIN["snekagon"], 2, 6)
        seen, hidden = a_cup_beside_what_looks_new(table)

        assert covering(table, seen, hidden) == []

        # And what is laid elsewhere counts all the same.
        match = table.match
        new = {s for p in seen.pieces for s in spots_of(p)} - contents(match.layout).keys()
        move, after = next(
            (move, match.game.layout(match.game.apply(match.position, move)))
            for move in match.game.legal_moves(match.position)
            if move.do == "place"
            and not beside([(0, *cell) for cell in move.cells or ()], hidden | new)
        )
        laid = next(iter(set(after.pieces) - set(match.layout.pieces)))
        events = covering(table, Layout.of(*seen.pieces, laid), hidden)
        assert verdicts(events) == [(len(match.accepted), True)]
        assert match.accepted[-1].move == move
        assert not said(events, "question")


def test_answer_that_nothing_lies_there_is_not_asked_for_again(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        state = table.state(table.match.layout)
        speck = {
            "at": [9, 9],
            "guesses": [["red/curve", 0.5], ["red/straight", 0.4]],
            "why": "blur",
        }
        doubtful = replace(state, unsure=(speck,))
        (question,) = said(table.shows(doubtful, looks=24), "question")

        table.tell({"answer": question["id"], "value": "none"})

        assert said(table.keeps(doubtful, looks=24), "question") == []


def test_answered_question_does_not_come_again_at_every_look(tmp_path):
    # Carnival 6: a gift half behind a cup in dim light; no guess at it was worth anything.
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        state = table.state(table.match.layout)
        first, *rest = state.tiles
        guesses = [["blue/tail", 0.0004], ["red/tail", 0.0002]]
        doubtful = {**first, "guesses": guesses, "why": "unknown-tile"}
        shown = TableState((9, 9), tuple(rest), (doubtful,))
        (question,) = said(table.shows(shown, looks=24), "question")

        table.tell({"answer": question["id"], "value": first["tile"]})
        events = [*table.keeps(shown, looks=200), *table.shows(shown, looks=200)]

        assert said(events, "question") == []


def test_answer_stands_until_a_hand_has_come_or_something_else_is_surely_seen(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        first, *rest = table.state(table.match.layout).tiles

        def shown(tile: str, share: float) -> TableState:
            doubtful = {**first, "guesses": [[tile, share]], "why": "unknown-tile"}
            return TableState((9, 9), tuple(rest), (doubtful,))

        (question,) = said(table.shows(shown("blue/tail", 0.0004), looks=24), "question")
        table.tell({"answer": question["id"], "value": first["tile"]})
        table.keeps(shown("blue/tail", 0.0004), looks=24)

        assert said(table.keeps(shown("red/tail", 0.8), looks=124), "question") == []
        assert said(table.shows(shown("red/tail", 0.8), looks=24), "question")


def test_answer_that_nothing_lies_there_holds_after_a_hand(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        state = table.state(table.match.layout)
        guesses = [["red/curve", 0.5], ["red/straight", 0.4]]
        speck = {"at": [9, 9], "guesses": guesses, "why": "blur"}
        (question,) = said(table.shows(replace(state, unsure=(speck,)), looks=24), "question")
        table.tell({"answer": question["id"], "value": "none"})

        assert said(table.shows(replace(state, unsure=(speck,)), looks=200), "question") == []
        table.shows(state)
        other = {**speck, "guesses": [["blue/curve", 0.8]]}
        assert said(table.shows(replace(state, unsure=(other,)), looks=24), "question")


def test_same_question_never_comes_twice_within_ten_seconds(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        state = table.state(table.match.layout)
        guesses = [["red/curve", 0.5], ["red/straight", 0.4]]
        speck = {"at": [9, 9], "guesses": guesses, "why": "blur"}
        asked = said(table.shows(replace(state, unsure=(speck,)), looks=24), "question")
        asked_at_s = asked[0]["t"]

        for _ in range(4):
            # Somebody takes it away without an answer, and lays it there again.
            table.shows(state, looks=12)
            asked += said(table.shows(replace(state, unsure=(speck,)), looks=24), "question")

        assert len(asked) == 2
        assert asked[1]["t"] - asked_at_s >= 10


def test_tile_that_hardly_anything_is_known_of_is_still_the_known_one(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        state = table.state(table.match.layout)
        first, *rest = state.tiles
        dim = {**first, "guesses": [[first["tile"], 0.0004, first["turns"]]], "why": "unknown-tile"}

        events = table.shows(TableState((9, 9), tuple(rest), (dim,)), looks=60)

        assert events == []


def test_move_counts_while_a_known_card_is_not_seen_and_the_card_is_asked_about(tmp_path):
    # Carnival 6: a white cup on a gift, beside a grey one, looked like the bare table.
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 6)
        game, match = table.match.game, table.match
        hidden = next(c for c in match.layout.cards if c.at == accepted(table)[1].at)
        move = next(
            m
            for m in game.legal_moves(match.position)
            if m.at and max(abs(m.at[0] - hidden.at[0]), abs(m.at[1] - hidden.at[1])) > 1
        )
        whole = game.layout(game.apply(match.position, move))
        seen = replace(whole, cards=whole.cards - {hidden})
        table.shows(replace(match.layout, cards=match.layout.cards - {hidden}))

        assert verdicts(table.shows(seen)) == [(7, True)]
        (question,) = said(table.keeps(seen, looks=60), "question")
        assert (question["at"], question["guesses"][0][0]) == (list(hidden.at), hidden.tile)
        table.tell({"answer": question["id"], "value": hidden.tile})

        assert table.keeps(seen, looks=60) == []
        assert match.layout == whole


@pytest.mark.parametrize(
    ("replaced", "by_hand", "asks"), [(1, True, 1), (1, False, 0), (3, True, 0)]
)
def test_card_that_looks_like_another_after_a_hand_is_asked_about(
    tmp_path, replaced, by_hand, asks
):
    # Without a hand, or where many cards look like others, the light has changed.
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 6)
        state = table.state(table.match.layout)
        table.keeps(state)
        others = [
            {
                **one,
                "guesses": [["yellow/tail", 0.7], [one["tile"], 0.2, one["turns"]]],
                "why": "blur",
            }
            for one in state.tiles[:replaced]
        ]
        shown = TableState((9, 9), state.tiles[replaced:], tuple(others))

        events = (table.shows if by_hand else table.keeps)(shown, looks=30)

        assert len(said(events, "question")) == asks
        assert verdicts(events) == []


def test_foul_that_stays_out_of_sight_is_asked_about_once_and_then_lifted(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        play(table, PLAIN["schlangennest"], 7, 4)
        layout = table.match.layout
        wrong, spoilt = a_foul(table)
        table.shows(spoilt)
        assert wrong.at is not None
        hidden = frozenset({(0, *wrong.at)})

        assert covering(table, layout, hidden) == []
        (question,) = said(covering(table, layout, hidden, looks=60), "question")
        assert question["about"] == "tile"
        assert question["at"] == list(wrong.at)
        table.tell({"answer": question["id"], "value": "none"})
        events = covering(table, layout, hidden, touched=False)

        assert [e["event"] for e in events] == ["taken-back"]
        assert table.referee.state.pending is None


def test_several_moves_taken_back_are_not_asked_about_though_others_could_lead_there(tmp_path):
    with a_table(tmp_path, PLAIN["carnival"]) as table:
        play(table, PLAIN["carnival"], 2, 8)
        match = table.match
        before = list(dict.fromkeys(match.layouts))[-3]
        assert explain(match.game, match.position, before).rows

        events = table.shows(before)

        assert said(events, "question") == []
        assert len(said(events, "taken-back")) >= 2
        assert match.layout == before


def test_hex_tile_moved_on_by_one_cell_is_a_move_made_anew(tmp_path):
    with a_table(tmp_path, PLAIN["snekagon"]) as table:
        play(table, PLAIN["snekagon"], 2, 6)
        match = table.match
        first, second = next(
            (one, other)
            for one in match.game.legal_moves(match.position)
            for other in match.game.legal_moves(match.position)
            if one.tile == other.tile == "3/0"
            and one.player == other.player
            and len({*(one.cells or ())} & {*(other.cells or ())}) == 2
        )
        before = match.position
        table.shows(match.game.layout(match.game.apply(before, first)))
        assert match.accepted[-1].move == first

        events = table.shows(match.game.layout(match.game.apply(before, second)))

        assert len(said(events, "taken-back")) == 1
        assert match.accepted[-1].move == second


def with_stray_cell(table: Tabletop, layout: Layout, cell: tuple[int, int]) -> TableState:
    """Return a table with one more cell in a colour that has no single hex left."""
    laid = next(piece for piece in layout.pieces if piece.tile.endswith("/1"))
    shown = table.state(layout)
    colour = laid.tile.partition("/")[0]
    stray = {"tile": f"{colour}/unknown", "cells": [list(cell)], "confidence": 0.999}
    return replace(shown, tiles=(*shown.tiles, stray))


def test_cells_that_make_up_no_tile_are_asked_about_and_not_passed_over(tmp_path):
    variant = PLAIN["snekagon"]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 3, 9)
        match, count = table.match, len(table.match.accepted)
        move = variant.game.legal_moves(match.position)[0]
        after = variant.game.layout(variant.game.apply(match.position, move))
        taken = {spot for piece in after.pieces for spot in spots_of(piece)}
        far = next(c for c in sorted(hex_board(6)) if not beside([(0, *c)], taken))

        events = table.shows(with_stray_cell(table, match.layout, far), 30)

        (asked,) = said(events, "question")
        assert (asked["about"], asked["cells"]) == ("tile", [list(far)])
        assert len(match.accepted) == count
        table.tell({"answer": asked["id"], "value": "none"})
        events = table.shows(with_stray_cell(table, after, far), 30)
        assert verdicts(events)[0] == (count + 1, True)
        assert said(events, "question") == []


def test_older_tile_that_was_turned_is_no_move_made_anew(tmp_path):
    variant = PLAIN["schlangennest"]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 2, 7)
        match, count = table.match, len(table.match.accepted)
        (older,) = match.layouts[-2].cards - match.layouts[-3].cards
        others = [
            Layout(match.layout.cards - {older} | {replace(older, turns=turns)})
            for turns in range(match.box[older.tile].period)
            if turns != older.turns
        ]
        turned = next(o for o in others if explain(match.game, match.positions[-3], o).rows)

        events = table.shows(turned)

        assert verdicts(events) == [(count + 1, False)]
        assert said(events, "taken-back") == []
        assert len(match.accepted) == count


def test_card_changed_to_what_lay_there_moves_ago_is_a_move_and_no_question(tmp_path):
    variant = PLAIN["carnival"]
    with a_table(tmp_path, variant) as table:
        moves = play(table, variant, 23, 31)
        shown = list(dict.fromkeys(table.match.layouts))

        # The 31st move brings back the table of before the 28th.
        assert table.match.layout in shown[:-1]
        assert accepted(table)[: len(moves)] == moves
        assert not [e for e in said(table.events, "question") if e["about"] == "order"]


def before_a_drill(table: Tabletop, variant: Variant) -> tuple[Move, Layout]:
    """Play up to a tile that is legal only as a drill; return its move and the table after it."""
    for position, _, move in random_game(variant, 5):
        after = variant.game.layout(variant.game.apply(position, move))
        flat = replace(move, origin=None, to=None)
        lone = move.origin is not None and not variant.game.judge(position, flat).legal
        if lone and variant.game.layout(position).clay:
            return move, after
        if after != variant.game.layout(position):
            table.shows(after)
    raise AssertionError("no drill")


def test_clay_that_is_misread_elsewhere_does_not_hide_a_drill(tmp_path):
    variant = PLAIN["snekagon5g"]
    with a_table(tmp_path, variant) as table:
        move, after = before_a_drill(table, variant)
        known = sorted(table.match.layout.clay)
        odd = replace(known[0], kind="closed" if known[0].kind == "open" else "open", opens=None)

        events = table.shows(replace(after, clay=frozenset({odd, *known[1:]})))

        assert verdicts(events)[0][1] is True
        assert table.match.accepted[-1].move == move


def test_foul_that_clay_shows_to_be_a_drill_is_accepted(tmp_path):
    variant = PLAIN["snekagon5g"]
    with a_table(tmp_path, variant) as table:
        move, after = before_a_drill(table, variant)
        known = table.match.layout.clay
        own = sorted(s for p in after.pieces for s in spots_of(p) if p.tile[:3] != move.player[:3])
        speck = Clay(own[0][0], own[0][1:], "open")
        events = table.shows(replace(after, clay=known | {speck}))
        assert [legal for _, legal in verdicts(events)] == [False]

        events = table.shows(after)

        assert [legal for _, legal in verdicts(events)] == [True]
        assert table.match.accepted[-1].move == move
        assert table.referee.state.pending is None


def test_replaced_card_that_one_look_misses_is_no_misreading(tmp_path):
    variant = PLAIN["carnival"]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 2, 8)
        match = table.match
        swap = next(m for m in variant.game.legal_moves(match.position) if m.do == "replace")
        after = variant.game.layout(variant.game.apply(match.position, swap))
        (new,) = after.cards - match.layout.cards

        table.shows(Layout(after.cards - {new}), looks=1)
        events = table.keeps(after, looks=24)

        assert said(events, "question") == []
        assert match.accepted[-1].move == swap


@pytest.mark.parametrize(("later_s", "is_move"), [(0.5, True), (3.0, False)])
def test_card_that_looks_replaced_is_a_move_only_soon_after_a_hand(tmp_path, later_s, is_move):
    variant = PLAIN["carnival"]
    with a_table(tmp_path, variant) as table:
        play(table, variant, 2, 8)
        match, played = table.match, len(table.match.accepted)
        swap = next(m for m in variant.game.legal_moves(match.position) if m.do == "replace")
        after = variant.game.layout(variant.game.apply(match.position, swap))
        table.shows(match.layout)

        table.t += later_s
        events = table.keeps(after, looks=24)

        assert bool(said(events, "question")) is not is_move
        assert [made.move for made in match.accepted[played:]] == [swap] * is_move


GROWN = "house@0,0 yellow/straight@0,-1^1 violet/straight@1,0 black/straight@0,1^1"


@pytest.fixture
def last_round(tmp_path):
    """Return a table of Carnival on which three players have announced the last round."""
    table = Tabletop(tmp_path, "carnival", ("yellow", "violet", "black"))
    for laid in ("", " yellow/straight@0,-1^1", " violet/straight@1,0", " black/straight@0,1^1"):
        table.shows(f"{write_layout(table.match.layout)}{laid}")
    table.tell({"finale": True})
    yield table
    table.close()


def test_final_pass_that_nobody_told_is_asked_about(last_round):
    (question,) = said(last_round.shows(f"{GROWN} black/head@0,2^1"), "question")
    (asked,) = last_round.referee.state.questions.values()
    shown = as_shown(asked, last_round.match)
    words = question_in_words(shown, last_round.match.now, Speech("en", {}))["text"]
    assert (question["about"], words) == ("hand", "Did Yellow, Violet pass?")

    last_round.tell({"answer": question["id"], "value": "pass"})

    assert [m.do for m in accepted(last_round)[-3:]] == ["pass", "pass", "place"]
    assert last_round.match.position.last_round.phase == "hats"
    assert said(last_round.events, "turn")[-1]["player"] == "yellow"


def test_last_round_ends_with_the_last_pass_on_hats(last_round):
    last_round.tell({"pass": True})
    last_round.shows(f"{GROWN} violet/head@2,0")
    for _ in range(3):
        assert not said(last_round.tell({"pass": True}), "over")

    assert said(last_round.tell({"pass": True}), "over")


# --- the referee itself --------------------------------------------------------------------------


@pytest.fixture
def nest(tmp_path):
    with a_table(tmp_path, PLAIN["schlangennest"]) as table:
        yield table


def test_referee_begins_by_saying_score_and_turn(nest):
    referee = Referee(nest.match, nest.events.append)

    referee.start(1.5)

    assert referee.match is nest.match
    assert [(e["event"], e["t"]) for e in nest.events] == [("score", 1.5), ("turn", 1.5)]


def test_referee_keeps_to_the_settings_it_is_given(nest):
    nest.referee = Referee(nest.match, nest.events.append, RefereeSettings(looks_for_foul=7))
    nest.referee.start(0.0)

    assert verdicts(nest.shows("red/curve@0,0")) == []
    assert verdicts(nest.keeps("red/curve@0,0", looks=1)) == [(1, False)]


def test_game_that_is_taken_up_again_has_begun(tmp_path):
    variant = PLAIN["schlangennest"]
    three = "blue/curve@0,0 red/curve@1,1 blue/straight@-1,0"
    with a_table(tmp_path, variant) as table:
        table.shows("blue/curve@0,0")
        key = table.match.key
    with a_table(tmp_path, variant, resume=key) as table:
        table.shows(Layout(), looks=4)
        assert accepted(table) == []

        assert verdicts(table.shows(three)) == [(1, True), (2, True), (3, True)]


def test_named_tile_of_a_foul_is_not_asked_for_again_while_it_lies(nest):
    (question,) = said(nest.shows(unsure(0.6), looks=30), "question")
    nest.tell({"answer": question["id"], "value": "red/curve"})
    assert verdicts(nest.keeps(unsure(0.6))) == [(1, False)]

    assert nest.keeps(unsure(0.6), looks=40) == []


def test_named_tile_is_not_asked_for_again_while_another_is_doubtful(nest):
    guesses = [["blue/curve", 0.6], ["red/curve", 0.4]]
    entry = {"tile": "blue/curve", "turns": 0, "confidence": 0.6, "guesses": guesses}
    both = TableState((9, 9), unsure=tuple({**entry, "at": [x, 0], "why": "glare"} for x in (0, 5)))
    first, second = said(nest.shows(both, looks=30), "question")

    nest.tell({"answer": first["id"], "value": "blue/curve"})

    assert said(nest.keeps(both, looks=40), "question") == []
    assert list(nest.referee.state.questions) == [second["id"]]


def belief(tile: str, sure: bool = True) -> Belief:
    return Belief((((tile, 0), 1.0),), sure)


def test_who_is_next_on_a_strange_table_is_asked_where_all_of_it_is_surely_read(nest):
    tiles = {(0, 0, 0): belief("blue/curve"), (0, 1, 0): belief("red/curve")}
    doubtful = {**tiles, (0, 2, 0): belief("red/curve", sure=False)}

    nest.referee.strange_table(Sighting(doubtful), 2.0)
    assert nest.events == []
    nest.referee.strange_table(Sighting(tiles), 3.0)

    (question,) = nest.events
    assert (question["t"], question["about"]) == (3.0, "next")
    nest.tell({"answer": question["id"], "value": "red"})
    assert contents(nest.match.layout) == {spot: one.best for spot, one in tiles.items()}
