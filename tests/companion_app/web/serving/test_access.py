"""Who may do what: PIN, sessions, cross-site requests, limits, headers, files out of reach."""

from __future__ import annotations

import json
import re
import shutil
import ssl
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from companion_app.games.people import Sitting
from companion_app.live.errors import StoreError
from companion_app.web.serving import sessions as sessions_module
from companion_app.web.serving.access import COOKIE, SECURE_COOKIE
from companion_app.web.serving.certificate import HttpsOffer
from companion_app.web.serving.errors import TooOften
from companion_app.web.serving.limits import (
    FIRST_WAIT_S,
    FREE_GUESSES,
    LONGEST_WAIT_S,
    Guesses,
    Limiter,
    network_of,
)
from companion_app.web.serving.page_file import (
    PIN_COST,
    SettingsFile,
    hashed,
    is_hash,
    read_settings,
)
from companion_app.web.serving.routes import PARTS, ROLES, TABLE, reaches
from companion_app.web.serving.sessions import Sessions
from companion_app.web.serving.web_server import Server
from tests.access import SECURITY, served_by, written
from tests.companion_app.web.conftest import Guest, Played, playthrough

FILLED = {
    "view": "rules",
    "key": "no-game",
    "code": "en",
    "name": "x",
    "game_name": "chess",
    "seq": "1",
    "number": "1",
    "part": "goal",
    "chapter": "light",
}


def test_right_pin_makes_a_host_and_a_wrong_one_does_not(played):
    guest = played.guest()

    wrong = guest.post("/api/login", {"pin": "000000"})
    assert wrong.status_code == 403
    assert guest.get("/api/me")["host"] is False

    guest.be_host()
    assert guest.get("/api/me")["host"] is True


def test_pin_guessing_is_slowed_also_for_the_right_one(played):
    guest = played.guest()
    for _ in range(FREE_GUESSES):
        guest.post("/api/login", {"pin": "000000"})

    slowed = guest.post("/api/login", {"pin": "424242"})

    assert slowed.status_code == 429
    assert int(slowed.headers["Retry-After"]) > 0
    played.time_s += 61
    assert guest.post("/api/login", {"pin": "424242"}).status_code == 200


def test_guesses_sent_at_once_are_checked_one_by_one():
    guesses, checked, sent = Limiter().guesses, [], threading.Barrier(FREE_GUESSES + 5)

    def wrong() -> bool:
        checked.append(1)
        time.sleep(0.005)
        return False

    def guess() -> None:
        sent.wait()
        with suppress(TooOften):
            guesses.tried("pin", "a", wrong)

    with ThreadPoolExecutor(sent.parties) as phones:
        for _ in range(sent.parties):
            phones.submit(guess)

    assert len(checked) == FREE_GUESSES


def test_pins_that_are_guessed_at_once_are_counted_one_by_one(played, monkeypatch):
    count = 3 * FREE_GUESSES
    guests = [played.guest() for _ in range(count)]
    together, is_pin = threading.Barrier(count), played.settings.is_pin

    def checked(pin):
        # Whoever is let in waits a moment for the others, as a slow machine would make them.
        with suppress(threading.BrokenBarrierError):
            together.wait(0.5)
        return is_pin(pin)

    monkeypatch.setattr(played.settings, "is_pin", checked)
    with ThreadPoolExecutor(count) as pool:
        tries = [pool.submit(guest.post, "/api/login", {"pin": "000000"}) for guest in guests]
        statuses = Counter(one.result().status_code for one in tries)

    assert statuses == {403: FREE_GUESSES, 429: count - FREE_GUESSES}


def test_changing_the_pin_ends_other_hosts(played):
    old, changer = played.host(), played.host()

    changer.post("/api/settings", {"pin": "123123"})

    assert old.get("/api/me")["host"] is False
    assert changer.get("/api/me")["host"] is True


@pytest.mark.parametrize("pin", ["12", "abcdef", "1" * 13, "１２３４", 1234, None])
def test_pin_that_is_no_pin_is_refused(played, pin):
    assert played.host().post("/api/settings", {"pin": pin}).status_code == 400


def test_settings_outlive_a_restart_and_are_for_the_owner_only(tmp_path):
    first = SettingsFile(tmp_path / "page.json")

    assert SettingsFile(tmp_path / "page.json").now == first.now
    assert (tmp_path / "page.json").stat().st_mode & 0o077 == 0


def test_damaged_settings_are_made_anew(tmp_path):
    (tmp_path / "page.json").write_text("[]", encoding="utf-8")

    assert len(SettingsFile(tmp_path / "page.json").made_pin or "") == 6


@pytest.mark.parametrize("edited", ["[]", "", "{", '{"secret": "short"}', '{"pin_hash": 7}'])
def test_file_that_somebody_spoils_makes_no_pin_that_nobody_is_shown(tmp_path, edited, caplog):
    file = tmp_path / "page.json"
    settings = SettingsFile(file, pin_cost=2)
    pin, before = settings.made_pin or "", settings.now

    file.write_text(edited, encoding="utf-8")

    assert settings.now == before
    assert settings.made_pin == pin
    assert settings.is_pin(pin)
    assert "the old ones hold" in caplog.text
    settings.change(ideas=3)
    assert SettingsFile(file, pin_cost=2).is_pin(pin), "what is kept next is whole again"


def test_settings_that_cannot_be_read_just_now_stay_as_they_were(tmp_path, monkeypatch):
    file = tmp_path / "page.json"
    settings = SettingsFile(file, pin_cost=2)
    before, kept = settings.now, file.read_bytes()

    with monkeypatch.context() as closed:
        closed.setattr(Path, "open", cannot_be_read)
        file.chmod(0o000)
        assert settings.now == before
        with pytest.raises(StoreError, match="cannot be used: Permission denied"):
            SettingsFile(file)

    assert file.read_bytes() == kept
    SettingsFile(file, pin_cost=2).keep_card("a new card")
    assert settings.is_card("a new card")


def cannot_be_read(*_: object, **__: object) -> None:
    raise PermissionError(13, "Permission denied")


def test_request_without_the_token_is_refused(played):
    host = played.host()

    refused = host.client.post("/api/end", json={})

    assert refused.status_code == 403
    assert refused.get_json()["error"]["code"] == "no-token"


def test_request_from_another_site_is_refused(played):
    host = played.host()

    assert host.post("/api/end", {}, Origin="http://evil.example").status_code == 403
    assert host.post("/api/end", {}, **{"Sec-Fetch-Site": "cross-site"}).status_code == 403


def test_form_of_another_site_cannot_change_anything(played):
    host = played.host()

    refused = host.client.post("/api/end", data={"a": "b"}, headers={"X-Snake-Eye": host.token})

    assert refused.status_code == 400


def test_every_answer_carries_safe_headers(played):
    for path in ("/", "/api/state", "/static/app.js", "/nothing/here"):
        headers = played.guest().client.get(path).headers
        assert "script-src 'self'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../web/app.py",
        "/static/%2e%2e/cli.py",
        "/static/..%2fcli.py",
        "/etc/passwd",
        "/static/",
        "/api/games/../../page.json/record.json",
        "/games.sqlite3",
        "/api/games/x/pictures/1/..%2f..%2fpage.jpg",
        "/api/strings/..%2f..%2fcli.json",
        "/api/print/..%2f..%2fx.zip",
    ],
)
def test_no_file_outside_its_own_is_reached(played, path):
    answer = played.guest().client.get(path)

    assert answer.status_code in (404, 409)
    assert b"import" not in answer.data


def test_huge_requests_are_refused(played):
    guest = played.guest()

    assert guest.post("/api/tell", {"answer": "x" * 300_000}).status_code == 413
    large = guest.client.post(
        "/api/photo-score",
        data=b"0" * 26_000_000,
        headers={"X-Snake-Eye": guest.token},
        content_type="multipart/form-data; boundary=x",
    )
    assert large.status_code == 413


def test_too_many_requests_are_told_to_wait(played):
    guest = played.guest()
    answers = [guest.post("/api/logout").status_code for _ in range(70)]

    assert 429 in answers
    assert answers[0] == 200


def test_script_in_a_name_stays_text(played):
    host = played.host()
    host.post("/api/new", {"game": "sssnake", "players": ["<script>alert(1)</script>", "b"]})

    drawn = host.client.get("/api/table.svg").data
    assert b"<script>" not in drawn
    assert "&lt;script" in drawn.decode()


def test_session_cookie_is_for_our_page_only(played):
    cookie = played.app.test_client().get("/").headers["Set-Cookie"]

    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie


def test_pin_is_never_sent(played):
    host = played.host()
    for path in ("/", "/api/me", "/api/state", "/api/openapi.json"):
        assert "424242" not in host.client.get(path).get_data(as_text=True)
    assert "424242" not in json.dumps(host.post("/api/settings", {}).get_json())


# --- roles ---------------------------------------------------------------------------------------


def as_role(played: Played, role: str) -> Guest:
    return {"watcher": played.guest, "seat": lambda: played.seat("blue"), "host": played.host}[
        role
    ]()


def is_refused(phone, method, rule):
    path = re.sub(r"<(?:int:)?(\w+)>", lambda found: FILLED[found[1]], rule)
    answer = phone.client.get(path) if method == "GET" else phone.post(path)
    refused = answer.status_code == 403 and answer.get_json()["error"]["code"] in (
        "not-host",
        "not-seated",
    )
    answer.close()
    return refused


@pytest.mark.parametrize("role", ROLES)
def test_every_route_is_open_to_whom_the_table_says(played, script, role):
    played.begin(script.record)
    phone = as_role(played, role)

    # Whoever logs out is nobody any more: that comes last. Joining refuses whoever has no code.
    for route in sorted(TABLE.values(), key=lambda route: route.address == "/api/logout"):
        played.time_s += 100
        if route.address != "/api/join":
            refused = is_refused(phone, route.method, route.address)
            assert refused == (not reaches(role, route.part.least)), route


def test_table_lists_what_is_served_and_nothing_else(played):
    assert served_by(played.app) == set(TABLE)


def test_tables_of_security_are_made_of_the_table_of_access():
    text = SECURITY.read_text(encoding="utf-8")

    assert written(text) == text, "python -m tests.access"


def test_settings_open_and_close_parts_of_the_page(played, script):
    played.begin(script.record)
    host, seat, watcher = played.host(), played.seat("blue"), played.guest()
    settable = {name for name, part in PARTS.items() if part.settable}
    assert settable == {"watching", "scoring", "alone", "pictures", "corrections", "boxes"}

    host.post("/api/settings", {"open_to": {"corrections": "watcher", "watching": "seat"}})
    assert watcher.client.get("/api/corrections").status_code == 200
    assert watcher.client.get("/api/state").status_code == 403
    assert seat.client.get("/api/state").status_code == 200

    host.post("/api/settings", {"open_to": {"corrections": "host"}})
    assert seat.client.get("/api/corrections").status_code == 403
    for wrong in ({"hosting": "watcher"}, {"pictures": "nobody"}, {"telling": "watcher"}, 7):
        assert host.post("/api/settings", {"open_to": wrong}).status_code == 400


# --- seats ---------------------------------------------------------------------------------------


def test_guest_without_a_seat_tells_nothing(played):
    played.begin(playthrough("sssnake_evening"))
    question = played.guest().get("/api/state")["questions"][0]

    for told in (
        {"roll": 2},
        {"pass": True},
        {"finale": True},
        {"discard": "x"},
        {"answer": question["id"], "value": 2},
    ):
        refused = played.guest().post("/api/tell", told)
        assert refused.get_json()["error"]["code"] == "not-seated", told
    assert played.desk.match.accepted == ()


def test_seat_tells_for_its_own_colour_alone(played, script):
    played.begin(script.record)
    first, second = played.desk.match.start.players
    other = played.seat(second)

    refused = other.post("/api/tell", {"pass": True})

    assert refused.status_code == 403
    assert refused.get_json()["error"]["code"] == "not-your-seat"
    own = played.seat(first).post("/api/tell", {"pass": True})
    assert own.status_code == 409, "the rule book, not the guard, says that nobody passes here"


def test_wrong_code_gives_no_seat_and_is_slowed(played, script):
    played.begin(script.record)
    guest = played.guest()

    answers = [
        guest.post("/api/join", {"code": "AAAAA", "seats": ["blue"]}).status_code
        for _ in range(FREE_GUESSES + 1)
    ]

    assert answers == [403] * FREE_GUESSES + [429]
    assert guest.get("/api/me")["seats"] == []
    assert played.guest().post("/api/join", {"seats": ["blue"]}).status_code == 403


def test_seats_are_shared_held_together_and_freed(played, script):
    played.begin(script.record)
    one, two = played.seat("blue", "red"), played.seat("blue")
    assert one.get("/api/me")["taken"] == {"blue": 2, "red": 1}

    one.post("/api/join", {"seats": ["red"]})
    assert one.get("/api/me")["taken"] == {"blue": 1, "red": 1}
    assert one.post("/api/seats/free", {"seat": "blue"}).status_code == 403

    assert played.host().post("/api/seats/free", {"seat": "blue"}).get_json() == {
        "taken": {"red": 1}
    }
    assert two.get("/api/me")["role"] == "watcher"
    assert two.post("/api/join", {"seats": ["green-eyed"]}).status_code == 400


def test_join_code_is_shown_to_those_who_may_hand_it_on(played, script):
    played.begin(script.record)
    code = played.settings.now.join_code
    shown = {
        name: phone.get("/api/me")["join_code"]
        for name, phone in {
            "guest": played.guest(),
            "seat": played.seat("blue"),
            "watcher": played.seat(),
            "host": played.host(),
        }.items()
    }

    assert shown == {"guest": None, "seat": code, "watcher": code, "host": code}
    plain = played.guest().client.get("/api/qr.svg").data
    assert played.host().client.get("/api/qr.svg").data != plain


def test_new_code_frees_every_seat(played, script):
    played.begin(script.record)
    seat, before = played.seat("blue"), played.settings.now.join_code

    played.host().post("/api/settings", {"new_code": True})

    assert seat.get("/api/me")["role"] == "watcher"
    assert played.guest().post("/api/join", {"code": before}).status_code == 403


# --- sessions ------------------------------------------------------------------------------------


def cookie_of(phone, name=COOKIE):
    return phone.client.get_cookie(name).value


def test_log_out_ends_the_session_on_the_server(played):
    host = played.host()
    copied = cookie_of(host)

    host.post("/api/logout")

    thief = played.guest()
    thief.client.set_cookie(COOKIE, copied)
    assert thief.get("/api/me")["host"] is False


def test_host_lists_sessions_and_ends_them(played, script):
    played.begin(script.record)
    host, other, seat = played.host(), played.host(), played.seat("blue")
    listed = host.get("/api/sessions")["sessions"]
    assert sorted((one["host"], one["seats"], one["here"]) for one in listed) == [
        (False, ["blue"], False),
        (True, [], False),
        (True, [], True),
    ]

    named = next(one["session"] for one in listed if one["host"] and not one["here"])
    host.post("/api/sessions/end", {"session": named})
    assert other.get("/api/me")["host"] is False
    assert host.post("/api/sessions/end", {"session": named}).status_code == 404

    host.post("/api/sessions/end", {"others": True})
    assert seat.get("/api/me")["role"] == "watcher"
    assert host.get("/api/me")["host"] is True


def test_sessions_outlive_a_restart_and_tell_no_reader_how_to_be_host(played, tmp_path):
    host = played.host()
    with host.client.session_transaction() as cookie:
        id_ = cookie["id"]

    kept = (tmp_path / "sessions.json").read_text(encoding="utf-8")

    assert id_ not in kept
    assert (tmp_path / "sessions.json").stat().st_mode & 0o077 == 0
    found = Sessions(tmp_path / "sessions.json").find(id_)
    assert found is not None
    assert found.host == played.settings.now.pin_number


@pytest.fixture
def https_port(played, tmp_path):
    """Return the port of the page over https, and serve it over http too."""
    if shutil.which("openssl") is None:
        pytest.skip("this system has no openssl")
    server = Server(played.app, "127.0.0.1", 0)
    server.start()
    played.companion.https = HttpsOffer(tmp_path / "tls", "127.0.0.1", server, 0)
    yield played.companion.https.start()
    server.close()


def test_cookie_of_a_phone_that_comes_by_https_is_secure_and_its_own(played, https_port):
    plain = cookie_of(played.host())
    line = HTTPSConnection(
        "127.0.0.1", https_port, context=ssl._create_unverified_context(), timeout=30
    )
    line.request("GET", "/api/me", headers={"Cookie": f"{COOKIE}={plain}"})
    answer = line.getresponse()
    said = json.loads(answer.read())
    line.close()

    assert said["host"] is True, "who was host over http stays so"
    assert answer.headers["Set-Cookie"].startswith(f"{SECURE_COOKIE}=")
    assert "Secure" in answer.headers["Set-Cookie"]
    assert "Secure" not in played.app.test_client().get("/").headers["Set-Cookie"]


# --- the PIN, kept -------------------------------------------------------------------------------


def test_pin_is_kept_as_a_hash_and_shown_once(tmp_path):
    made = SettingsFile(tmp_path / "page.json")

    assert made.made_pin is not None
    assert made.is_pin(made.made_pin)
    assert made.made_pin not in (tmp_path / "page.json").read_text(encoding="utf-8")
    assert SettingsFile(tmp_path / "page.json").made_pin is None


@pytest.mark.parametrize("cost", [PIN_COST, 4 * PIN_COST])
def test_hash_of_a_pin_costs_what_a_check_can_afford(cost):
    assert is_hash(a_hash(cost))


@pytest.mark.parametrize("cost", [4 * PIN_COST + 1, 8 * PIN_COST, 999_999, 10**6])
def test_hash_of_a_pin_whose_check_would_take_minutes_is_refused(cost, tmp_path):
    kept = {"secret": "ab" * 32, "pin_hash": a_hash(cost), "join_code": "BCDFG"}
    file = tmp_path / "page.json"
    file.write_text(json.dumps(kept), encoding="utf-8")

    assert not is_hash(a_hash(cost))
    with pytest.raises(ValueError, match="pin_hash"):
        read_settings(file)


def a_hash(cost: int) -> str:
    return f"scrypt${cost}${'0' * 32}${'0' * 64}"


def test_pin_is_hashed_at_a_cost_that_slows_a_thief():
    assert hashed("123456").split("$")[:2] == ["scrypt", str(PIN_COST)]
    assert PIN_COST >= 2**14


def test_session_ends_after_thirty_one_days(tmp_path):
    now_s = 1e9
    sessions = Sessions(tmp_path / "sessions.json", lambda: now_s)
    id_ = sessions.begin(replace(sessions.fresh("phone"), host=1, code=2, seats=("blue",)))
    now_s += 31 * 86_400
    assert sessions.find(id_) is not None
    assert sessions.taken(2, Sitting()) == {"blue": 1}

    now_s += 1

    assert sessions.find(id_) is None
    assert sessions.listed() == {}
    assert sessions.taken(2, Sitting()) == {}
    assert Sessions(tmp_path / "sessions.json", lambda: now_s).find(id_) is None


def test_pin_made_beside_a_running_page_is_valid_at_once(played, tmp_path):
    host, guest = played.host(), played.guest()
    for _ in range(FREE_GUESSES):
        guest.post("/api/login", {"pin": "000000"})

    made = SettingsFile(tmp_path / "page.json").new_pin()

    assert guest.post("/api/login", {"pin": made}).status_code == 200, "at a new PIN all begin anew"
    assert host.get("/api/me")["host"] is False


# --- guessing ------------------------------------------------------------------------------------


def test_each_wrong_guess_waits_longer_up_to_an_hour():
    time_s = 0.0
    guesses = Guesses(lambda: time_s)
    waits = []
    for _ in range(FREE_GUESSES + 8):
        guesses.wrong("pin", "a")
        waits.append(guesses.wait_s("pin", "a"))
        time_s += waits[-1]

    assert waits[: FREE_GUESSES + 2] == [0] * (FREE_GUESSES - 1) + [60, 120, 240]
    assert waits[FREE_GUESSES - 1] == FIRST_WAIT_S
    assert waits[-1] == LONGEST_WAIT_S
    assert guesses.wait_s("pin", "b") == 0


def test_many_addresses_neither_fill_the_memory_nor_free_a_guesser():
    time_s = 0.0
    limiter = Limiter(lambda: time_s, most=50)
    for _ in range(FREE_GUESSES):
        limiter.guesses.wrong("pin", "guesser")
    for number in range(500):
        limiter.guesses.wrong("pin", f"10.0.{number // 250}.{number % 250}")
        limiter.count("post", f"10.0.{number // 250}.{number % 250}")

    assert len(limiter.guesses) == len(limiter) == 50
    assert limiter.guesses.wait_s("pin", "guesser") > 0, "quiet ones go first"


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("fd00::1:2:3:4", "fd00::9:9:9:9", True),
        ("fd00:0:0:1::1", "fd00:0:0:2::1", False),
        ("192.168.1.5", "::ffff:192.168.1.5", True),
        ("192.168.1.5", "192.168.1.6", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("?", "?", True),
    ],
)
def test_phone_with_many_ipv6_addresses_counts_as_one(one, two, same):
    assert (network_of(one) == network_of(two)) == same


# --- names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["en", "de", "fr", "cs", "ru"])
def test_who_comes_by_a_box_name_is_told_what_to_type(played, language):
    asked = {"Host": "snake-eye.fritz.box", "Accept": "text/html"}
    answer = played.app.test_client().get(f"/?lang={language}", headers=asked)

    assert answer.status_code == 403
    assert played.companion.address in answer.get_data(as_text=True)


def test_own_name_is_answered_once_the_host_says_it_is_ours(played):
    host = played.host()
    asked = {"Host": "snake-eye.fritz.box"}
    assert host.post("/api/settings", {"names": ["Snake-Eye.fritz.box"]}).status_code == 200

    assert played.app.test_client().get("/api/state", headers=asked).status_code == 200
    other = {"Host": "evil.fritz.box"}
    assert played.app.test_client().get("/api/state", headers=other).status_code == 403
    for wrong in (["box"], ["a b.c"], "x.y", [7], ["x.y"] * 9):
        assert host.post("/api/settings", {"names": wrong}).status_code == 400


def test_settings_that_cannot_be_kept_are_not_changed(played, tmp_path):
    host, before = played.host(), played.settings.now
    (tmp_path / "page.new").mkdir()  # what is written beside the file cannot be

    refused = host.post("/api/settings", {"players_answer": False})

    assert refused.status_code == 507
    assert refused.get_json()["error"]["code"] == "not-kept"
    assert played.settings.now == before


def test_session_that_ended_on_a_full_disk_does_not_come_back(tmp_path, monkeypatch):
    sessions = Sessions(tmp_path / "sessions.json")
    gone, stays = (sessions.begin(replace(sessions.fresh(""), host=1)) for _ in range(2))

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sessions_module, "write_whole", full)
    sessions.end(gone)

    assert sessions.find(stays) is not None
    assert Sessions(tmp_path / "sessions.json").find(gone) is None


def test_settings_are_changed_all_or_not_at_all(played):
    host, before = played.host(), played.settings.now

    sent = {"pin": "135790", "players_answer": False, "pictures_mb": -1}
    answer = host.post("/api/settings", sent)

    assert answer.status_code == 400
    assert played.settings.now == before
