"""The log: nothing but events makes a tournament; names can be taken out of it."""

import json
from copy import copy
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companion_app.hall.tournament.errors import TournamentError
from companion_app.hall.tournament.events import WHO_MAY, Event
from companion_app.hall.tournament.log import (
    CHANGES,
    apply,
    public_log,
    replay,
    without_erased,
)
from companion_app.hall.tournament.model import Tournament
from companion_app.hall.tournament.view import names, shown
from tests.tournaments.evening import ARBITER, Evening


def through_json(events):
    return [Event.from_json(json.loads(json.dumps(event.to_json()))) for event in events]


def test_the_log_replays_to_the_same_tournament_after_json():
    evening = Evening({"size": 3, "game": "sssnake", "rounds": 3}, 10)
    evening.round(1)
    evening.do("leave", ARBITER, player="p2")
    evening.round(2)

    assert replay(through_json(evening.events)) == evening.now


def test_everything_that_happens_has_somebody_who_may_do_it():
    assert CHANGES.keys() == WHO_MAY.keys()


def test_an_event_out_of_order_is_refused():
    with pytest.raises(TournamentError, match="Something else happened first"):
        apply(Tournament(), Event(2, "end", 0.0, "director"))


@pytest.mark.parametrize("written", [{}, {"number": "x"}, [], None])
def test_a_damaged_event_is_refused(written):
    with pytest.raises(TournamentError):
        Event.from_json(written)


WORDS = st.sampled_from(["p1", "p2", "p3", "p7", "p8", "", "box", "=1"])
NUMBERS = st.one_of(st.integers(-1, 4), st.none(), st.booleans(), st.floats(allow_nan=False))
ANYTHING = st.one_of(
    WORDS,
    NUMBERS,
    st.text(max_size=5),
    st.lists(st.one_of(WORDS, NUMBERS), max_size=3),
    st.dictionaries(WORDS, NUMBERS, max_size=4),
    st.lists(st.dictionaries(st.sampled_from(["number", "players"]), WORDS), max_size=2),
)
RIGHT = {
    "player": WORDS,
    "one": WORDS,
    "two": WORDS,
    "name": st.text(max_size=8),
    "box": WORDS,
    "players": st.lists(WORDS, max_size=3),
    "round": NUMBERS,
    "table": st.integers(0, 3),
    "scores": st.dictionaries(WORDS, NUMBERS, max_size=4),
    "winners": st.lists(WORDS, max_size=2),
    "forfeits": st.lists(WORDS, max_size=2),
    "off": st.booleans(),
    "seconds": NUMBERS,
    "length_s": NUMBERS,
    "settings": st.dictionaries(WORDS, NUMBERS, max_size=2),
    "byes": st.lists(WORDS, max_size=2),
    "hidden": st.booleans(),
    "tables": ANYTHING,
    "rated": ANYTHING,
    "nickname": ANYTHING,
    "group": ANYTHING,
}
DATA = st.fixed_dictionaries(
    {}, optional={key: st.one_of(kind, ANYTHING) for key, kind in RIGHT.items()}
)
ASKED = st.tuples(
    st.sampled_from([*WHO_MAY, "nonsense"]),
    st.sampled_from(["director:D", "arbiter:A", "table:1", "player:p1", "player:p2", "nobody"]),
    DATA,
)


@cache
def played(rounds: int) -> Evening:
    """Return an evening of seven after some rounds, the next one running."""
    evening = Evening({"size": 3, "game": "sssnake", "rounds": 4}, 7)
    for number in range(rounds):
        evening.round(number)
    evening.begin(rounds)
    return evening


@settings(max_examples=60, deadline=None)
@given(st.lists(ASKED, max_size=25), st.integers(0, 3))
def test_whatever_is_asked_it_is_done_or_refused_and_never_half_done(asked, rounds):
    evening = copy(played(rounds))
    evening.events = list(evening.events)
    for do, by, data in asked:
        before = evening.now
        try:
            evening.do(do, by, "because", **data)
        except TournamentError:
            assert evening.now == before

    assert replay(through_json(evening.events)) == evening.now
    for round_ in evening.now.rounds:
        seated = [player for table in round_.tables for player in table.players]
        assert len(set(seated) | set(round_.byes)) == len(seated) + len(round_.byes)
    json.dumps(shown(evening.now, 0.0))


def with_erased() -> Evening:
    evening = Evening({"size": 4})
    evening.enter("Zoë Quux", nickname="Zed", person="member 77")
    for name in ("Ann Onym", "Ben Bell", "Cay Cole"):
        evening.enter(name)
    evening.round(1)
    evening.do(
        "correct",
        ARBITER,
        "Zoë Quux miscounted, says zed, announced by Ann",
        round=1,
        table=1,
        scores=dict.fromkeys(evening.tables[0].players, 2),
    )
    evening.do("erase-player", "player:p1", player="p1")
    return evening


def test_an_erased_name_is_nowhere_but_the_results_stay():
    evening = with_erased()

    kept = without_erased(evening.events)

    written = json.dumps([event.to_json() for event in kept], ensure_ascii=False)
    assert not any(word in written for word in ("Zoë", "Quux", "Zed", "zed", "member 77"))
    assert "Ann Onym" in written
    assert replay(kept) == evening.now
    assert names(evening.now, staff=True)["p1"] == "Player 1"


def test_a_player_erases_only_himself():
    evening = Evening({"size": 4}, 4)

    with pytest.raises(TournamentError):
        evening.do("erase-player", "player:p1", player="p2")
    evening.do("erase-player", "player:p2", player="p2")
    with pytest.raises(TournamentError, match="stays erased"):
        evening.do("change-player", ARBITER, player="p2", name="Again")


def test_the_public_log_says_what_was_decided_and_names_nobody():
    written = json.dumps(public_log(with_erased().events), ensure_ascii=False)

    for word in ("Zoë", "Quux", "Zed", "Ann", "Onym", "Ben", "Eva", "Dora", "member 77"):
        assert word not in written
    assert "miscounted" in written
    assert "says –, announced by –" in written


def test_public_names_are_nicknames_or_first_names_and_no_two_the_same():
    evening = Evening({"size": 4})
    for name in ("Anna Karlová", "Anna Kovář", "Борис"):
        evening.enter(name)
    evening.enter("Max Muster", nickname="Mäx")
    evening.enter("Hidden One")
    evening.do("hide-player", "player:p5", player="p5")

    assert list(names(evening.now).values()) == [
        "Anna K. (1)",
        "Anna K. (2)",
        "Борис",
        "Mäx",
        "Player 5",
    ]
    assert names(evening.now, staff=True)["p5"] == "Hidden One"
