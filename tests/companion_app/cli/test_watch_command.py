import argparse
import io
import json
import sys
import threading
from typing import Any

import cv2
import pytest

from companion_app.answers import InputError
from companion_app.cli import watch_command
from companion_app.cli.watch_command import Told, Watching, add_watch_command
from companion_app.live.errors import StoreError
from companion_app.live.match import Match
from companion_app.live.store import Store
from engine.game import Start
from engine.games import game_named
from engine.placement import Layout
from engine.record import Record, find_set
from models.lab.scenes.games.positions import played
from tests.live_games.scripted import Moment, ScriptedCamera, ScriptedReader, hand_visit

EVENTS = {
    "state": {"state"},
    "verdict": {"n", "move", "legal", "violations"},
    "taken-back": {"n"},
    "turn": {"player"},
    "score": {"scores"},
    "over": {"scores", "winners"},
    "question": {"id", "about", "guesses"},
    "withdrawn": {"id"},
}


def parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_watch_command(parser.add_subparsers(required=True))
    return parser.parse_args(["watch", *arguments])


class FilmOf:
    """A stored source of a scripted game, and its reader."""

    live = False

    def __init__(self, game: str, moves: int) -> None:
        self.one = played(game, "train", "random", 4)
        self.box = find_set(game_named(game), None)
        self.camera = ScriptedCamera(self.box, tuple(dict.fromkeys(self.one.layouts)))
        self.moves = moves
        self.reader = ScriptedReader(self.camera)

    def frames(self):
        yield from self._still(self.one.layouts[0])
        yield None
        for number in range(self.moves):
            before, after = self.one.layouts[number : number + 2]
            if before != after:
                yield from (self.camera.shoot(m) for m in hand_visit(before, after))
                yield from self._still(after)

    def _still(self, layout):
        for _ in range(8):
            yield self.camera.shoot(Moment(layout))

    def close(self):
        pass


def watched(folder, film: FilmOf, told: str) -> list[dict[str, Any]]:
    game = game_named(film.box.game)
    events: list[dict[str, Any]] = []
    with Store(folder) as store:
        match = Match.begin(store, Record(game, film.box, Start(film.one.players)))
        Watching(match, film.reader, film, Told(io.StringIO(told)), events.append).run()
    return events


def test_events_are_those_of_the_interface(tmp_path):
    film = FilmOf("schlangennest", 4)
    events = watched(tmp_path, film, "")

    assert {event["event"] for event in events} <= EVENTS.keys()
    for event in events:
        assert EVENTS[event["event"]] | {"t"} <= event.keys()
        json.dumps(event)
    assert [e["n"] for e in events if e["event"] == "verdict"] == [1, 2, 3, 4]
    assert [e["t"] for e in events] == sorted(e["t"] for e in events)


class Stuck(FilmOf):
    """A film that ends with the older tiles lifted, and stays so."""

    def frames(self):
        yield from super().frames()
        lying = self.one.layouts[self.moves]
        left = Layout(frozenset(sorted(lying.cards)[2:]))
        yield from (self.camera.shoot(m) for m in hand_visit(lying, left))
        for _ in range(8):
            yield from self._still(left)


def test_state_that_lasts_comes_with_what_to_do(tmp_path):
    events = watched(tmp_path, Stuck("schlangennest", 6), "")

    last = [event for event in events if event["event"] == "state"][-1]
    assert last["state"] == "unsure"
    assert "Lay them back" in last["why"]["text"]


class Unplugged(FilmOf):
    """A camera that gives one frame, and no more until somebody has noticed."""

    live = True

    def __init__(self, game: str) -> None:
        super().__init__(game, 0)
        self.noticed = threading.Event()
        self.only = self.camera.shoot(Moment(self.one.layouts[0]))

    def frames(self):
        yield self.only
        self.noticed.wait(5)


def test_camera_that_is_unplugged_is_told_to_be_lost(tmp_path):
    film = Unplugged("schlangennest")
    states: list[str] = []

    def note(event: dict[str, Any]) -> None:
        if event["event"] == "state":
            states.append(event["state"])
            if event["state"] == "camera-lost":
                film.noticed.set()

    with Store(tmp_path) as store:
        match = Match.begin(
            store, Record(game_named("schlangennest"), film.box, Start(film.one.players))
        )
        Watching(match, film.reader, film, Told(io.StringIO("")), note).run()

    assert "camera-lost" in states


def test_rolls_come_on_standard_input(tmp_path):
    film = FilmOf("sssnake", 9)
    rolls = [m for m in film.one.moves[:9] if m.do == "roll"]
    told = "".join(
        json.dumps({"roll": m.value, "tiles": list(m.tiles or ())}) + "\n" for m in rolls
    )
    events = watched(tmp_path, film, told)

    verdicts = [e for e in events if e["event"] == "verdict"]
    assert all(verdict["legal"] for verdict in verdicts)
    assert "place" in [verdict["move"]["do"] for verdict in verdicts]


def test_line_that_cannot_be_used_is_said_on_standard_error(tmp_path, capsys):
    watched(tmp_path, FilmOf("schlangennest", 1), 'nonsense\n[]\n{"overrule": 7}\n\n')

    assert len(capsys.readouterr().err.strip().splitlines()) == 3


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        (["nowhere:1", "--game", "snekagon", "--players", "red,green"], "no source"),
        (["webcam:x", "--game", "snekagon", "--players", "red,green"], "whole number"),
        (["folder:nowhere", "--game", "snekagon", "--players", "red,green"], "cannot be read"),
        (["phone", "--game", "snekagon", "--players", "red,green"], "'snake-eye run' only"),
        (["demo", "--game", "snekagon", "--players", "red,green", "--option", "x"], "name=value"),
    ],
)
def test_bad_request_is_refused_with_a_reason(monkeypatch, tmp_path, arguments, match):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    with pytest.raises(InputError, match=match):
        watch_command.watch(parsed(*arguments))


def test_folder_is_watched_from_the_command(monkeypatch, tmp_path, capsys):
    film = FilmOf("schlangennest", 2)
    folder = tmp_path / "frames"
    folder.mkdir()
    for number, frame in enumerate(f for f in film.frames() if f is not None):
        cv2.imwrite(str(folder / f"{number:04}.png"), frame.bgr)
    film.camera.moments = {round(t, 6): m for t, m in film.camera.moments.items()}

    class Reader:
        def read(self, frame):
            from dataclasses import replace

            return film.reader.read(replace(frame, taken_at_s=round(frame.taken_at_s, 6)))

        def forget(self):
            pass

        def doubt(self):
            pass

    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(watch_command, "_reader", lambda match: Reader())
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    players = ",".join(film.one.players)
    status = watch_command.watch(
        parsed(f"folder:{folder}", "--game", "schlangennest", "--players", players)
    )
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    assert status == 0
    assert [e["n"] for e in events if e["event"] == "verdict"] == [1, 2]
    with Store(tmp_path / "home") as store:
        assert len(Match.resume(store, store.games()[0]).accepted) == 2


def test_game_that_cannot_be_understood_is_told_and_a_new_one_begun(tmp_path, capsys):
    game = game_named("schlangennest")
    record = Record(game, find_set(game, None), Start(("blue", "red")))
    arguments = parsed("webcam:0", "--game", "schlangennest", "--players", "blue,red")
    with Store(tmp_path) as store:
        store.append("torn", "started", {"record": {"game": "chess"}})
        match = watch_command._match(store, record, arguments, live=True)

        assert match.key != "torn"
        assert "line 1 of game torn (started) cannot be understood" in capsys.readouterr().err
        assert store.games() == ["torn", match.key]


def test_game_that_was_asked_for_and_cannot_be_understood_is_not_passed_over(tmp_path):
    game = game_named("schlangennest")
    record = Record(game, find_set(game, None), Start(("blue", "red")))
    arguments = parsed("webcam:0", "--resume", "--game", "schlangennest", "--players", "blue,red")
    with Store(tmp_path) as store:
        store.append("torn", "started", {"record": {"game": "chess"}})
        with pytest.raises(StoreError, match="cannot be understood"):
            watch_command._match(store, record, arguments, live=True)
