"""Games of one evening added up, and what the games say about each person."""

from __future__ import annotations

from companion_app.web.views.games import PAUSE_S, series_of
from engine import referee
from tests.companion_app.web.conftest import playthrough


def game(key, began_s, scores, winner="Anna", name="sssnake"):
    players = [
        {"id": who, "name": who, "colour": "#000000", "score": score, "winner": who == winner}
        for who, score in scores.items()
    ]
    return {
        "key": key,
        "game": name,
        "title": name.title(),
        "began_s": began_s,
        "ended_s": began_s + 600,
        "players": players,
    }


def test_games_of_one_evening_are_added_up_by_person():
    games = [
        game("1", 0, {"Anna": 0, "Ben": -3}),
        game("2", 700, {"Ben": -1, "Anna": -2}, "Ben"),
        game("3", 800, {"Anna": 0, "Cleo": -9}),
    ]

    (one,) = series_of(games)

    assert one["games"] == ["1", "2"]
    assert [(p["name"], p["total"], p["won"], p["scores"]) for p in one["players"]] == [
        ("Anna", -2, 1, [0, -2]),
        ("Ben", -4, 1, [-3, -1]),
    ]


def test_the_next_evening_is_another_series():
    late = 700 + PAUSE_S + 1
    games = [
        game(str(n), when, {"Anna": 0, "Ben": -1})
        for n, when in enumerate((0, 700, late + 600, late + 1400))
    ]

    assert [one["games"] for one in series_of(games)] == [["2", "3"], ["0", "1"]]


def test_a_snake_that_cannot_be_closed_leaves_no_total():
    games = [game("1", 0, {"Anna": 0, "Ben": None}), game("2", 700, {"Anna": 0, "Ben": -1})]

    totals = {p["name"]: p["total"] for p in series_of(games)[0]["players"]}

    assert totals == {"Anna": 0, "Ben": None}


def test_series_of_kept_games_agrees_with_the_referee(played):
    record = playthrough("sssnake_evening")
    for _ in range(2):
        played.begin(record)
        played.play(record)
        played.desk.end()

    (one,) = played.guest().get("/api/series")["series"]

    totals = {p["name"].lower(): p["total"] for p in one["players"]}
    answer = referee.referee_record(played.desk.match.record())
    assert totals == referee.series_of([answer] * 2)["totals"]


def test_statistics_know_averages_and_fouls(played, script):
    played.begin(script.record, {"blue": "Anna", "red": "Ben"})
    number, foul = script.fouls[0]
    played.play(script.record, number)
    played.lay(foul)
    played.desk.take_foul_back()
    played.desk.end()

    people = {p["name"]: p for p in played.guest().get("/api/statistics")["players"]}

    who = {"blue": "Anna", "red": "Ben"}[foul.player]
    assert people[who]["fouls"] == 1
    assert set(people["Anna"]["average"]) == {"Schlangennest"}
