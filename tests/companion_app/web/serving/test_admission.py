"""Descriptors of the phones' connections: a hall's leave the low ones to what needs them."""

import resource
import socket
from collections.abc import Iterator

import pytest
from flask import Flask

from companion_app.web.serving.admission import SELECTABLE
from companion_app.web.serving.server import Server

OF_A_TABLE, OF_A_HALL = 350, 1400


def descriptors(most_connections: int) -> set[int]:
    """Return the descriptors of three phones' connections, each of which was answered."""
    app = Flask(__name__)
    app.add_url_rule("/", view_func=lambda: "here")
    server = Server(app, "127.0.0.1", 0, most_connections=most_connections)
    server.start()
    phones = [socket.create_connection(("127.0.0.1", server.port), 20) for _ in range(3)]
    try:
        for phone in phones:
            phone.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert phone.recv(4096).startswith(b"HTTP/1.1 200")
        return set(server._server.active_channels)
    finally:
        for phone in phones:
            phone.close()
        server.close()


@pytest.fixture
def few_files() -> Iterator[None]:
    """Let this process open fewer files than ``select()`` can handle."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (SELECTABLE - 1, hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_connections_of_a_hall_leave_the_low_descriptors_to_mqtt():
    assert min(descriptors(OF_A_HALL)) >= SELECTABLE


def test_connections_of_a_table_get_the_next_free_descriptors():
    assert max(descriptors(OF_A_TABLE)) < SELECTABLE


@pytest.mark.usefixtures("few_files")
def test_hall_answers_where_the_process_may_open_few_files():
    assert max(descriptors(OF_A_HALL)) < SELECTABLE
