from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from companion_app.live.doubts import RefereeSettings
from companion_app.live.errors import StoreFull
from companion_app.live.places import Belief, Sighting, contents
from companion_app.live.referee import Referee
from engine.game import Move
from engine.placement import Layout
from engine.record import move_to_json
from tests.companion_app.live.tabletop import Tabletop, said, verdicts
from tests.companion_app.live.test_store import FailingDisk
from tests.engine.playing import Variant, random_game, variants

GAMES = ("schlangennest", "snekagon", "snekagon5g", "sssnake", "carnival")
PLAIN = {game: next(v for v in variants() if v.game.facts.name == game) for game in GAMES}


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
            for question in list(table.referee.doubts.questions.values()):
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
