"""A camera at the desk: the live loop in its thread, the page beside it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator

import numpy as np

from companion_app.eye.recorded import laid
from companion_app.eye.watching import Watched
from companion_app.live.machine import MachineTurn
from engine.placement import Layout
from engine.record import layout_to_json
from tests.browser.chromium import wait_until
from tests.companion_app.web.conftest import playthrough
from vision.core.tables import TableState
from vision.core.types import Frame

STILL = np.full((72, 128, 3), 120, np.uint8)
HAND = STILL.copy()
HAND[:40, 40:80] = 200
PATIENCE_S = 20.0
ENOUGH_LOOKS = 12
"""Looks after which a table has been judged."""


class DrawnTable:
    """A source and a reader in one: still frames, and a table that the test lays."""

    live = False

    def __init__(self) -> None:
        self.unsure: tuple[tuple[int, int], ...] = ()
        self.broken = False
        self._layout = Layout()
        self._hands = 0
        self.reading = threading.Event()
        self.go_on = threading.Event()
        self.go_on.set()
        self._closed = False

    @property
    def layout(self) -> Layout:
        return self._layout

    @layout.setter
    def layout(self, layout: Layout) -> None:
        """Let a hand lay another table."""
        self._hands = 3
        self._layout = layout

    def frames(self) -> Iterator[Frame | None]:
        number = 0
        while not self._closed:
            number += 1
            time.sleep(0.005)
            self._hands = max(0, self._hands - 1)
            yield Frame(HAND if self._hands else STILL, number * 0.6)

    def close(self) -> None:
        self._closed = True

    def read(self, frame: Frame) -> TableState:
        self.reading.set()
        if self.broken:
            raise ZeroDivisionError
        self.go_on.wait(PATIENCE_S)
        tiles = [
            {
                **tile,
                "confidence": 0.999,
                "outline": [
                    [x * 9, y * 9],
                    [x * 9 + 9, y * 9],
                    [x * 9 + 9, y * 9 + 9],
                    [x * 9, y * 9 + 9],
                ],
            }
            for tile in layout_to_json(self.layout)["tiles"]
            for x, y in [(tile["at"][0] + 5, tile["at"][1] + 5)]
        ]
        doubtful = [tile for tile in tiles if tuple(tile["at"]) in self.unsure]
        sure = [tile for tile in tiles if tile not in doubtful]
        asked = [
            {**tile, "why": "glare", "guesses": [["blue/curve", 0.5, 0], ["blue/straight", 0.3, 0]]}
            for tile in doubtful
        ]
        return TableState((128, 72), tuple(sure), tuple(asked))

    def forget(self) -> None:
        """Nothing is kept."""

    def leave_out(self, outlines) -> None:
        """Nothing lies beside the layout."""

    def doubt(self) -> None:
        """Every look is at everything."""

    def again(self, bgr) -> None:
        """No kept picture is read here."""


def begun(played, script) -> DrawnTable:
    table = DrawnTable()
    played.begin(script.record)
    played.desk.feed(Watched("camera", table, table))
    assert table.reading.wait(PATIENCE_S)
    return table


def test_tile_seen_by_the_camera_becomes_a_move_on_the_page(played, script):
    table = begun(played, script)
    match = played.desk.match
    first = script.record.moves[0]

    table.layout = match.game.layout(match.game.apply(match.position, first))
    wait_until(lambda: played.guest().get("/api/state")["moves"])

    state = played.guest().get("/api/state")
    assert state["moves"][0]["move"]["tile"] == first.tile
    assert state["source"]["kind"] == "camera"
    assert state["trouble"] is None


def test_page_answers_while_a_frame_is_read(played, script):
    table = begun(played, script)
    table.go_on.clear()
    table.reading.clear()
    assert table.reading.wait(PATIENCE_S)

    began = time.monotonic()
    state = played.guest().get("/api/state")
    table.go_on.set()

    assert state["game"] == "schlangennest"
    assert time.monotonic() - began < 5


def test_camera_picture_is_shown(played, script):
    begun(played, script)
    seat = played.seat("blue")
    wait_until(lambda: seat.client.get("/api/picture.jpg").status_code == 200)

    assert seat.client.get("/api/picture.jpg").data[:2] == b"\xff\xd8"


def test_picture_without_a_camera_is_not_found(played, script):
    played.begin(script.record)

    assert played.seat("blue").client.get("/api/picture.jpg").status_code == 404


def test_ending_the_game_stops_the_camera(played, script):
    table = begun(played, script)

    played.host().post("/api/end")

    assert table._closed is True


def outlines(played) -> str:
    return str(played.seat("blue").client.get("/api/camera.svg").get_data(as_text=True))


def test_picture_shows_where_the_tiles_lie_and_which_came_last(played, script):
    table = begun(played, script)
    match = played.desk.match
    for count in (1, 2):
        position = match.position
        table.layout = match.game.layout(match.game.apply(position, script.record.moves[count - 1]))
        wait_until(lambda: len(match.accepted) == count)  # noqa: B023

    drawn = outlines(played)

    assert drawn.count('class="tap outline') == 2
    assert drawn.count('class="tap outline last"') == 1
    assert 'href="/api/picture.jpg"' in drawn


def test_foul_is_marked_in_the_picture(played, script):
    number, foul = script.fouls[0]
    played.begin(script.record)
    played.play(script.record, number)
    table = DrawnTable()
    table.layout = laid(played.desk.match.layout, foul, None)
    played.desk.feed(Watched("camera", table, table))
    wait_until(lambda: played.desk.referee.doubts.pending is not None)

    assert "wrong" in outlines(played)


def fed_again(played, layout: Layout) -> None:
    """Let another camera look at a table for a while."""
    table = DrawnTable()
    table.layout = layout
    played.desk.pause()
    played.desk.feed(Watched("camera", table, table))
    wait_until(lambda: played.desk.feeder.loop.looks >= ENOUGH_LOOKS)


def test_corrected_move_stays_corrected_when_another_camera_looks(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    read = played.desk.match.layout
    tile = played.desk.match.accepted[-1].move.tile
    other = "red/straight" if tile == "red/curve" else "red/curve"
    played.desk.tell({"correct": 4, "move": {"tile": other}})
    assert played.desk.match.layout != read

    fed_again(played, read)

    assert [one.move.tile for one in played.desk.match.accepted[3:]] == [other]
    assert played.desk.referee.doubts.pending is None


def test_undo_takes_back_a_correction_though_another_camera_looks(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    read, before = played.desk.match.layout, [one.move for one in played.desk.match.accepted]
    tile = "red/straight" if before[-1].tile == "red/curve" else "red/curve"
    played.desk.tell({"correct": 4, "move": {"tile": tile}})
    fed_again(played, read)

    played.desk.undo()

    assert [one.move for one in played.desk.match.accepted] == before


def test_machine_wants_the_same_move_when_another_camera_looks(played, script):
    played.begin(script.record)
    played.play(script.record, 4)
    match = played.desk.match
    turn = MachineTurn("blue", match.position, match.game.legal_moves(match.position)[0])
    played.desk.referee.wants(turn)

    fed_again(played, match.layout)

    assert played.desk.referee.doubts.machine is turn


def test_foul_is_called_and_logged_once_when_the_camera_pauses(played, script):
    number, foul = script.fouls[0]
    played.begin(script.record)
    played.play(script.record, number)
    played.lay(foul)
    table = played.desk.referee.doubts.pending.layout

    fed_again(played, table)

    kinds = [line.kind for line in played.store.lines(played.desk.match.key)]
    assert kinds.count("foul") == 1
    assert played.desk.referee.doubts.pending.layout == table


def test_foul_that_will_be_lifted_is_not_called_again_when_the_camera_pauses(played, script):
    number, foul = script.fouls[0]
    played.begin(script.record)
    played.play(script.record, number)
    played.lay(foul)
    table = played.desk.referee.doubts.pending.layout
    played.desk.take_foul_back()

    fed_again(played, table)

    assert played.desk.referee.doubts.pending is None


def test_rolls_told_ahead_are_kept_when_the_camera_pauses(played):
    played.begin(playthrough("sssnake_evening"))
    played.desk.tell({"roll": 2})
    played.desk.tell({"roll": 3})
    assert len(played.desk.referee.doubts.rolls) == 1
    table = DrawnTable()

    played.desk.feed(Watched("camera", table, table))

    assert [move.value for _, move in played.desk.referee.doubts.rolls] == [3]


def test_place_that_nobody_is_sure_of_is_told(played, script):
    table = begun(played, script)
    match = played.desk.match
    first = script.record.moves[0]
    table.unsure = ((first.at[0], first.at[1]),)
    table.layout = match.game.layout(match.game.apply(match.position, first))

    wait_until(lambda: played.guest().get("/api/state")["unsure"])

    assert played.guest().get("/api/state")["moves"] == []
    assert outlines(played).count('<g class="asked"><polygon') == 1


def test_without_a_camera_there_is_no_picture_with_outlines(played, script):
    played.begin(script.record)

    assert played.seat("blue").client.get("/api/camera.svg").status_code == 404


def test_trouble_is_told_once_and_is_gone_when_it_is_over(played, script, monkeypatch):
    table, desk = begun(played, script), played.desk
    wait_until(lambda: desk.seeing == "settled")
    told, emit = [], desk.emit

    def noted(event):
        if event["event"] == "trouble":
            told.append(event["text"])
        emit(event)

    monkeypatch.setattr(desk, "emit", noted)
    table.broken = True
    wait_until(lambda: desk.trouble)
    enough = desk.feeder.loop.looks + ENOUGH_LOOKS
    wait_until(lambda: desk.feeder.loop.looks >= enough)
    table.broken = False
    wait_until(lambda: desk.trouble is None)

    assert [text is None for text in told] == [False, True]


def test_fault_in_judging_one_look_does_not_end_the_watch(played, script, monkeypatch):
    table, desk = begun(played, script), played.desk
    wait_until(lambda: desk.seeing == "settled")
    failed: list[object] = []
    look = desk.referee.look

    def fails_once(*args):
        if not failed:
            failed.append(args)
            raise KeyError("nobody foresaw this")
        return look(*args)

    monkeypatch.setattr(desk.referee, "look", fails_once)
    first = script.record.moves[0]
    table.layout = desk.match.game.layout(desk.match.game.apply(desk.match.position, first))

    wait_until(lambda: played.guest().get("/api/state")["moves"])
    wait_until(lambda: desk.trouble is None)
    assert failed


def test_trouble_of_the_last_camera_is_gone_when_another_one_watches(played, script):
    played.begin(script.record)
    played.desk.emit({"event": "trouble", "text": "the camera failed", "t": 0.0})
    table = DrawnTable()

    played.desk.feed(Watched("camera", table, table))

    wait_until(lambda: played.desk.trouble is None)
