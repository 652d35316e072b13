"""Hostile guests on the same Wi-Fi, over real sockets: each is refused in words, none harms."""

import hashlib
import io
import json
import logging
import re
import socket
import struct
import zipfile
import zlib
from contextlib import contextmanager

import numpy as np
import pytest

from companion_app.eye.mqtt import Publisher
from companion_app.settings import Settings
from companion_app.web.lessons.photo_reading import read_photo
from companion_app.web.serving.limits import FREE_GUESSES
from companion_app.web.serving.web_server import Server
from tests.browser.chromium import wait_until
from tests.companion_app.eye.test_mqtt import Heard
from tests.companion_app.eye.test_mqtt import port as broker_port
from tests.companion_app.web.conftest import Played
from tests.kit.phones import Guest
from vision.classify.taught import find_taught, wanted
from vision.core.errors import ModelError
from vision.core.files import read_arrays

__all__ = ["broker_port"]
SCRIPT = "<script>alert(1)</script>"


def guess(guest: Guest, pin: str, **headers: str) -> int:
    return guest.ask("POST", "/api/login", {"pin": pin}, headers=headers).status


def serving(played):
    played.companion.read_photo = read_photo
    server = Server(played.app, "127.0.0.1", 0)
    server.start()
    yield server.port
    played.desk.hub.close()
    server.close()


@pytest.fixture(scope="module")
def port(tmp_path_factory):
    """Return the port of a page that many tests share: nothing they send changes it."""
    table = Played(tmp_path_factory.mktemp("home"))
    yield from serving(table)
    table.store.close()


@pytest.fixture
def own_port(played):
    """Return the port of a page of its own."""
    yield from serving(played)


# --- The PIN ---


def test_guessing_is_slowed_and_logged_by_address(own_port, caplog):
    guest = Guest(own_port, "127.0.0.7")
    with caplog.at_level(logging.WARNING):
        answers = [guess(guest, "000000") for _ in range(FREE_GUESSES + 2)]

    assert answers == [403] * FREE_GUESSES + [429] * 2
    assert caplog.text.count("wrong PIN from 127.0.0.7") == FREE_GUESSES
    assert "PIN guessing from 127.0.0.7 is slowed" in caplog.text
    assert guess(Guest(own_port, "127.0.0.8"), "424242") == 200


def test_guesses_from_many_addresses_never_lock_the_host_out(own_port):
    for number in range(12):
        guest = Guest(own_port, f"127.0.1.{number + 1}")
        answers = [guess(guest, "000000") for _ in range(FREE_GUESSES + 1)]
        assert answers == [403] * FREE_GUESSES + [429]

    assert guess(Guest(own_port, "127.0.2.1"), "424242") == 200


def test_forged_addresses_are_not_believed(own_port):
    guest = Guest(own_port)
    answers = [
        guess(guest, "000000", **{"X-Forwarded-For": f"10.0.0.{n}", "Forwarded": f"for=10.0.0.{n}"})
        for n in range(FREE_GUESSES + 1)
    ]

    assert answers[-1] == 429


# --- Other sites ---


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("evil.example", 403),
        ("snake-eye.evil.example", 403),
        ("192.168.1.5.evil.example", 403),
        ("local.evil.example:8080", 403),
        ("snake-eye.local:8080", 200),
        ("192.168.1.5:8080", 200),
        ("[fd00::5]:8080", 200),
        ("snake-eye", 200),
        ("snake-eye.fritz.box", 403),
        ("Snake-Eye.LOCAL.", 200),
    ],
)
def test_name_of_another_site_that_points_here_is_refused(port, host, status):
    assert Guest(port).ask("GET", "/api/me", headers={"Host": host}).status == status


@pytest.mark.parametrize(
    ("language", "word"),
    [
        ("en", "instead"),
        ("de", "stattdessen"),
        ("fr", "plutôt"),
        ("cs", "raději"),
        ("ru", "вместо"),
    ],
)
def test_router_name_in_box_is_told_what_to_type_until_the_host_allows_it(
    own_port, played, language, word
):
    asked = {"Host": "snake-eye.fritz.box:8080", "Accept": "text/html", "Accept-Language": language}

    told = Guest(own_port).ask("GET", "/", headers=asked)
    played.host().post("/api/settings", {"names": ["Snake-Eye.fritz.box"]})

    assert told.status == 403
    assert "http://pi/" in told.data.decode()
    assert word in told.data.decode()
    assert Guest(own_port).ask("GET", "/", headers=asked).status == 200
    assert Guest(own_port).ask("GET", "/", headers=asked | {"Host": "x.fritz.box"}).status == 403


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", ""])
def test_page_of_another_site_changes_nothing(port, origin):
    answer = Guest(port).ask("POST", "/api/login", {"pin": "424242"}, headers={"Origin": origin})

    assert answer.status == 403


# --- Headers, uploads, pictures ---


def raw(port: int, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(request)
        data = b""
        while b"\r\n\r\n" not in data and (chunk := line.recv(65536)):
            data += chunk
    return data


@pytest.mark.parametrize(
    "request_",
    [
        b"POST /api/end HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 9\r\n\r\n{}",
        b"POST /api/end HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked"
        b"\r\n\r\n0\r\n\r\n",
        b"POST /api/end HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /api/end HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
        b"POST /api/end HTTP/1.1\r\nHost : x\r\nX-Snake-Eye: \0\r\n\r\n",
        b"GET /api/me HTTP/1.1\r\nHost: x\r\nCookie: " + b"a=b; " * 20_000 + b"\r\n\r\n",
        b"GET /?lang=%0d%0aSet-Cookie:x=1 HTTP/1.1\r\nHost: x\r\nAccept-Language: "
        + b"a;q=9,*," * 400
        + b"\r\n\r\n",
        b"DELETE /api/games HTTP/1.1\r\nHost: x\r\n\r\n",
        b"TRACE / HTTP/1.1\r\nHost: x\r\n\r\n",
    ],
    ids=[
        "two-lengths",
        "length-and-chunks",
        "odd-coding",
        "endless",
        "blank-in-name",
        "huge-cookie",
        "split",
        "delete",
        "trace",
    ],
)
def test_header_games_are_refused_and_change_nothing(port, request_):
    answer = raw(port, request_)

    status = int(answer.split()[1])
    assert 400 <= status < 500 or status == 501 or (b"GET" in request_ and status == 200)
    assert b"Set-Cookie:x=1" not in answer.replace(b" ", b"")
    assert Guest(port).ask("GET", "/health").status == 200


def png(width: int, height: int) -> bytes:
    def chunk(name: bytes, data: bytes) -> bytes:
        return (
            struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        )

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    return (
        b"\x89PNG\r\n\x1a\n"
        + head
        + chunk(b"IDAT", zlib.compress(bytes(1 << 20)))
        + chunk(b"IEND", b"")
    )


def form(photo: bytes) -> tuple[bytes, str]:
    head = b'--x\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n'
    file = b'--x\r\nContent-Disposition: form-data; name="photo"; filename="../../a"\r\n\r\n'
    return (
        head % (b"game", b"schlangennest") + file + photo + b"\r\n--x--\r\n",
        "multipart/form-data; boundary=x",
    )


@pytest.mark.parametrize(
    "photo",
    [png(60_000, 60_000), b"", b"GIF89a" + b"\xff" * 50, b"\x80\x04cos\nsystem\n."],
    ids=["bomb", "nothing", "torn", "pickle"],
)
def test_picture_made_to_harm_is_refused_in_words(port, photo):
    body, kind = form(photo)

    answer = Guest(port).ask("POST", "/api/photo-score", body, kind)

    assert answer.status in (400, 413, 422)
    assert json.loads(answer.data)["error"]["text"]


def test_upload_that_says_it_is_endless_is_refused_before_it_is_read(port):
    answer = raw(
        port,
        b"POST /api/photo-score HTTP/1.1\r\nHost: x\r\nContent-Type: image/jpeg\r\n"
        b"Content-Length: 5000000000\r\n\r\n" + b"x" * 1000,
    )

    assert answer.split()[1] in (b"413", b"400")


# --- Names ---


def test_script_in_a_name_is_text_wherever_it_is_shown(own_port, played):
    host = played.host()
    names = {"blue": SCRIPT, "red": '"><img src=x onerror=alert(1)>'}
    host.post("/api/new", {"game": "schlangennest", "players": ["blue", "red"], "names": names})
    key = host.get("/api/state")["key"]

    for path in ("/", "/api/table.svg", f"/api/games/{key}/table.svg", "/tv", f"/games/{key}"):
        shown = Guest(own_port).ask("GET", path)
        assert SCRIPT.encode() not in shown.data
        assert b"<img src=x" not in shown.data
    for path in ("/api/state", "/api/history", "/api/statistics", f"/api/games/{key}"):
        shown = Guest(own_port).ask("GET", path)
        assert shown.headers["Content-Type"].startswith("application/json")
        assert shown.headers["X-Content-Type-Options"] == "nosniff"


# --- MQTT ---


def test_names_and_messages_of_strangers_do_no_harm_by_mqtt(played, script, broker_port):
    played.begin(script.record, {"blue": "{{ 7*7 }}/#/+\u202e<script>", "red": '"}, "online": "no'})
    publisher = Publisher(
        played.desk, Settings(mqtt_host="127.0.0.1", mqtt_port=broker_port), wait_s=0.1
    )
    publisher.start()
    heard = Heard(broker_port)
    stranger = heard._client
    for topic in ("snake-eye/table", "snake-eye/event/verdict", "snake-eye/command"):
        stranger.publish(topic, b"\xff{not json" + b"x" * 100_000, qos=1)
    played.play(script.record, 2)

    def told():
        ours = [text for topic, text, _ in heard.messages if topic == "snake-eye/table"]
        tables = [json.loads(text) for text in ours if text.startswith("{")]
        return [table for table in tables if table.get("moves") == 2]

    wait_until(told)
    publisher.close()
    heard.close()

    assert [player["name"] for player in told()[-1]["players"]] == list(played.desk.names.values())
    assert len(played.desk.match.accepted) == 2
    topics = {topic for topic, _, _ in heard.messages}
    assert all(re.fullmatch(r"(snake-eye|homeassistant)(/[\w-]+)+", topic) for topic in topics)


# --- Files that are loaded ---


@contextmanager
def taught(folder, manifest, arrays):
    folder.mkdir()
    (folder / "evil.json").write_text(json.dumps(manifest), encoding="utf-8")
    (folder / "evil.npz").write_bytes(arrays)
    yield folder


def pickled() -> bytes:
    class Harm:
        def __reduce__(self):
            return (print, ("harm",))

    out = io.BytesIO()
    np.savez(out, project=np.array([Harm()], dtype=object), allow_pickle=True)
    return out.getvalue()


def test_taught_set_with_a_pickle_is_refused_unread(tmp_path, capsys):
    data = pickled()
    (tmp_path / "evil.npz").write_bytes(data)

    with pytest.raises(ModelError, match="plain arrays"):
        read_arrays(tmp_path / "evil.npz", hashlib.sha256(data).hexdigest())
    assert "harm" not in capsys.readouterr().out


@pytest.mark.parametrize("file", ["../../etc/passwd", "/etc/passwd", "evil.py", 7, None])
def test_taught_set_that_names_other_files_is_refused(tmp_path, file):
    with (
        taught(tmp_path / "sets", {**wanted("evil"), "file": file}, b"") as folder,
        pytest.raises(ModelError),
    ):
        find_taught("evil", (folder,))


def lying_array() -> bytes:
    """Return an array that says it holds terabytes."""
    said = b"{'descr': '<f8', 'fortran_order': False, 'shape': (900000000000,), }\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(said)) + said


@pytest.mark.parametrize("array", [lying_array(), bytes(260 << 20)], ids=["lie", "zeros"])
def test_arrays_that_unpack_to_gigabytes_are_refused(tmp_path, array):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("project.npy", array)
    (tmp_path / "evil.npz").write_bytes(out.getvalue())

    with pytest.raises(ModelError):
        read_arrays(tmp_path / "evil.npz", hashlib.sha256(out.getvalue()).hexdigest())
