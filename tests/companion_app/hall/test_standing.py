"""How a table stands, made from its log; compared with the match that the table itself keeps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from companion_app.games.entries import FoulTakenBack, HandRaised, Line, Names, written
from companion_app.games.play import Game, Games, play
from companion_app.hall.keeper import (
    FOUL_S,
    QUESTION_S,
    Keeper,
    TableGames,
    how_it_stands,
    names_in,
)
from companion_app.hall.line.message import Batch
from companion_app.hall.store.arbiter_store import (
    claim,
    decide,
    decisions_of,
    keep_answer,
    open_alerts,
    unanswered,
)
from companion_app.hall.store.hall_store import Health
from companion_app.live.errors import StoreError
from companion_app.live.match import Match
from companion_app.live.store import Store
from companion_app.web.drawing.match import drawing, shown
from companion_app.web.snapshot import match_to_json
from companion_app.web.speech import Speech
from engine.record import Record, parse_record

GAMES = (
    "schlangennest_two_players",
    "snekagon_seven_turns",
    "sssnake_rolls",
    "carnival_two_players",
)
PLAYTHROUGHS = Path(__file__).parents[2] / "playthroughs"
ID = "a" * 24


def record_of(name: str) -> Record:
    data = json.loads((PLAYTHROUGHS / f"{name}.json").read_text(encoding="utf-8"))
    found = data["games"][0] if "games" in data else data
    return parse_record(found["record"])


def same(match: Match, game: Game) -> bool:
    page, document = match_to_json(match.now, Speech("en", {})), how_it_stands(game)
    return (
        page["scores"] == {player["id"]: player["score"] for player in document["players"]}
        and len(page["moves"]) == document["moves"]
        and page["turn"] == next((p["id"] for p in document["players"] if p["turn"]), None)
        and page["over"] == document["over"]
        and sorted(page["winners"]) == sorted(p["id"] for p in document["players"] if p["winner"])
        and [p["colour"] for p in page["players"]] == [p["colour"] for p in document["players"]]
        and match.layout == game.layout
    )


@pytest.fixture
def kept(tmp_path):
    with Store(tmp_path / "table") as store:
        yield store


@pytest.mark.parametrize("name", GAMES)
def test_standing_is_that_of_the_table_line_by_line(kept, name):
    record = record_of(name)
    match = Match.begin(kept, record, "g1")
    games, game = Games[str](1, is_trusted=True), match.now
    for number, move in enumerate(record.moves[:24]):
        match.accept((move,))
        if number % 7 == 3:
            mark = match.now
            match.take_back(2)
            match.go_back(mark)
        if number % 11 == 5:
            match.correct(match.next_n - 1, move)
        game = games.at("g1", lambda n: [line for line in kept.lines("g1") if line.seq > n])

        assert same(match, game)
    assert same(match, play(kept.lines("g1")))
    drawn = [drawing(game, Speech("de", {}), shown(game, n)) for n in (1, None)]
    assert drawn[1].startswith("<svg")
    assert drawn == [drawing(match.now, Speech("de", {}), shown(match.now, n)) for n in (1, None)]
    assert drawn[0] != drawn[1]


def test_foul_lies_until_it_is_lifted_and_a_hand_is_up_until_it_is_lowered(kept):
    record = record_of("schlangennest_two_players")
    match = Match.begin(kept, record, "g1")
    match.note(Names({"blue": "Ann\u202e \0Lee" + "x" * 99}))
    match.foul(record.moves[0], (), 0.0)
    match.note(HandRaised(True))
    game = play(kept.lines("g1"))

    called = game.pending
    assert called is not None
    assert (called.n, called.move.player, game.hand) == (1, record.moves[0].player, 4)
    assert names_in(game)["blue"].startswith("Ann Lee")
    assert len(names_in(game)["blue"]) == 40

    match.note(FoulTakenBack(1))
    match.note(HandRaised(False))
    for line in kept.lines("g1")[-2:]:
        game = game.follow(line)
    assert (game.pending, game.hand) == (None, 0)


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [("moves", {"moves": []})],
        [("started", {})],
        [("started", {"record": 7})],
        [("started", "good"), ("moves", {})],
        [("started", "good"), ("moves", {"moves": [7]})],
        [
            ("started", "good"),
            (
                "moves",
                {
                    "moves": [
                        {"do": "place", "player": "blue", "tile": "blue/curve", "at": [1e9, {}]}
                    ]
                },
            ),
        ],
        [("started", "good"), ("corrected", {"n": 99, "move": {}})],
        [("started", "good"), ("foul", {"n": [], "move": {}, "violations": 7})],
        [("started", "good"), ("names", {"names": []})],
        [("started", "good"), ("undone", {})],
    ],
)
def test_lines_that_make_no_game_are_an_answer(small_store, lines):
    good = {
        "format": "snake-eye/record",
        "version": 1,
        "game": "schlangennest",
        "players": ["blue", "red"],
        "moves": [],
    }
    made = [
        Line(n, "g1", kind, {"record": good} if body == "good" else body, 0.0)
        for n, (kind, body) in enumerate(lines, start=1)
    ]
    small_store.add_table(ID, "key", "Table 1", 0)
    small_store.take_in([Batch(ID, "a", 0, tuple((line, written(line)) for line in made))])
    keeper = Keeper(small_store, TableGames(small_store))
    keeper.keep_up({ID: ""})

    assert [one.document for one in small_store.standings().values()] == (
        [{"broken": True}] if lines else []
    )
    with pytest.raises(StoreError):
        play(made)


# --- the arbiter ---


class Evening:
    """A table in a hall, and a clock that is set by hand."""

    def __init__(self, store, kept) -> None:
        self.now_s = 1000.0
        store.clock = lambda: self.now_s
        self.store, self.kept = store, kept
        self.start_again()
        self.record = record_of("schlangennest_two_players")
        store.add_table(ID, "key", "Table 1", 0)
        self.match = Match.begin(kept, self.record, "g1")
        self.sent = 0

    def start_again(self) -> None:
        """Let another process keep the tables."""
        self.keeper = Keeper(self.store, TableGames(self.store), lambda: self.now_s)

    def send(self) -> None:
        lines = [line for line in self.kept.lines("g1") if line.seq > self.sent]
        pairs = tuple((line, written(line)) for line in lines)
        self.store.take_in([Batch(ID, "a", self.sent, pairs)])
        self.sent = self.kept.lines("g1")[-1].seq
        self.keeper.keep_up({ID: "g1"})
        self.keeper.look()

    def kinds(self) -> list[str]:
        self.keeper.look()
        return [one.kind for one in open_alerts(self.store)]


@pytest.fixture
def evening(store, kept):
    return Evening(store, kept)


def test_arbiter_is_called_for_a_foul_that_is_not_taken_back(evening):
    evening.match.foul(evening.record.moves[0], (), 0.0)
    evening.send()
    assert evening.kinds() == []

    evening.now_s += FOUL_S
    assert evening.kinds() == ["foul"]
    assert open_alerts(evening.store)[0].number == 2

    evening.match.note(FoulTakenBack(1))
    evening.send()
    assert evening.kinds() == []


def test_call_for_a_foul_stays_open_when_the_hall_starts_again(evening):
    evening.match.foul(evening.record.moves[0], (), 0.0)
    evening.send()
    evening.now_s += FOUL_S
    evening.keeper.look()
    (alert,) = open_alerts(evening.store)
    assert claim(evening.store, alert.id, "Ann")

    evening.start_again()
    assert evening.kinds() == ["foul"]
    assert open_alerts(evening.store)[0].claimed_by == "Ann"
    evening.match.note(FoulTakenBack(1))
    evening.send()
    assert evening.kinds() == []


def test_arbiter_is_called_for_a_hand_a_question_a_camera_and_a_silent_table(evening):
    evening.match.note(HandRaised(True))
    evening.send()
    evening.store.keep_health([Health(ID, 1, {"camera": "camera-lost", "question_s": QUESTION_S})])

    assert sorted(evening.kinds()) == ["camera", "hand", "question"]

    evening.store.keep_health([Health(ID, 2, {"camera": "looking", "question_s": 0})])
    evening.match.note(HandRaised(False))
    evening.send()
    assert evening.kinds() == []

    evening.now_s += 60
    assert evening.kinds() == ["away"]


def test_same_trouble_once_more_is_another_alert(evening):
    evening.send()
    for number in range(1, 4):
        evening.store.keep_health([Health(ID, 2 * number, {"camera": "camera-lost"})])
        assert evening.kinds() == ["camera"]
        evening.store.keep_health([Health(ID, 2 * number + 1, {"camera": "looking"})])
        assert evening.kinds() == []


def test_alert_is_claimed_by_one_arbiter(evening):
    evening.match.note(HandRaised(True))
    evening.send()
    (alert,) = open_alerts(evening.store)

    assert claim(evening.store, alert.id, "Ann")
    assert not claim(evening.store, alert.id, "Ben")
    assert open_alerts(evening.store)[0].claimed_by == "Ann"


def test_ruling_waits_until_the_table_answers_and_stays_in_the_record(evening):
    first = decide(evening.store, ID, "Ann", "overrule", {"overrule": 1})
    second = decide(evening.store, ID, "Ben", "end", {"end": True})

    assert unanswered(evening.store, {ID}) == [first, second]
    assert [one.ruling for one in (first, second) if one is not None] == [1, 2]
    assert unanswered(evening.store, {"b" * 24}) == []

    keep_answer(evening.store, ID, 1, True, "")
    keep_answer(evening.store, ID, 1, False, "a lie")
    keep_answer(evening.store, ID, 2, False, "there is no game")
    assert unanswered(evening.store, {ID}) == []
    assert [(one.who, one.answer) for one in decisions_of(evening.store)] == [
        ("Ben", "refused: there is no game"),
        ("Ann", "done"),
    ]


def test_table_that_is_not_there_is_not_ruled(evening):
    assert decide(evening.store, "c" * 24, "Ann", "end", {}) is None
