"""Whatever keeps the referee from a verdict is said before people wonder: one film a state."""

import json
from dataclasses import replace
from itertools import islice
from typing import Any, get_args

import numpy as np
import pytest

from companion_app.eye.recorded import settled_on
from companion_app.live.hindrance import Hindrance, What, at_the_table
from companion_app.live.loop import LiveLoop
from companion_app.live.match import Match
from companion_app.live.store import Store
from companion_app.web.speech import LANGUAGES, catalogue
from engine.game import Start
from engine.games import game_named
from engine.placement import Layout, Placement
from engine.record import Record, find_set, layout_to_json, parse_options
from tests.engine.playing import random_game, variants
from vision.core.tables import TableState
from vision.core.types import Frame

STILL = np.full((72, 128, 3), 120, np.uint8)
HAND = STILL.copy()
HAND[:40, 40:80] = 200
DARK = np.zeros((72, 128, 3), np.uint8)
STEP_S = 0.2
LONG_S = 5.0
WIDTH_PX = 9


def outline(x: float, y: float) -> list[list[float]]:
    left, top = 45 + x * WIDTH_PX, 27 + y * WIDTH_PX
    return [[left, top], [left + 9, top], [left + 9, top + 9], [left, top + 9]]


def turned_outline(tile: dict[str, Any]) -> list[list[float]]:
    """Return the outline of a card as readers do: it starts at its face's upper left corner."""
    corners, turns = outline(*tile["at"]), tile.get("turns", 0)
    return corners[turns:] + corners[:turns]


class Stage:
    """A loop whose pictures and readings the test makes, by its own clock."""

    def __init__(self, store: Store, variant) -> None:
        self.variant = variant
        rules = game_named(variant.game.facts.name)
        start = Start(variant.players, parse_options(rules, variant.options))
        self.match = Match.begin(store, Record(rules, find_set(rules, None), start))
        self.events: list[dict[str, Any]] = []
        self.unsure: tuple[dict[str, Any], ...] = ()
        self.aside: tuple[dict[str, Any], ...] = ()
        self.knocked_px = 0.0
        self.zoom = 1
        self.t = 0.0
        self.begin()

    def begin(self) -> None:
        """Watch the game as it stands from here on."""
        self.layout = self.match.layout
        self.loop = LiveLoop(self.match, self, self.events.append)
        self.loop.start()

    def film(self, seconds: float, bgr=STILL) -> None:
        for number in range(round(seconds / STEP_S)):
            self.t += STEP_S
            # A hand trembles.
            shown = np.roll(bgr, number % 2, axis=1) if bgr is HAND else bgr
            self.loop.see(Frame(shown.repeat(self.zoom, 0).repeat(self.zoom, 1), self.t))

    def lay(self, layout: Layout, seconds: float = 1.5) -> None:
        """Let a hand lay another table, and film it."""
        self.film(0.5, HAND)
        self.layout = layout
        self.film(seconds)

    def play(self, count: int) -> None:
        """Take up the game after so many moves."""
        rows = islice(random_game(self.variant, 5), count)
        self.match.accept([move for _, _, move in rows])
        self.begin()
        self.film(1.5)
        assert self.loop.state == "settled"
        self.events.clear()

    @property
    def why(self) -> str | None:
        """What the last word on the state is, the same everywhere."""
        last = [event for event in self.events if event["event"] == "state"][-1]
        assert last.get("why") == (self.loop.why.to_json() if self.loop.why else None)
        assert last["state"] == self.loop.state
        json.dumps(last)
        return last["why"]["what"] if "why" in last else None

    # --- the reader ------------------------------------------------------------------------

    def read(self, frame: Frame) -> TableState:
        tiles = tuple(
            self._seen({**tile, "confidence": 0.999, "outline": turned_outline(tile)})
            for tile in layout_to_json(self.layout)["tiles"]
        )
        unsure, aside = tuple(map(self._seen, self.unsure)), tuple(map(self._seen, self.aside))
        return TableState((128, 72), tiles, unsure, aside)

    def _seen(self, entry: dict[str, Any]) -> dict[str, Any]:
        """Return where the camera sees a tile."""
        corners = [[x + self.knocked_px, y] for x, y in entry["outline"]]
        return {**entry, "outline": [[self.zoom * x, self.zoom * y] for x, y in corners]}

    def forget(self) -> None:
        """Nothing is kept."""

    def leave_out(self, outlines) -> None:
        """Nothing lies beside the layout."""

    def doubt(self) -> None:
        """Every look is at everything."""

    def again(self, bgr) -> None:
        """No kept picture is read here."""


@pytest.fixture
def stage(tmp_path):
    variant = next(v for v in variants() if str(v) == "schlangennest-2-plain")
    with Store(tmp_path) as store:
        yield Stage(store, variant)


def test_table_that_never_lies_still_is_said(stage):
    stage.film(LONG_S, HAND)

    assert stage.why in ("looking", "hand", "moving")


def test_hand_that_stays_is_said_and_forgotten_when_it_leaves(stage):
    stage.play(2)
    stage.film(LONG_S, HAND)
    assert stage.why == "hand"

    stage.film(1.0)

    assert stage.loop.state == "settled"
    assert stage.why is None


def test_frame_with_a_hand_is_none_in_which_tiles_were_seen(stage):
    stage.play(2)
    stage.film(1.0, HAND)

    assert stage.loop.looked is not None
    assert (stage.loop.looked.bgr == STILL).all()


def test_hand_that_comes_and_goes_is_no_news(stage):
    stage.play(2)
    for _ in range(5):
        stage.film(2.0, HAND)
        stage.film(1.0)

    assert [event for event in stage.events if "why" in event] == []


def test_darkness_is_said(stage):
    stage.play(2)
    stage.film(LONG_S + 1, DARK)

    assert stage.why == "too-dark"


def test_camera_that_sends_nothing_is_said(stage):
    stage.play(2)
    # Whoever drives the loop has no clock but that of the frames.
    for _ in range(3):
        stage.loop.silence()

    assert stage.why == "camera-lost"


def far(stage, *cells: tuple[int, int]) -> Layout:
    tiles = {Placement("blue/straight", cell, 0) for cell in cells}
    return Layout(stage.match.layout.cards | tiles)


def test_tile_laid_apart_from_the_layout_is_said(stage):
    stage.play(2)
    stage.aside = ({"tile": "blue/curve", "outline": outline(4.4, 3.3), "confidence": 0.99},)
    stage.lay(stage.layout, LONG_S)

    assert stage.why == "apart"


def test_stock_that_has_lain_aside_for_long_is_no_hindrance(stage):
    stage.aside = ({"tile": "blue/curve", "outline": outline(4.4, 3.3), "confidence": 0.99},)
    stage.play(2)
    stage.lay(stage.layout, LONG_S)

    assert stage.why is None


def test_stock_is_no_hindrance_where_it_lies_after_the_camera_was_knocked(stage):
    stage.aside = ({"tile": "blue/curve", "outline": outline(4.4, 3.3), "confidence": 0.99},)
    stage.play(4)
    stage.knocked_px = 15.0
    stage.lay(stage.layout, LONG_S)

    assert "camera-moved" in [event.get("state") for event in stage.events]
    assert stage.why is None


def test_tile_that_was_lifted_as_the_camera_was_knocked_is_gone(stage):
    stage.play(8)
    stage.knocked_px = 5.0
    stage.lay(stage.match.layouts[-2])

    assert "camera-moved" in [event.get("state") for event in stage.events]
    assert len(stage.match.accepted) == 7


def under_a_cup(stage) -> np.ndarray:
    """Return the picture of a cup on the tile that was laid last."""
    left, top = outline(*stage.match.accepted[-1].move.at)[0]
    shown = STILL.copy()
    x, y = round(left + stage.knocked_px), round(top)
    shown[y - 3 : y + 12, x - 3 : x + 12] = 235
    return shown


def test_tile_under_a_cup_is_not_gone_when_the_camera_was_knocked(stage):
    stage.play(8)
    for knocked_px in (0.0, 5.0):
        stage.knocked_px = knocked_px
        stage.film(0.5, HAND)
        stage.layout = stage.match.layouts[-2]
        stage.film(2.0, under_a_cup(stage))

    assert "camera-moved" in [event.get("state") for event in stage.events]
    assert len(stage.match.accepted) == 8
    assert stage.loop.covered


def test_several_tiles_lifted_at_once_are_said_and_nobody_is_accused(stage):
    stage.play(8)
    cards = sorted(stage.layout.cards)
    stage.lay(Layout(frozenset(cards[3:])), LONG_S)

    assert stage.why == "several-lifted"
    assert [e for e in stage.events if e["event"] in ("verdict", "taken-back")] == []
    assert len(stage.match.accepted) == 8


def test_tile_missing_beside_a_covered_one_is_said(stage):
    stage.play(8)
    whole = settled_on(stage.match.layout)
    gone, covered = ((0, *stage.match.accepted[n].move.at) for n in (2, 3))
    sure = {spot: seen for spot, seen in whole.sure.items() if spot not in (gone, covered)}
    settled = replace(whole, sure=sure, covered=frozenset([covered]))

    standing = stage.loop.referee.look(settled, stage.t)

    assert standing == "unsure"
    assert at_the_table(stage.loop.referee, standing, settled) == Hindrance(
        "missing", tuple(sorted([gone, covered]))
    )


def test_one_older_tile_lifted_is_asked_about_and_said(stage):
    stage.play(8)
    third = stage.match.accepted[2].move.at
    left = frozenset(card for card in stage.layout.cards if card.at != third)
    stage.lay(Layout(left), LONG_S + 1)

    assert stage.why in ("one-lifted", "question")


def test_tiles_exchanged_are_said(stage):
    stage.play(8)
    lost = {stage.match.accepted[1].move.at, stage.match.accepted[2].move.at}
    left = frozenset(card for card in far(stage, (9, 9)).cards if card.at not in lost)
    stage.lay(Layout(left), LONG_S)

    assert stage.why == "changed"


@pytest.mark.parametrize(
    ("why", "level", "what"),
    [
        ("covered", 120, "hidden"),
        ("unknown-tile", 120, "unreadable"),
        ("glare", 255, "too-bright"),
    ],
)
def test_tile_that_nobody_can_read_is_said(stage, why, level, what):
    stage.zoom = 4
    stage.play(2)
    x, y = next(m.at for m in stage.match.game.legal_moves(stage.match.position) if m.at)
    stage.unsure = (
        {
            "tile": "unknown",
            "at": [x, y],
            "turns": 0,
            "confidence": 0.1,
            "guesses": [],
            "why": why,
            "outline": outline(x, y),
        },
    )
    left, top = outline(x, y)[0]
    shown = STILL.copy()
    shown[round(top) : round(top) + WIDTH_PX, round(left) : round(left) + WIDTH_PX] = level
    stage.film(0.5, HAND)
    stage.film(LONG_S, shown)

    assert stage.loop.state == "unsure"
    assert stage.why == what


@pytest.mark.parametrize(("burnt", "what"), [(3, "too-bright"), (2, None)])
def test_settled_table_on_which_all_tiles_are_burnt_is_said_to_be_too_bright(stage, burnt, what):
    # Carnival 42: burnt cards that were laid there looked like nothing.
    stage.zoom = 4
    stage.play(3)
    shown = STILL.copy()
    for card in sorted(stage.layout.cards)[:burnt]:
        left, top = outline(*card.at)[0]
        shown[round(top) : round(top) + WIDTH_PX, round(left) : round(left) + WIDTH_PX] = 255
    stage.film(0.5, HAND)
    stage.film(2 * LONG_S, shown)

    assert stage.loop.state == "settled"
    assert stage.why == what


def test_open_question_is_said(stage):
    stage.play(2)
    x, y = next(m.at for m in stage.match.game.legal_moves(stage.match.position) if m.at)
    stage.unsure = (
        {
            "tile": "blue/curve",
            "at": [x, y],
            "turns": 0,
            "confidence": 0.5,
            "guesses": [["blue/curve", 0.5, 0], ["blue/tail", 0.4, 0]],
            "why": "glare",
            "outline": outline(x, y),
        },
    )
    stage.lay(stage.layout, LONG_S)

    assert stage.why == "question"


def test_foul_that_lies_there_is_said(stage):
    stage.play(2)
    stage.lay(far(stage, (5, 1)), LONG_S + 1)

    assert stage.loop.referee.doubts.pending is not None
    assert stage.why == "foul"


def test_roll_that_nobody_tells_is_said(tmp_path):
    variant = next(v for v in variants() if v.game.facts.name == "sssnake" and not v.options)
    with Store(tmp_path) as store:
        stage = Stage(store, variant)
        stage.film(LONG_S + 2)

        assert stage.why == "roll"


def test_other_table_is_said(stage):
    stage.play(4)
    others = {Placement("green/curve", (x, y), 0) for x in range(3) for y in range(2)}
    stage.lay(Layout(frozenset(others)), LONG_S)

    assert stage.loop.state == "unsure"
    assert stage.why in ("other-table", "changed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_hindrance_has_a_sentence(language):
    page = catalogue(language)["page"]

    assert [what for what in get_args(What) if len(page.get(f"why-{what}", "")) < 20] == []
