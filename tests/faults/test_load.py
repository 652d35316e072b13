"""A full house: the game goes on for everybody, and whoever cannot be served is told so."""

import socket
import time

import pytest

from companion_app.web.serving import shell
from companion_app.web.serving.streams import MOST_LISTENERS
from companion_app.web.serving.web_server import Server
from tests.browser.chromium import wait_until
from tests.faults.companion import Companion, Phone
from tests.faults.load import GARBAGE, House
from tests.faults.scripted import Announced


@pytest.fixture(scope="module")
def companion(tmp_path_factory):
    """A companion that has to bear one full house after the other."""
    life = Companion(tmp_path_factory.mktemp("full"), "--speed", "6")
    assert life.ready()
    yield life
    life.kill()


def answered(house: House) -> None:
    """Hear the lines until each has its answer."""
    for _ in range(300):
        house.hear(0.1)
        if all(line.status for line in house.lines):
            return


def test_two_hundred_phones_hear_every_move_while_others_misbehave(companion):
    phone = Phone(companion.url, Announced())
    with House(companion.url) as house:
        house.never_read(4)
        house.half_open(40)
        phones = house.listen(195)
        house.send_garbage(len(GARBAGE) + 6)
        first = max(phone.announced.moves, default=0) + 1
        statuses = set()
        for _ in range(200):
            house.hear(0.1)
            statuses.add(house.ask()[0])
            if len(phone.announced.moves) >= first + 3:
                break
        house.hear(1.0)

        assert statuses == {200}
        assert {line.status for line in phones} == {200}
        wanted = set(range(first + 1, first + 3))
        assert all(line.verdicts >= wanted for line in phones)
    phone.hang_up()


def test_phone_too_many_is_told_to_come_back(companion):
    with House(companion.url) as house:
        house.listen(MOST_LISTENERS)
        answered(house)
        late = house.listen(5)
        answered(house)

        assert {line.status for line in late} == {503}
        assert house.ask()[0] == 200


def test_house_full_of_silent_lines_lets_a_phone_in(companion):
    with House(companion.url) as house:
        house.half_open(360)

        assert house.ask()[0] == 200
        assert house.ask("/api/state")[0] == 200


def test_garbage_is_refused_in_words_or_cut_off(companion):
    with House(companion.url) as house:
        answers = house.send_garbage(len(GARBAGE) + 10)

        assert all(not one or one.startswith(b"HTTP/1.") for one in answers)
        assert not any(b" 200 " in one or b" 500 " in one for one in answers), answers
        assert house.ask()[0] == 200


def test_phone_that_never_reads_is_dropped(played, monkeypatch):
    monkeypatch.setattr(shell, "STUCK_S", 0.5)
    server = Server(played.app, "127.0.0.1", 0)
    server.start()
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
    deaf.connect(("127.0.0.1", server.port))
    deaf.sendall(b"GET /api/events HTTP/1.1\r\nHost: x\r\n\r\n")
    try:
        wait_until(lambda: played.desk.hub.listening == 1)
        for number in range(3000):
            played.desk.emit({"event": "state", "state": "x" * 4000, "n": number})
            if number % 100 == 0:
                time.sleep(0.01)

        wait_until(lambda: played.desk.hub.listening == 0)
    finally:
        deaf.close()
        played.desk.hub.close()
        server.close()
