"""The threads behind the page: enough for every phone, and no more than are needed."""

import socket
import threading
import time
from collections.abc import Callable

from flask import Flask

from companion_app.web.serving.server import Pool, Server

PATIENCE_S = 20.0


class Visit:
    """A phone that listens until it is told to go."""

    def __init__(self) -> None:
        self.began, self.over, self.cancelled = threading.Event(), threading.Event(), False

    def service(self) -> None:
        self.began.set()
        self.over.wait(PATIENCE_S)

    def cancel(self) -> None:
        self.cancelled = True


def soon(is_so: Callable[[], bool]) -> bool:
    for _ in range(2000):
        if is_so():
            return True
        time.sleep(0.01)
    return False


def visit(pool: Pool) -> Visit:
    one = Visit()
    pool.add_task(one)
    return one


def test_threads_come_with_the_phones_and_go_with_them():
    pool = Pool(most=50, spare=3)
    try:
        assert len(pool.threads) == 3
        visits = [visit(pool) for _ in range(40)]
        assert all(one.began.wait(PATIENCE_S) for one in visits)
        assert 40 <= len(pool.threads) <= 43

        for one in visits:
            one.over.set()
        assert soon(lambda: pool.active_count == 0)
        last = visit(pool)
        assert last.began.wait(PATIENCE_S)
        assert soon(lambda: len(pool.threads) <= 4)
        last.over.set()
    finally:
        pool.shutdown()


def test_never_more_threads_than_the_most_and_the_next_phone_waits_its_turn():
    pool = Pool(most=5, spare=2)
    try:
        visits = [visit(pool) for _ in range(6)]
        assert all(one.began.wait(PATIENCE_S) for one in visits[:5])
        assert len(pool.threads) == 5
        assert not visits[5].began.is_set()

        visits[0].over.set()
        assert visits[5].began.wait(PATIENCE_S)
        for one in visits:
            one.over.set()
    finally:
        pool.shutdown()


def test_what_waits_is_given_up_when_the_page_ends():
    pool = Pool(most=1, spare=1)
    first, second = visit(pool), visit(pool)
    assert first.began.wait(PATIENCE_S)

    first.over.set()
    pool.shutdown(timeout=0)
    assert soon(lambda: second.cancelled or second.began.is_set())
    second.over.set()


def test_request_that_outlasts_the_server_is_no_fault_to_tell_of(caplog):
    app, asked, over = Flask(__name__), threading.Event(), threading.Event()

    @app.get("/")
    def slow() -> str:
        asked.set()
        over.wait(PATIENCE_S)
        return "late"

    server = Server(app, "127.0.0.1", 0)
    server.start()
    with socket.create_connection(("127.0.0.1", server.port)) as phone:
        phone.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert asked.wait(PATIENCE_S)
        threads = [one for one in threading.enumerate() if "waitress" in one.name]
        server.close()
        over.set()
        for one in threads:
            one.join(PATIENCE_S)

    assert threads
    assert caplog.records == []
