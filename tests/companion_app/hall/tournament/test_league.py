"""A league over several evenings."""

from companion_app.hall.tournament.league import season
from tests.tournaments.evening import ARBITER, Evening


def evening_of(order: list[str]) -> Evening:
    evening = Evening({"size": 4, "rounds": 1})
    ids = [evening.enter(name) for name in order]
    tables = [{"number": 1, "players": ids}]
    evening.do("pair-round", round=1, tables=tables, byes=[])
    evening.do("start-round")
    evening.finish(evening.tables[0], 9, 5, 3, 1)
    evening.do("close-round")
    return evening


def test_evenings_are_added_up_by_person_and_absence_is_no_evening():
    first = evening_of(["Ann", "Ben", "Cay", "Dan"])
    second = evening_of(["ben", "Eva", "Ann", "Dan"])

    table = season([first.now, second.now])

    assert [(row.rank, row.name, float(row.points)) for row in table] == [
        (1, "ben", 8),
        (2, "Ann", 7),
        (3, "Eva", 3),
        (4, "Cay", 2),
        (5, "Dan", 2),
    ]
    eva = next(row for row in table if row.name == "Eva")
    assert eva.evenings == (None, eva.points)


def test_only_the_best_evenings_count_where_that_is_agreed():
    evenings = [evening_of(order) for order in (["A", "B", "C", "D"], ["B", "A", "C", "D"])]

    table = season([one.now for one in evenings], counting=1)

    assert [(row.rank, float(row.points)) for row in table] == [(1, 5), (1, 5), (3, 2), (4, 1)]


def test_an_erased_player_is_nobody_on_the_other_evenings():
    first, second = (evening_of(["Ann", "Ben", "Cay", "Dan"]) for _ in range(2))
    second.do("erase-player", ARBITER, player="p1")

    names = {row.name: row.points for row in season([first.now, second.now])}

    assert names["Ann"] == 5
    assert names["Player 1"] == 5


def test_who_is_hidden_on_one_evening_is_named_on_none_and_keeps_his_points():
    first, second = (evening_of(["Ann", "Ben", "Cay", "Dan"]) for _ in range(2))
    first.do("hide-player", ARBITER, player="p1")

    row, *others = season([first.now, second.now], language="de")

    assert (row.name, float(row.points)) == ("Person 1", 10)
    assert "Ann" not in [one.name for one in others]


def test_two_of_one_name_on_one_evening_have_a_row_each():
    table = season([evening_of(["Ann", "Ben", "Ann", "Dan"]).now])

    assert [(row.name, float(row.points)) for row in table] == [
        ("Ann", 5),
        ("Ben", 3),
        ("Ann", 2),
        ("Dan", 1),
    ]
