"""Golden answers: kept pictures, what counts as lost, and that the same reader says the same."""

import json

import pytest

from models.lab.evaluate import cases, golden
from models.lab.evaluate.golden import change, changes, main
from models.lab.evaluate.harness import mcnemar
from models.lab.evaluate.score import row_of
from vision.core.tables import TableState
from vision.core.types import Quality


def answer(key, exact=True, sure_wrong=0, said="log", small=False):
    return {
        "key": key,
        "exact": exact,
        "good": True,
        "small": small,
        "tiles": 1,
        "unsure": 0,
        "sure_wrong": sure_wrong,
        "answer": {"tiles": [said]},
    }


def answers(*rows):
    return {row["key"]: row for row in rows}


@pytest.mark.parametrize(
    ("lost", "won", "chance"), [(0, 0, 1.0), (1, 1, 1.0), (5, 0, 0.0625), (6, 0, 0.03125)]
)
def test_chance_of_a_change_is_mcnemars_exact_test(lost, won, chance):
    assert mcnemar(lost, won) == chance


def test_same_answers_are_no_change():
    rows = answers(answer("1"), answer("2", exact=False))

    same = change("carnival", rows, rows)

    assert (same.compared, same.different, same.lost, same.won) == (2, 0, (), ())
    assert not same.is_worse


def test_another_answer_that_is_as_right_differs_and_loses_nothing():
    now = change("carnival", answers(answer("1")), answers(answer("1", said="egg")))

    assert (now.different, now.lost, now.is_worse) == (1, (), False)


def test_more_lost_than_chance_gives_is_worse():
    before = answers(*(answer(str(n)) for n in range(9000)))
    now = before | answers(*(answer(str(n), exact=False) for n in range(6)))

    changed = change("carnival", before, now)

    assert changed.lost == tuple("012345")
    assert changed.is_worse
    assert "  WORSE" in list(changed.lines())


def test_sure_and_wrong_tiles_are_worse_than_a_lost_table():
    one = answers(answer("1"), answer("2"))

    assert not change("carnival", one, one | answers(answer("1", exact=False))).is_worse
    assert change("carnival", one, one | answers(answer("1", sure_wrong=1))).is_worse


def test_small_tables_are_compared_by_their_bytes_alone():
    before = answers(answer("1", small=True))

    now = change("carnival", before, answers(answer("1", exact=False, small=True, said="egg")))

    assert (now.different, now.lost) == (1, ())


def test_newest_answer_of_a_file_counts(tmp_path):
    for folder, rows in (
        ("before", [answer("1")]),
        ("now", [answer("1", said="egg"), answer("1")]),
    ):
        (tmp_path / folder).mkdir()
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / folder / "carnival.jsonl").write_text(text)

    assert [one.different for one in changes(tmp_path / "before", tmp_path / "now")] == [0]


@pytest.mark.parametrize("game", ["sssnake", "snekagon"])
def test_picture_is_drawn_once_and_kept_with_its_truth(tmp_path, monkeypatch, game):
    drawn = cases.drawn_table(tmp_path, game, 7)
    monkeypatch.setattr(cases, "make_scene", None)
    monkeypatch.setattr(cases, "hex_table", None)

    kept = cases.drawn_table(tmp_path, game, 7)

    assert kept is not None and drawn is not None
    assert (kept.bgr == drawn.bgr).all()
    assert kept.truth == drawn.truth


def test_nothing_read_of_a_hex_table_is_not_exact(tmp_path):
    shown = cases.drawn_table(tmp_path, "snekagon", 7)
    blind = TableState((10, 10), quality=Quality(ok=True))
    assert shown is not None

    row = row_of(shown, blind, "snekagon")

    assert (row["exact"], row["sure_wrong"]) == (False, 0)


def test_same_reader_gives_the_same_bytes(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(golden, "GAMES", ("carnival",))
    one, two = (str(tmp_path / name) for name in ("one", "two"))
    asked = ["tables", "--tables", "1", "--workers", "1", "--pictures", str(tmp_path / "pictures")]

    main([*asked, "--out", one])
    status = main([*asked, "--out", two, "--against", one])

    assert status == 0
    assert "carnival: 0 of 1 answers differ" in capsys.readouterr().out


def test_unknown_part_is_named(capsys):
    with pytest.raises(SystemExit):
        main(["clouds"])

    assert "there is no part clouds" in capsys.readouterr().err
