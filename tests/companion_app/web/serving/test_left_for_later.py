"""Faults of serving that its rewriting mends; each test turns with the step that it names."""

from __future__ import annotations

import shutil
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from companion_app.line.hub import MOST_LISTENERS
from companion_app.web.alone import MOST_GAMES
from companion_app.web.serving.https_front import HttpsOffer
from companion_app.web.serving.server import Server
from tests.steps import comes_with

SILENT = 40
OPEN = Path("/proc/self/fd")
NEIGHBOUR = {"REMOTE_ADDR": "192.168.0.7"}
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")


def answered(address: str, port: int, source: str = "") -> int:
    """Return the status that a phone gets over https."""
    line = HTTPSConnection(
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
@comes_with("serving")
@pytest.mark.parametrize("address", ["127.0.0.2", "::1"])
def test_page_on_one_address_is_served_over_https_there(played, tmp_path, address):
    if not here(address):
        pytest.skip("this machine has no such address")
    server = Server(played.app, address, 0)
    server.start()
    offer = HttpsOffer(tmp_path / "tls", address, server.port, 0)

    try:
        assert answered(address, offer.start()) == 200
    finally:
        server.close()


@pytest.fixture
def https_port(played, tmp_path) -> Iterator[int]:
    server = Server(played.app, "127.0.0.1", 0)
    server.start()
    yield HttpsOffer(tmp_path / "tls", "127.0.0.1", server.port, 0).start()
    server.close()


@needs_openssl
@comes_with("serving")
def test_silent_lines_of_one_address_are_counted_before_they_say_anything(https_port):
    before = len(list(OPEN.iterdir()))
    with ExitStack() as lines:
        for _ in range(SILENT):
            lines.enter_context(socket.create_connection(("127.0.0.1", https_port)))
        # Accepted in order: once a later phone is answered, all of them were.
        assert answered("127.0.0.1", https_port, "127.0.0.9") == 200

        kept = len(list(OPEN.iterdir())) - before - SILENT
        assert kept < SILENT / 2, "a share by address is left, and the rest is closed"


@comes_with("serving")
def test_one_address_does_not_take_every_place_to_listen(played):
    phone = played.app.test_client()
    with ExitStack() as streams:
        for _ in range(MOST_LISTENERS):
            answer = phone.get("/api/events", environ_base={"REMOTE_ADDR": "192.168.0.6"})
            streams.callback(answer.close)

        other = phone.get("/api/events", environ_base=NEIGHBOUR)
        streams.callback(other.close)

        assert other.status_code == 200


@comes_with("serving")
def test_one_address_does_not_take_every_game_alone(played):
    guest = played.guest()
    headers, asked = {"X-Snake-Eye": guest.token}, {"game": "schlangennest", "level": 1}
    begun = [guest.post("/api/alone", asked).status_code for _ in range(MOST_GAMES)]

    other = guest.client.post("/api/alone", json=asked, headers=headers, environ_base=NEIGHBOUR)

    assert (begun, other.status_code) == ([200] * MOST_GAMES, 200)
