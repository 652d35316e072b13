"""The invented game of CONTRIBUTING: written, printed, taught from that, drawn, read, scored."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.game import Start
from engine.games import game_named
from engine.setfile import load_set
from models.lab.scenes.games.film import film_settings
from models.lab.scenes.games.stage import Stage
from models.lab.scenes.scene import camera_for, painted, photographed
from models.lab.scenes.world.faces import own_box
from tests.lessons import short_lessons

GUIDE = Path(__file__).parents[1] / "CONTRIBUTING.md"
NAME, GAME = "garden-hose", "sssnake"
MOVES = 12
SIZE_PX = (1600, 1200)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A data folder that holds the set file as the guide has it."""
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    (tmp_path / "sets").mkdir()
    written = re.search(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert written is not None
    (tmp_path / "sets" / f"{NAME}.toml").write_text(written[1], encoding="utf-8")
    with short_lessons():
        yield tmp_path


def drawn_table(home: Path) -> tuple[Path, set[tuple[int, str, tuple[int, int]]]]:
    """Photograph a game that has begun, and return what lies where by field."""
    game = game_named(GAME)
    box = load_set(NAME, (home / "sets",))
    position = game.opening(Start(("a", "b"), {"rolls": "trust"}), box)
    rng = np.random.default_rng(3)
    for _ in range(MOVES):
        choice = [move for move in game.legal_moves(position) if move.do == "place"]
        position = game.apply(position, choice[int(rng.integers(len(choice)))])
    layout = game.layout(position)
    settings = film_settings(8, "held-out", GAME, SIZE_PX)
    quiet = replace(
        settings,
        cards=replace(settings.cards, size_mm=box.pitch_mm),
        camera=replace(settings.camera, elevation_deg=80.0, fill=0.85, aim=(0.0, 0.0)),
        light=replace(settings.light, level=1.0, glare=0.0),
        clutter=replace(settings.clutter, stocks=False, draw_pile=False, discard=False, hands=0),
    )
    stage = Stage(quiet, ("a", "b"), [layout], own_box(box))
    picture = painted(quiet, stage.top(layout), camera_for(quiet, stage.extent_mm))
    (home / "table.jpg").write_bytes(photographed(quiet, picture))
    return home / "table.jpg", {(c.field or 0, c.tile, c.at) for c in layout.cards}


def test_the_box_of_the_guide_is_printed_taught_read_and_scored(home, run):
    sheets = home / "sheets"
    photo, truth = drawn_table(home)

    run(*f"print --game {GAME} --set {NAME} --out {sheets}".split())
    files = f"--photos {sheets} --labels {sheets}/labels.json"
    run(*f"teach {NAME} --shape square --game {GAME} {files}".split())
    read = run(*f"read {photo} --set {NAME} --json".split())
    scored = run(*f"score {photo} --game {GAME} --set {NAME} --json".split())

    (state,), (score,) = read.documents, scored.documents
    seen = {(t["field"], t["tile"], tuple(t["at"])) for t in (*state["tiles"], *state["unsure"])}
    assert (read.status, scored.status) == (0, 0)
    assert seen == truth
    assert set(score["scores"])
