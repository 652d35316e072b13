"""What evaluations keep, how they say it, and that every kind of picture gives one kind of row."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.evaluate import __main__ as everything
from models.lab.evaluate import cases, harness, sealed
from models.lab.evaluate.cases import NOTHING, Cases, answered, render_cases, stranger_case
from models.lab.evaluate.figures import DRAWN, STRANGE, figures_of, remarks
from models.lab.evaluate.harness import Figure
from models.lab.evaluate.parts import PARTS, Subject, subjects
from models.lab.evaluate.report import (
    BEGIN,
    END,
    TEXTS,
    keep_text,
    main,
    page,
    summary,
    with_summary,
    write_report,
)
from models.lab.evaluate.score import best_fit, score_table
from models.lab.evaluate.taught.cases import fold_of, rated_layout
from models.lab.scenes.scene import scene_from
from models.lab.scenes.settings import draw_settings, without_disturbance
from vision.core.tables import TableState
from vision.core.types import Quality

EASY = "schlangennest-held-out-000003"
GHOST = {
    "tile": "blue/curve",
    "at": [9, 9],
    "turns": 0,
    "confidence": 1.0,
    "outline": [[0, 0], [9, 0], [9, 9], [0, 9]],
}


def seen(*entries, ok=True):
    return TableState((10, 10), tiles=entries, quality=Quality(ok=ok))


# --- Figures ---


@pytest.mark.parametrize(
    ("figure", "holds"),
    [
        (Figure("tiles wrong", 1, 2000, most=1), True),
        (Figure("tiles wrong", 3, 2000, most=1), False),
        (Figure("tables exactly right", 499, 500, 100, least=99.3), True),
        (Figure("tiles wrong", 0, 0, most=1), None),
    ],
)
def test_a_figure_says_whether_it_holds(figure, holds):
    assert figure.holds is holds


def test_a_figure_is_told_with_its_interval_and_what_is_wanted():
    figure = Figure("tiles wrong", 3, 2000, most=1)

    assert figure.told() == "1.50 ‰ (0.51 to 4.40)"
    assert figure.wanted() == "≤ 1 ‰ **not met**"
    assert Figure("tables exactly right", 5, 5, 100, least=99).wanted() == "≥ 99 % ✓"


def row(**more):
    return {**NOTHING, "key": "1", "tiles": 10, "sure": 9, "bad": 0, "confidences": [], **more}


def said(rows, *, whatever=False):
    figures = figures_of(rows, DRAWN, whatever=whatever)
    return {figure.name: (figure.hits, figure.count) for figure in figures}


def test_small_tiles_and_poor_pictures_are_counted_apart():
    rows = [
        row(bad=1, exact=False),
        row(small=True, bad=7, sure_wrong=2, advice=["small"]),
        row(good=False, bad=9, exact=False),
        row(confidences=[[0.995, True], [0.4, False]]),
    ]

    figures = said(rows)

    assert figures["tiles wrong, missed or invented"] == (1, 20)
    assert figures["tables exactly right"] == (1, 2)
    assert figures["pictures called not good enough"] == (1, 3)
    assert figures["readings at 0.99 or surer right"] == (1, 1)
    assert figures["tables with smaller tiles told to be small"] == (1, 1)
    assert figures["sure readings wrong on these"] == (2, 9)
    assert said(rows, whatever=True)["tiles wrong, missed or invented"] == (17, 40)


def test_pictures_that_are_not_exact_are_told_with_why():
    rows = [row(mistakes=["missed a log"]), row(good=False, advice=["blur"])]

    assert list(remarks(rows)) == [
        "  not good enough, by advice: {'blur': 1}",
        "    1: missed a log",
    ]


def test_nothing_claimed_of_a_stranger_is_exact_and_any_tile_is_counted(tmp_path):
    cv2.imwrite(str(tmp_path / "wall.png"), np.full((300, 400, 3), 180, np.uint8))
    case = stranger_case("wall.png carnival", tmp_path)
    claimed = case.rate(TableState((10, 10), tiles=(GHOST,), quality=Quality(ok=True)))

    assert case.rate(case.read())["exact"]
    figures = figures_of([{**claimed, "key": "1"}], STRANGE, whatever=True)
    assert [(figure.hits, figure.count) for figure in figures] == [(1, 1)] * 3
    assert claimed["sure_wrong"] == 1


# --- Rows ---


def test_rows_are_taken_up_again_but_not_those_of_another_reader(tmp_path, monkeypatch):
    path = tmp_path / "rows.jsonl"
    asked: list[str] = []

    def work(key):
        asked.append(key)
        return {"right": key != "2"}

    harness.every_row(path, ["1", "2"], work, 1)
    rows = harness.every_row(path, ["0", "1", "2", "3"], work, 1)
    assert [one["right"] for one in rows] == [True, True, False, True]
    assert asked == ["1", "2", "0", "3"]
    monkeypatch.setattr(harness, "reader_mark", lambda: "another")
    harness.every_row(path, ["2"], work, 1)
    assert asked == ["1", "2", "0", "3", "2"]


def test_a_misread_picture_is_kept_until_it_is_read_exactly(tmp_path):
    picture = cases.picture_of(np.zeros((60, 80, 3), np.uint8))
    wrong = {**NOTHING, "exact": False, "mistakes": ["missed a log"]}

    def case(key, rated):
        outline = [np.array([[5, 5], [20, 5], [20, 20], [5, 20]])]
        return cases.Case(picture, lambda: seen(GHOST), lambda state: rated, outline)

    answered("a/1", partial(case, rated=wrong), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a-1.jpg"]
    answered("a/1", partial(case, rated=NOTHING), tmp_path)
    assert not list(tmp_path.iterdir())


def test_layouts_overlap_at_the_best_shift_and_turn():
    corner = {(0, 0): "fox", (1, 0): "owl", (1, 1): "hen"}
    names = ["owl", "hen", "fox"]

    assert best_fit(np.array([(5, 5), (5, 6), (4, 6)]), names, corner, 4)[0] == 3
    assert best_fit(np.array([(0, 0), (1, 0), (2, 0)]), names, corner, 4)[0] == 2
    assert best_fit(np.array([(1, 0), (1, 1), (0, 0)]), names, corner, 4)[:2] == (3, 3)


@pytest.mark.parametrize(
    ("ok", "exact", "sure_wrong"), [(True, True, 0), (False, False, 0)], ids=["good", "poor"]
)
def test_a_taught_layout_is_exact_on_a_good_picture_only(ok, exact, sure_wrong):
    rated = rated_layout(seen(GHOST, ok=ok), {(0, 0): "blue/curve"}, 4)

    assert (rated["exact"], rated["sure_wrong"], rated["kinds_right"]) == (exact, sure_wrong, 1)


def test_all_photographs_of_one_board_are_in_one_fold(tmp_path):
    board = [{"tile": "lake", "at": [0, 0]}, {"tile": "wood", "at": [1, 1]}]
    turned = [{"tile": "wood", "at": [0, 0]}, {"tile": "lake", "at": [1, 1]}]
    photos = {"a.jpg": board, "b.jpg": turned, "c.jpg": [{"tile": "mine", "at": [2, 2]}]}
    (tmp_path / "labels.json").write_text(json.dumps({"photos": photos}), "utf-8")

    folds = fold_of(tmp_path)

    assert folds["a.jpg"] == folds["b.jpg"] != folds["c.jpg"]


# --- Renders, shrunk and sealed tables ---


@pytest.fixture(scope="module")
def render(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one easy picture and its truth, as the renderer's bridge leaves it."""
    folder = tmp_path_factory.mktemp("renders")
    settings = without_disturbance(draw_settings(3, "held-out", "schlangennest", (1280, 720)))
    scene = scene_from(replace(settings, fullness=0.4))
    (folder / f"{EASY}.jpg").write_bytes(scene.jpeg)
    truth = {**scene.truth, "room": ["studio", "wood-03"]}
    (folder / f"{EASY}.json").write_text(json.dumps(truth), "utf-8")
    (folder / "schlangennest-held-out-000004.jpg").write_bytes(b"not finished")
    return folder


def test_a_render_is_read_from_its_file_and_counted_once(render, tmp_path, capsys):
    asked = f"photoreal --renders {render} --game schlangennest --workers 1 --out {tmp_path}"
    path = tmp_path / "photoreal" / "schlangennest.jsonl"

    assert everything.main(asked.split()) == 0
    assert "tables exactly right: 1 of 1" in capsys.readouterr().out
    rows = path.read_text("utf-8").splitlines()
    assert everything.main(asked.split()) == 0
    assert path.read_text("utf-8").splitlines() == rows


def test_what_is_not_there_is_left_out(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SNAKE_EYE_SHARED", raising=False)

    assert everything.main(["photoreal", "strangers", "--out", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("left out") == 2


def test_an_unknown_part_is_named(capsys):
    with pytest.raises(SystemExit) as left:
        everything.main(["squarse"])

    assert left.value.code == 2
    assert "no part squarse" in capsys.readouterr().err


def test_a_program_is_run_and_what_it_prints_is_kept(tmp_path, capsys):
    assert everything.run_program("live", "this", tmp_path)

    assert "Beautiful is better than ugly." in (tmp_path / "texts/live.txt").read_text("utf-8")
    assert "Beautiful is better than ugly." in capsys.readouterr().out


def test_sure_readings_of_nothing_count_as_sure_and_wrong(render):
    (found,) = render_cases(render, ["schlangennest"])
    truth = json.loads((render / f"{EASY}.json").read_text("utf-8"))

    score = score_table(truth, seen(GHOST), built_in_set("schlangennest"))

    assert (score["invented"], score["sure"], score["sure_wrong"]) == (1, 1, 1)
    assert found.keys == [EASY]
    assert score["missed"] == score["tiles"] == len(truth["tiles"])


def test_a_shrunk_picture_keeps_its_points_where_they_were():
    bgr = np.zeros((80, 120, 3), np.uint8)
    cv2.rectangle(bgr, (40, 20), (79, 59), (255, 255, 255), -1)

    half = cases.shrunk(bgr, 0.5)

    ys, xs = np.nonzero(half[..., 0] > 128)
    found = [(xs.min() - 0.5, ys.min() - 0.5), (xs.max() + 0.5, ys.max() + 0.5)]
    assert half.shape == (40, 60, 3)
    assert cases.shrunk_px([(39.5, 19.5), (79.5, 59.5)], 0.5) == pytest.approx(np.array(found))


def test_opening_is_put_down_once_a_reader(tmp_path):
    book = tmp_path / "openings.jsonl"
    for split, why in (
        ("sealed", "before the release"),
        ("sealed", "taken up again"),
        ("sealed-2", "the first fell short"),
    ):
        sealed.put_down(split, 1000, why, book)

    assert [(one.split, one.why) for one in sealed.all_openings(book)] == [
        ("sealed", "before the release"),
        ("sealed-2", "the first fell short"),
    ]
    assert "1. `sealed` was opened on" in next(sealed.openings(book))


def test_exam_without_a_reason_is_refused(capsys):
    with pytest.raises(SystemExit):
        everything.main(["sealed"])

    assert "--why" in capsys.readouterr().err


def test_exam_reads_a_sealed_table_and_keeps_its_rows(tmp_path, monkeypatch, capsys):
    put, drawn = [], []
    monkeypatch.setattr(sealed, "put_down", lambda *asked: put.append(asked))

    def case(key, game, split, beside):
        drawn.append((key, game, split, beside))
        return cases.Case(
            cases.picture_of(np.zeros((9, 9, 3))), seen, lambda state: {**NOTHING, "tiles": 1}
        )

    monkeypatch.setattr(sealed, "table_case", case)
    asked = f"sealed --why test --game carnival --tables 2 --workers 1 --out {tmp_path}"

    assert everything.main(asked.split()) == 0

    assert put == [("sealed", 2, "test")]
    assert drawn == [(str(n), "carnival", "sealed", "third") for n in range(2)]
    assert [(one.part, one.name) for one in subjects(tmp_path)] == [("sealed", "carnival")]
    assert "sealed, carnival" in capsys.readouterr().out


def test_exam_is_no_part_of_a_usual_run(tmp_path, monkeypatch):
    counted = []
    monkeypatch.setattr(everything, "count_part", lambda name, asked: counted.append(name))
    monkeypatch.setattr(everything, "run_program", lambda *asked: True)

    assert everything.main(["--out", str(tmp_path)]) == 0
    assert counted == [name for name in PARTS if name != "sealed"]


# --- The page ---


def kept(folder, part, *rows):
    (folder / part).mkdir()
    text = "".join(json.dumps({"mark": "now", **one}) + "\n" for one in rows)
    (folder / part / "carnival.jsonl").write_text(text, "utf-8")


def test_the_page_has_every_figure_and_the_worst_pictures(tmp_path, monkeypatch):
    wrong = row(key="2", bad=3, exact=False, mistakes=["missed a log"])
    kept(tmp_path, "squares", {**row(bad=9), "mark": "of an earlier reader"}, row(), wrong)
    kept(tmp_path, "sealed", row())
    worst = tmp_path / "squares" / "worst" / "carnival"
    worst.mkdir(parents=True)
    (worst / "2.jpg").touch()
    keep_text(tmp_path, "live", "151 of 152\n")
    monkeypatch.setattr("models.lab.evaluate.report.openings", lambda: iter(["1. `sealed` was"]))

    assert main(["--out", str(tmp_path)]) == 0
    text = (tmp_path / "REPORT.md").read_text("utf-8")

    assert "| carnival | tiles wrong, missed or invented | 3 of 20 | 150.00 ‰" in text
    assert "**not met**" in text
    assert "151 of 152" in text
    assert "1. `sealed` was" in text
    assert "(squares/worst/carnival/2.jpg)" in text


def test_a_page_without_results_is_refused(tmp_path, capsys):
    assert main(["--out", str(tmp_path)]) == 2
    assert "make evaluate" in capsys.readouterr().err


def test_a_document_gets_the_short_table_between_its_marks():
    exact = Figure("tables exactly right", 40, 40, 100, least=97)
    wrong = Figure("tiles wrong, missed or invented", 1, 1000, most=3)
    counted = [Subject("photoreal", "carnival", (wrong, exact))]

    text = with_summary(f"before\n{BEGIN}\nold\n{END}\nafter\n", summary(counted))

    assert "old" not in text
    line = "| carnival | – | – | – | 40 | 1.00 ‰ (at most 5.6) | 100.0 % (91.2 to 100.0) |"
    assert line in text and line in page(counted, {})
    assert text.startswith("before\n")
    assert text.endswith("after\n")


def test_claims_are_counted_beside_what_they_say(tmp_path):
    kept(tmp_path, "squares", row(confidences=[[0.8, True], [0.6, False]]))
    kept(tmp_path, "spots", row(confidences=[[0.999, True]]))
    kept(tmp_path, "strangers", row(confidences=[[0.75, False]]))

    text = write_report(tmp_path).read_text("utf-8")

    assert "tiles in play: 2 claims between 0.5 and 0.99 (fewer than 200" in text
    assert "0.5 to 0.99: says 70.0 %, right 50.0 % of 2, off by -20.0" in text
    assert "strangers: 1 claims" in text
    assert "spots of light: 0 claims" in text


def test_every_program_has_a_title_and_what_cannot_be_drawn_is_told():
    assert set(everything.PROGRAMS) == set(TEXTS)
    assert Cases("a", ["1"], lambda key: None).case("1") is None
    assert answered("1", lambda key: None) == {"error": "the scene cannot be drawn"}
