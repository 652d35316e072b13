"""What evaluations keep, how they say it, and that renders are counted as drawn tables are."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from engine.setfile import built_in_set
from models.lab.evaluate import __main__ as everything
from models.lab.evaluate import harness, renders, tables
from models.lab.evaluate.harness import Figure, Subject, save_subject, saved_subjects
from models.lab.evaluate.report import (
    BEGIN,
    END,
    keep_text,
    kept_texts,
    main,
    page,
    summary,
    with_summary,
    write_report,
)
from models.lab.evaluate.score import score_table
from models.lab.evaluate.taught.counting import best_fit
from models.lab.scenes.scene import scene_from
from models.lab.scenes.settings import draw_settings, without_disturbance
from vision.core.tables import TableState

ROOT = Path(__file__).parents[2]


def test_rows_are_taken_up_again_but_not_those_of_another_reader(tmp_path, monkeypatch):
    path = tmp_path / "rows.jsonl"
    asked: list[int] = []

    def work(seed):
        asked.append(seed)
        return {"seed": seed, "right": seed != 2}

    harness.every_row(path, "seed", [1, 2], work, 1)
    rows = harness.every_row(path, "seed", range(4), work, 1)
    assert [row["right"] for row in rows] == [True, True, False, True]
    assert asked == [1, 2, 0, 3]
    monkeypatch.setattr(harness, "reader_mark", lambda: "another")
    harness.every_row(path, "seed", [2], work, 1)
    assert asked == [1, 2, 0, 3, 2]


def test_a_figure_says_whether_it_holds():
    few = Figure("tiles wrong", 1, 2000, most=1)
    many = Figure("tiles wrong", 3, 2000, most=1)
    exact = Figure("tables exactly right", 499, 500, 100, least=99.3)

    assert (few.holds, many.holds, exact.holds) == (True, False, True)
    assert Figure("tiles wrong", 0, 0, most=1).holds is None
    assert "3 of 2000: 1.50 per 1000" in many.line()
    assert "wanted at most 1 in 1000, DOES NOT HOLD" in many.line()


def test_the_page_has_every_figure_and_the_worst_pictures(tmp_path):
    figure = Figure("tiles wrong", 3, 2000, most=1)
    save_subject(Subject("squares", "carnival", (figure,), ("squares/worst/one.jpg",)), tmp_path)
    keep_text(tmp_path, "teaching", "catan", "151 of 152\n")
    subjects = saved_subjects(tmp_path)

    assert subjects[0].figures == (figure,)
    shown = page(subjects, {"teaching": "151 of 152"}, with_pictures=True)
    assert "| carnival | tiles wrong | 3 of 2000 | 1.50 ‰ (0.51 to 4.40) |" in shown
    assert "**not met**" in shown
    assert "(squares/worst/one.jpg)" in shown
    assert main(["--out", str(tmp_path), "--to", str(tmp_path / "E.md")]) == 0
    shipped = (tmp_path / "E.md").read_text("utf-8")
    assert "151 of 152" in shipped
    assert "one.jpg" not in shipped


def test_a_page_without_results_is_refused(tmp_path, capsys):
    assert main(["--out", str(tmp_path)]) == 2
    assert "make evaluate" in capsys.readouterr().err


def test_what_the_commands_of_a_part_print_is_put_together(tmp_path, monkeypatch, capfd):
    monkeypatch.setattr(everything, "TEXT_PARTS", {"teaching": "Boxes"})
    for word in ("qwirkle", "catan"):
        assert everything.run("teaching", ["this", word], tmp_path)

    assert kept_texts(tmp_path)["teaching"].count("Beautiful is better than ugly.") == 2
    assert "Beautiful is better than ugly." in capfd.readouterr().out


def test_a_scale_makes_every_part_smaller(tmp_path):
    whole, tenth = (everything.parts(scale, 1, None, tmp_path) for scale in (1.0, 0.1))

    assert whole["squares"][0][:4] == ["models.lab.evaluate.tables", "squares", "--tables", "500"]
    assert tenth["squares"][0][:4] == ["models.lab.evaluate.tables", "squares", "--tables", "50"]
    assert tenth["small"][0][3] == "6"
    assert list(whole) == list(tenth)


def test_an_unknown_part_is_named(capsys):
    with pytest.raises(SystemExit) as left:
        everything.main(["squarse"])

    assert left.value.code == 2
    assert "no part squarse" in capsys.readouterr().err


def test_layouts_overlap_at_the_best_shift_and_turn():
    corner = {(0, 0): "fox", (1, 0): "owl", (1, 1): "hen"}
    names = ["owl", "hen", "fox"]

    assert best_fit(np.array([(5, 5), (5, 6), (4, 6)]), names, corner, 4)[0] == 3
    assert best_fit(np.array([(0, 0), (1, 0), (2, 0)]), names, corner, 4)[0] == 2
    assert best_fit(np.array([(1, 0), (1, 1), (0, 0)]), names, corner, 4)[:2] == (3, 3)


@pytest.fixture(scope="module")
def render(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with one easy picture and its truth, as the renderer's bridge leaves it."""
    folder = tmp_path_factory.mktemp("renders")
    settings = without_disturbance(draw_settings(3, "held-out", "schlangennest", (1280, 720)))
    scene = scene_from(replace(settings, fullness=0.4))
    (folder / "schlangennest-held-out-000003.jpg").write_bytes(scene.jpeg)
    truth = {**scene.truth, "room": ["studio", "wood-03"]}
    (folder / "schlangennest-held-out-000003.json").write_text(json.dumps(truth), "utf-8")
    (folder / "schlangennest-held-out-000004.jpg").write_bytes(b"not finished")
    return folder


def test_a_render_is_read_from_its_file_and_counted_once(render, tmp_path, capsys):
    asked = [str(render), "--game", "schlangennest", "--out", str(tmp_path), "--workers", "1"]

    assert renders.main(asked) == 0
    assert "tables exactly right: 1 of 1" in capsys.readouterr().out
    rows = (tmp_path / "photoreal" / "schlangennest.jsonl").read_text("utf-8").splitlines()
    assert renders.main(asked) == 0
    assert (tmp_path / "photoreal" / "schlangennest.jsonl").read_text("utf-8").splitlines() == rows


def test_renders_are_left_out_where_there_are_none(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("SNAKE_EYE_SHARED", raising=False)

    assert renders.main(["--out", str(tmp_path)]) == 0
    assert "left out" in capsys.readouterr().out


def test_sure_readings_of_nothing_count_as_sure_and_wrong(render):
    name = "schlangennest-held-out-000003"
    truth = json.loads((render / f"{name}.json").read_text("utf-8"))
    ghost = {
        "tile": "blue/curve",
        "at": [9, 9],
        "turns": 0,
        "confidence": 1.0,
        "outline": [[0, 0], [9, 0], [9, 9], [0, 9]],
    }
    state = TableState(tuple(truth["size"]), tiles=(ghost,))

    score = score_table(truth, state, built_in_set("schlangennest"))

    assert (score["invented"], score["sure"], score["sure_wrong"]) == (1, 1, 1)
    assert score["missed"] == score["tiles"]


def test_a_shrunk_picture_keeps_its_points_where_they_were():
    bgr = np.zeros((80, 120, 3), np.uint8)
    cv2.rectangle(bgr, (40, 20), (79, 59), (255, 255, 255), -1)

    half = tables.shrunk(bgr, 0.5)

    ys, xs = np.nonzero(half[..., 0] > 128)
    seen = [(xs.min() - 0.5, ys.min() - 0.5), (xs.max() + 0.5, ys.max() + 0.5)]
    assert half.shape == (40, 60, 3)
    assert tables.shrunk_px([(39.5, 19.5), (79.5, 59.5)], 0.5) == pytest.approx(np.array(seen))


def test_the_readme_has_the_short_table_of_the_shipped_page():
    shipped = (ROOT / "models" / "trained" / "EVALUATION.md").read_text("utf-8")
    readme = (ROOT / "README.md").read_text("utf-8")
    quoted = readme.partition(BEGIN)[2].partition(END)[0].strip()

    assert quoted.startswith("| game |")
    assert quoted in shipped


def test_a_document_gets_the_short_table_between_its_marks():
    exact = Figure("tables exactly right", 40, 40, 100, least=97)
    wrong = Figure("tiles wrong, missed or invented", 1, 1000, most=3)
    lines = summary([Subject("photoreal", "carnival", (wrong, exact))])

    text = with_summary(f"before\n{BEGIN}\nold\n{END}\nafter\n", lines)

    assert "old" not in text
    assert "| carnival | – | – | – | 40 | 1.00 ‰ (at most 5.6) | 100.0 % (91.2 to 100.0) |" in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")


def test_claims_are_counted_beside_what_they_say(tmp_path):
    rows = {
        "squares": {"confidences": [[0.8, True], [0.6, False]], "beside_confidences": []},
        "spots": {"confidences": [[0.999, True]]},
        "strangers": {"claims": [["red/head", 0.75]]},
    }
    for part, row in rows.items():
        (tmp_path / part).mkdir()
        (tmp_path / part / "carnival.jsonl").write_text(json.dumps(row) + "\n", "utf-8")

    said = write_report(tmp_path).read_text("utf-8")

    assert "tiles in play: 2 claims between 0.5 and 0.99 (fewer than 200" in said
    assert "0.5 to 0.99: says 70.0 %, right 50.0 % of 2, off by -20.0" in said
    assert "strangers: 1 claims" in said
    assert "spots of light: 0 claims" in said
