"""Who comes in: every address that is served, silent lines, slow phones, shares, and the end."""

from __future__ import annotations

import http.client
import json
import logging
import resource
import shutil
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, request

from companion_app.aside import Turn, stand_aside
from companion_app.listening import listening
from companion_app.web.alone import MOST_OF_ONE
from companion_app.web.serving import gate, shell
from companion_app.web.serving.certificate import HttpsOffer
from companion_app.web.serving.gate import MOST_SILENT, SHARE
from companion_app.web.serving.streams import FOR_HOSTS
from companion_app.web.serving.web_server import Server
from tests.kit.phones import Guest, Phone

SILENT, PATIENCE_S = 3 * MOST_SILENT, 20.0
OPEN = Path("/proc/self/fd")
NEIGHBOUR = {"REMOTE_ADDR": "192.168.0.7"}
FIRST, SECOND = "127.0.0.8", "127.0.0.9"
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")


class Page:
    """An application that answers as the tests need it, and its server."""

    def __init__(self, **bounds: Any) -> None:
        self.go_on, self.asked = threading.Event(), threading.Semaphore(0)
        self.lock = Turn()
        app = Flask(__name__)
        for view in (self.slow, self.far, self.turn, self.long, self.size):
            methods = ["GET", "POST"]
            app.add_url_rule(f"/{view.__name__}", view_func=view, methods=methods)
        app.add_url_rule("/", view_func=lambda: "quick")
        self.server = Server(app, "127.0.0.1", 0, **bounds)
        self.server.start()

    def slow(self) -> str:
        self.asked.release()
        assert self.go_on.wait(PATIENCE_S)
        return "late"

    def far(self) -> str:
        stand_aside()
        return self.slow()

    def turn(self) -> str:
        with self.lock.within():
            return self.far()

    def long(self) -> Response:
        return Response(b"x" * 100_000 for _ in range(200))

    def size(self) -> str:
        return str(len(request.get_data()))

    def come(self, path: str = "", address: str = FIRST) -> socket.socket:
        """Open a line, and ask for a path if one is given."""
        line = socket.create_connection(
            ("127.0.0.1", self.server.port), PATIENCE_S, source_address=(address, 0)
        )
        if path:
            line.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return line

    def answer(self, path: str = "/", address: str = SECOND) -> int:
        """Return the status of an answer to a phone."""
        return asked(self.server.port, path, address)


@pytest.fixture
def page() -> Iterator[Callable[..., Page]]:
    """Return how to make a page with other bounds; all are closed at the end."""
    made: list[Page] = []

    def make(**bounds: Any) -> Page:
        made.append(Page(**bounds))
        return made[-1]

    yield make
    for one in made:
        one.go_on.set()
        one.server.close()


def asked(port: int, path: str, address: str, **more: Any) -> int:
    line = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=PATIENCE_S, source_address=(address, 0)
    )
    try:
        line.request("POST" if more else "GET", path, **more)
        return line.getresponse().status
    finally:
        line.close()


def is_cut(line: socket.socket) -> bool:
    """Read to the end of a line."""
    try:
        while line.recv(4096):
            pass
        return True
    except ConnectionResetError:
        return True


# --- every address -------------------------------------------------------------------------------


def answered(address: str, port: int, source: str = "") -> int:
    """Return the status that a phone gets over https."""
    line = http.client.HTTPSConnection(
        address,
        port,
        context=ssl._create_unverified_context(),
        timeout=30,
        source_address=(source, 0) if source else None,
    )
    try:
        line.request("GET", "/api/me")
        return line.getresponse().status
    finally:
        line.close()


def here(address: str) -> bool:
    """Say whether this machine has an address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as tried:
        try:
            tried.bind((address, 0))
        except OSError:
            return False
    return True


@needs_openssl
@pytest.mark.parametrize(
    ("told", "address"),
    [("127.0.0.2", "127.0.0.2"), ("::1", "::1"), ("::", "::1"), ("0.0.0.0", "127.0.0.3")],
)
def test_page_is_served_over_http_and_https_on_the_address_it_was_told(
    played, tmp_path, told, address
):
    if not here(told):
        pytest.skip("this machine has no such address")
    server = Server(played.app, told, 0)
    server.start()
    offer = HttpsOffer(tmp_path / "tls", told, server, 0)

    try:
        assert answered(address, offer.start()) == 200
        line = http.client.HTTPConnection(address, server.port, timeout=30)
        line.request("GET", "/api/me")
        assert line.getresponse().status == 200
        line.close()
    finally:
        server.close()


# --- silent lines --------------------------------------------------------------------------------


@pytest.fixture
def https_port(played, tmp_path) -> Iterator[int]:
    server = Server(played.app, "127.0.0.1", 0)
    server.start()
    yield HttpsOffer(tmp_path / "tls", "127.0.0.1", server, 0).start()
    server.close()


@needs_openssl
def test_silent_lines_of_one_address_are_counted_before_they_say_anything(https_port):
    before = len(list(OPEN.iterdir()))
    with ExitStack() as lines:
        for _ in range(SILENT):
            lines.enter_context(socket.create_connection(("127.0.0.1", https_port)))
        # Accepted in order: once a later phone is answered, all of them were.
        assert answered("127.0.0.1", https_port, SECOND) == 200

        kept = len(list(OPEN.iterdir())) - before - SILENT
        assert kept < SILENT / 2, "a share by address is left, and the rest is closed"


def test_silent_line_is_closed_in_time_and_so_is_one_that_never_finishes_its_request(
    page, monkeypatch
):
    monkeypatch.setattr(gate, "FIRST_REQUEST_S", 0.2)
    table = page()
    with table.come() as silent, table.come() as half, table.come("/") as phone:
        half.sendall(b"GET / HTTP/1.1\r\nHo")

        assert is_cut(silent)
        assert is_cut(half)
        assert phone.recv(4096).startswith(b"HTTP/1.1 200"), "who has asked may rest for a while"


def test_phone_that_sends_its_next_request_by_the_letter_is_cut_off(page, monkeypatch):
    monkeypatch.setattr(gate, "IDLE_S", 0.3)
    with page().come("/") as phone:
        assert phone.makefile("rb").readline().startswith(b"HTTP/1.1 200")
        phone.sendall(b"GET / HT")

        assert is_cut(phone)


def test_silent_lines_of_many_addresses_make_room_for_a_phone(page):
    table = page(most_connections=60)
    with ExitStack() as lines:
        for number in range(60):
            lines.enter_context(table.come(address=f"127.0.1.{number // 20 + 1}"))

        assert table.answer() == 200


def test_phone_for_which_there_is_no_room_is_told_so(page):
    table = page(most_connections=4, at_once=4)
    with ExitStack() as lines:
        for number in range(4):
            lines.enter_context(table.come("/slow", f"127.0.1.{number + 1}"))
            assert table.asked.acquire(timeout=PATIENCE_S)
        line = http.client.HTTPConnection("127.0.0.1", table.server.port, timeout=PATIENCE_S)
        line.request("GET", "/")
        refusal = line.getresponse()

        assert (refusal.status, refusal.headers["Retry-After"]) == (503, "15")
        assert json.loads(refusal.read())["error"]["code"] == "full-house"
        line.close()


def test_one_address_takes_no_more_than_its_share_of_connections(page):
    table = page(most_connections=8, at_once=8)
    with ExitStack() as lines:
        for _ in range(int(8 * SHARE)):
            lines.enter_context(table.come("/slow"))
            assert table.asked.acquire(timeout=PATIENCE_S)

        assert table.answer(address=FIRST) == 503
        assert table.answer(address=SECOND) == 200


def test_error_of_accepting_is_logged_once_and_phones_are_answered_after_it(
    page, monkeypatch, caplog
):
    monkeypatch.setattr(gate, "PAUSE_S", 0.01)
    table = page()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with table.come("/") as phone:
        assert phone.recv(4096)
        with socket.socket() as caller:
            resource.setrlimit(resource.RLIMIT_NOFILE, (3, hard))
            try:
                caller.connect(("127.0.0.1", table.server.port))
                time.sleep(0.2)
            finally:
                resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            caller.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            caller.settimeout(PATIENCE_S)
            assert caller.recv(4096).startswith(b"HTTP/1.1 200")

    assert [record.levelno for record in caplog.records] == [logging.WARNING]


# --- places to listen ----------------------------------------------------------------------------


def test_one_address_does_not_take_every_place_to_listen(played):
    server = Server(played.app, "127.0.0.1", 0, most_listeners=8)
    server.start()
    try:
        phones = [Phone(server.port) for _ in range(8)]
        assert [phone.answer.status for phone in phones] == [200] * 6 + [503] * 2

        assert asked_to_listen(server.port, SECOND) == 200
        for phone in phones:
            phone.close()
    finally:
        played.desk.hub.close()
        server.close()


def test_host_is_let_in_where_every_place_to_listen_is_taken(played):
    server = Server(played.app, "127.0.0.1", 0, most_listeners=1)
    server.start()
    try:
        phone = Phone(server.port)
        host = Guest(server.port, SECOND).be_host("424242")
        assert phone.answer.status == 200
        assert asked_to_listen(server.port, SECOND) == 503

        hosts = [asked_to_listen(server.port, SECOND, host) for _ in range(FOR_HOSTS)]

        assert hosts == [200] * FOR_HOSTS
        phone.close()
    finally:
        played.desk.hub.close()
        server.close()


def asked_to_listen(port: int, address: str, guest: Guest | None = None) -> int:
    line = http.client.HTTPConnection(
        "127.0.0.1", port, timeout=PATIENCE_S, source_address=(address, 0)
    )
    line.request("GET", "/api/events", headers={"Cookie": guest._cookie} if guest else {})
    answer = line.getresponse()
    answer.close()
    line.close()
    return answer.status


def test_one_address_does_not_take_every_game_alone(played):
    guest = played.guest()
    headers, sent = {"X-Snake-Eye": guest.token}, {"game": "schlangennest", "level": 1}
    begun = [guest.post("/api/alone", sent).status_code for _ in range(MOST_OF_ONE + 1)]

    other = guest.client.post("/api/alone", json=sent, headers=headers, environ_base=NEIGHBOUR)

    assert (begun, other.status_code) == ([200] * MOST_OF_ONE + [503], 200)


# --- views ---------------------------------------------------------------------------------------


def test_third_request_waits_until_one_of_two_is_answered(page):
    table = page(at_once=2)
    with table.come("/slow"), table.come("/slow"), table.come("/slow") as third:
        assert table.asked.acquire(timeout=PATIENCE_S) and table.asked.acquire(timeout=PATIENCE_S)
        assert not table.asked.acquire(timeout=0.1)
        table.go_on.set()
        assert third.recv(4096).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("path", ["/far", "/turn"])
def test_requests_that_wait_for_a_process_or_for_their_turn_let_others_be_answered(page, path):
    table = page(at_once=1)
    with ExitStack() as lines:
        waiting = [lines.enter_context(table.come(path)) for _ in range(4)]
        assert table.asked.acquire(timeout=PATIENCE_S)

        assert table.answer() == 200
        table.go_on.set()
        assert all(line.recv(4096).startswith(b"HTTP/1.1 200") for line in waiting)


def test_phones_that_read_nothing_of_a_long_answer_hold_up_nobody_and_are_dropped(
    page, monkeypatch
):
    monkeypatch.setattr(shell, "THREADS", 2)
    monkeypatch.setattr(shell, "STUCK_S", 0.5)
    table = page()
    with ExitStack() as lines:
        deaf = [lines.enter_context(table.come("/long")) for _ in range(4)]

        assert table.answer() == 200
        table.server._thread.join(1.0)
        got = sum(len(data) for data in iter(lambda: deaf[0].recv(1 << 20), b""))
        assert got < 200 * 100_000


def test_long_answer_comes_whole(page):
    table = page()
    line = http.client.HTTPConnection("127.0.0.1", table.server.port, timeout=PATIENCE_S)
    line.request("GET", "/long")

    assert line.getresponse().read() == b"x" * 200 * 100_000
    line.close()


# --- bodies --------------------------------------------------------------------------------------


def test_uploads_have_one_budget_together_and_one_by_address(page, monkeypatch):
    monkeypatch.setattr(shell, "MOST_BODIES", 3000)
    monkeypatch.setattr(shell, "BODIES_OF_ONE", 2000)
    table = page()
    port = table.server.port
    slow = b"POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 1500\r\n\r\n"
    with table.come() as first, table.come(address="127.0.0.10") as second:
        first.sendall(slow)
        assert table.answer() == 200
        assert asked(port, "/size", FIRST, body=b"x" * 1000) == 503
        second.sendall(slow)
        assert table.answer() == 200
        assert asked(port, "/size", SECOND, body=b"x") == 503
        first.sendall(b"x" * 1500)

        assert first.makefile("rb").read(4).startswith(b"HTTP")
        assert asked(port, "/size", SECOND, body=b"x" * 1500) == 200


def test_body_without_a_length_is_received_whole_and_bounded(page, monkeypatch):
    table = page()
    assert asked(table.server.port, "/size", SECOND, body=iter([b"x" * 900, b"y" * 90])) == 200

    monkeypatch.setattr(shell, "LARGEST_BODY", 500)
    assert asked(table.server.port, "/size", SECOND, body=iter([b"x" * 900])) == 413


def test_upload_that_stops_is_dropped_and_leaves_the_budget(page, monkeypatch):
    monkeypatch.setattr(shell, "CHUNK_S", 0.2)
    monkeypatch.setattr(shell, "MOST_BODIES", 1500)
    table = page()
    with table.come() as slow:
        slow.sendall(b"POST /size HTTP/1.1\r\nHost: x\r\nContent-Length: 1500\r\n\r\nx")

        assert is_cut(slow)
    assert asked(table.server.port, "/size", SECOND, body=b"x" * 1500) == 200


# --- the end --------------------------------------------------------------------------------------


def test_server_ends_without_a_word_with_phones_connected(played, page, caplog):
    server = Server(played.app, "127.0.0.1", 0)
    server.start()
    phones = [Phone(server.port) for _ in range(3)]
    table = page()
    with table.come("/slow") as late, socket.create_connection(("127.0.0.1", server.port)):
        assert table.asked.acquire(timeout=PATIENCE_S)
        server.close()
        table.server.close()
        table.go_on.set()
        assert is_cut(late)

    assert all(phone.is_cut() for phone in phones)
    assert not server._thread.is_alive()
    assert caplog.records == []


def test_port_is_free_again_once_the_server_has_ended(page):
    table = page()
    table.server.close()

    listening("127.0.0.1", table.server.port).close()
