"""A long evening in short: many games, phones that come and go, and nothing that grows."""

import gc
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from companion_app.eye.recorded import RecordedGame
from companion_app.web.serving.web_server import Server
from tests.faults.companion import Phone
from tests.faults.scripted import Announced, lost_moves

GAMES, LOADED_AFTER = 8, 3


def standing() -> tuple[int, int, int]:
    """Return how many threads, open files and objects there are."""
    gc.collect()
    files = list(Path("/proc/self/fd").iterdir())
    return threading.active_count(), len(files), len(gc.get_objects())


def all_heard(moves: dict[int, object]) -> bool:
    return len(moves) == 10


def test_many_games_leave_no_thread_file_or_object_behind(played, script):
    server = Server(played.app, "127.0.0.1", 0)
    server.start()
    url = f"http://127.0.0.1:{server.port}/"
    short = replace(script, record=replace(script.record, moves=script.record.moves[:10]), fouls=())
    seen = []
    announced = Announced()
    try:
        for _ in range(GAMES):
            announced = Announced()
            played.begin(script.record, {"blue": "Anna"})
            phones = [Phone(url, announced), Phone(url, Announced())]
            played.desk.feed(RecordedGame(short, speed=2000.0))
            assert phones[0].wait_for(partial(all_heard, announced.moves))
            played.desk.end()
            for phone in phones:
                phone.hang_up()
            for _ in range(300):
                # The page notices that a phone is gone when it says the next thing.
                played.desk.emit({"event": "state", "state": "settled"})
                if played.desk.hub.listening == 0:
                    break
                time.sleep(0.02)
            seen.append(standing())
    finally:
        played.desk.hub.close()
        server.close()

    threads, files, objects = zip(*seen[LOADED_AFTER:], strict=True)
    assert max(threads) <= threads[0]
    # A line that was just hung up is closed a moment later; one left open a game would be five.
    assert max(files) - files[0] < GAMES - LOADED_AFTER
    # The hub remembers the last events, and a kept game is a line in a list or two.
    assert objects[-1] - objects[0] < 3000
    played.store.close()
    assert lost_moves(played.store.path.parent, announced) == 0
