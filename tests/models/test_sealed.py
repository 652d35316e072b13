"""The last exam: each opening is put down once and stands in the report."""

import pytest

from models.lab.evaluate import sealed, tables
from models.lab.evaluate.harness import Figure, Subject
from models.lab.evaluate.report import page
from models.lab.evaluate.sealed import all_openings, openings, put_down


def test_opening_is_put_down_once_a_reader(tmp_path):
    book = tmp_path / "openings.jsonl"

    put_down("sealed", 1000, "before the release", book)
    put_down("sealed", 1000, "taken up again", book)
    put_down("sealed-2", 1000, "the first fell short", book)

    assert [(one.split, one.why) for one in all_openings(book)] == [
        ("sealed", "before the release"),
        ("sealed-2", "the first fell short"),
    ]
    assert "1. `sealed` was opened on" in next(openings(book))


def test_report_tells_of_every_opening(monkeypatch):
    monkeypatch.setattr(
        "models.lab.evaluate.report.openings", lambda: iter(["1. `sealed` was opened"])
    )
    figure = Figure("tables exactly right", 999, 1000, 100, least=99.5)

    text = page([Subject("sealed", "carnival", (figure,))], {}, with_pictures=False)

    assert "1. `sealed` was opened" in text


def test_exam_without_a_reason_is_refused(capsys):
    with pytest.raises(SystemExit):
        sealed.main([])

    assert "--why" in capsys.readouterr().err


def test_exam_reads_a_sealed_table_and_keeps_its_figures(tmp_path, monkeypatch, capsys):
    put = []
    monkeypatch.setattr(sealed, "put_down", lambda *asked: put.append(asked))
    drawn = []

    def read(seed, game, split, worst, beside="far"):
        drawn.append((seed, game, split, worst.name))
        counted = (
            "wrong",
            "missed",
            "invented",
            "unsure",
            "sure_wrong",
            "beside",
            "beside_sure",
            "beside_unsure",
            "bad",
        )
        counts = dict.fromkeys(counted, 0)
        facts = {
            "small": False,
            "good": True,
            "foul": False,
            "exact": True,
            "confidences": [],
            "advice": [],
            "beside_confidences": [],
        }
        return {"seed": seed, "tiles": 1, "sure": 1, **counts, **facts}

    monkeypatch.setattr(tables, "evaluated", read)

    sealed.main(
        [
            "--why",
            "a test",
            "--game",
            "carnival",
            "--tables",
            "2",
            "--workers",
            "1",
            "--out",
            str(tmp_path),
        ]
    )

    assert put == [("sealed", 2, "a test")]
    assert drawn == [(n, "carnival", "sealed", "worst") for n in range(2)]
    assert (tmp_path / "figures" / "sealed-carnival.json").exists()
    assert "sealed, carnival" in capsys.readouterr().out
