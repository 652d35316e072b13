"""The guards by themselves, around an application of a few views: who may do what, line by line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Response, jsonify, request
from flask.sessions import SecureCookieSessionInterface
from flask.testing import FlaskClient

from companion_app.games.people import Sitting
from companion_app.web.serving import access, guard
from companion_app.web.serving.access import COOKIE, SECURE_COOKIE
from companion_app.web.serving.errors import WebError
from companion_app.web.serving.limits import FREE_GUESSES, Limiter
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.routes import PARTS, Route
from companion_app.web.serving.sessions import LASTS_S, Sessions

PIN, CARD = "424242", "card-on-the-fridge"
ADDRESSES = (
    "GET /me page, POST /me page, POST /do page, POST /tell telling, POST /host hosting, "
    "POST /file page, POST /unread page, GET /kept page"
)
DOOR = {
    (method, address): Route(method, address, PARTS[part], files=address in ("/file", "/unread"))
    for method, address, part in map(str.split, ADDRESSES.split(", "))
}


class Door:
    """An application of a few views with the guards around it."""

    def __init__(self, folder: Path) -> None:
        self.time_s = 1_000_000.0
        self.settings = SettingsFile(folder / "page.json", pin_cost=2)
        self.settings.change_pin(PIN)
        self.settings.keep_card(CARD)
        self.limiter = Limiter(lambda: self.time_s)
        self.sessions = Sessions(None, lambda: self.time_s)
        self.action: Callable[[], Any] = dict
        self.app = Flask("door", static_folder=None)
        access.protect(self.app, self.settings, self.limiter, self.sessions, Sitting, DOOR)
        self.app.register_error_handler(WebError, refused)
        for rule, view, methods in (
            ("/me", lambda: jsonify(me()), ["GET", "POST"]),
            ("/do", lambda: jsonify(self.action()), ["POST"]),
            ("/tell", lambda: "told", ["POST"]),
            ("/host", lambda: "done", ["POST"]),
            ("/unsaid", lambda: "shown", ["GET"]),
            ("/file", lambda: jsonify([*request.form]), ["POST"]),
            ("/unread", lambda: "taken", ["POST"]),
            ("/kept", lambda: Response(headers={"Cache-Control": "max-age=9"}), ["GET"]),
        ):
            self.app.add_url_rule(rule, rule, view, methods=methods)

    def phone(self, address: str = "10.0.0.7", **more: Any) -> Phone:
        return Phone(self, address, **more)


def me() -> dict[str, Any]:
    return {
        "token": guard.own_token(),
        "role": access.role(),
        "seats": access.seats(),
        "who": guard.caller(),
        "https": guard.is_https(),
    }


def refused(error: WebError) -> tuple[Response, int]:
    said = {"code": error.code, "detail": error.detail, "wait": error.retry_after_s}
    return jsonify(said), error.status


class Phone:
    """A browser that visited the page, and so knows its token."""

    def __init__(
        self, door: Door, address: Any, agent: str = "x", *, by_https: bool = False
    ) -> None:
        self.door, self.client = door, door.app.test_client()
        self.client.environ_base.update({"REMOTE_ADDR": address, "HTTP_USER_AGENT": agent})
        if by_https:
            self.client.open = partial(  # type: ignore[method-assign]
                self.client.open, base_url="https://localhost"
            )
        self.token = self.me["token"]

    @property
    def me(self) -> dict[str, Any]:
        return dict(self.client.get("/me").get_json())

    def post(self, path: str, **more: Any) -> str:
        """Return the code of a refusal, or nothing where it is answered."""
        headers = {"X-Snake-Eye": self.token, **more.pop("headers", {})}
        sent = more if more else {"json": {}}
        answer = self.client.post(path, headers=headers, **sent)
        return "" if answer.status_code == 200 else str(answer.get_json()["code"])

    def does(self, what: Callable[..., Any], *given: Any) -> str:
        """Do something in this phone's name; return the code of a refusal."""
        self.door.action = lambda: {"answer": what(*given)}
        return self.post("/do")

    def be_host(self) -> Phone:
        assert self.try_pin(PIN) == ""
        return self

    def sit(self, *seats: str) -> Phone:
        assert self.try_code(self.door.settings.now.join_code) == ""
        assert self.does(access.sit, seats) == ""
        return self

    def try_pin(self, pin: str) -> str:
        return self.does(access.try_pin, pin)

    def try_code(self, code: str) -> str:
        return self.does(access.try_code, code)

    def try_card(self, code: str) -> str:
        return self.does(access.try_card, code)

    @property
    def cookie(self) -> str:
        found = self.client.get_cookie(COOKIE)
        assert found is not None
        return found.value


@pytest.fixture
def door(tmp_path: Path) -> Door:
    return Door(tmp_path)


def signed(app: Flask, **data: Any) -> str:
    """Return a cookie that this application would have signed."""
    signer = SecureCookieSessionInterface().get_signing_serializer(app)
    assert signer is not None
    return str(signer.dumps(data))


def with_cookie(phone: Phone, value: str, name: str = COOKIE) -> Phone:
    phone.client.set_cookie(name, value)
    phone.token = phone.me["token"]
    return phone


# --- roles ---------------------------------------------------------------------------------------


def test_guest_is_what_he_has_shown(door):
    phone = door.phone()
    assert (phone.me["role"], phone.me["seats"]) == ("watcher", [])

    phone.try_code(door.settings.now.join_code)
    assert phone.me["role"] == "watcher", "a code without a seat"

    phone.does(access.sit, ("blue", "red"))
    assert (phone.me["role"], phone.me["seats"]) == ("seat", ["blue", "red"])

    phone.be_host()
    assert (phone.me["role"], phone.me["seats"]) == ("host", ["blue", "red"])


@pytest.mark.parametrize(
    ("path", "watcher", "seat"),
    [("/me", "", ""), ("/tell", "not-seated", ""), ("/host", "not-host", "not-host")],
)
def test_view_is_open_from_the_role_of_its_part_on(door, path, watcher, seat):
    assert door.phone().post(path) == watcher
    assert door.phone().sit("blue").post(path) == seat
    assert door.phone().be_host().post(path) == ""


def test_address_that_is_not_listed_is_for_nobody(door):
    for phone in (door.phone(), door.phone().sit("blue"), door.phone().be_host()):
        assert phone.client.get("/unsaid").get_json()["code"] == "not-host"


def test_part_that_the_host_closed_is_for_the_host(door):
    seat = door.phone().sit("blue")

    door.settings.change(players_answer=False)

    assert seat.post("/tell") == "not-host"


def test_new_code_frees_the_seats_and_a_new_pin_ends_the_hosts(door):
    seat, host = door.phone().sit("blue"), door.phone().be_host()

    door.settings.change(**door.settings.with_code())
    door.settings.change_pin("123123")

    assert (seat.me["role"], seat.me["seats"]) == ("watcher", [])
    assert host.me["role"] == "watcher"


def test_host_who_changes_the_pin_stays_host(door):
    host = door.phone().be_host()

    def change() -> None:
        door.settings.change_pin("123123")
        access.stay_host()

    host.does(change)

    assert host.me["role"] == "host"


# --- our own page --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("headers", "said"),
    [
        ({}, ""),
        ({"Origin": "http://localhost"}, ""),
        ({"Sec-Fetch-Site": "same-origin"}, ""),
        ({"Sec-Fetch-Site": "none"}, ""),
        ({"Sec-Fetch-Site": "same-site"}, "not-yours"),
        ({"Sec-Fetch-Site": "cross-site"}, "not-yours"),
        ({"Origin": "null"}, "not-yours"),
        ({"Origin": "http://evil.example"}, "not-yours"),
        ({"Origin": "http://localhost:81"}, "not-yours"),
        ({"X-Snake-Eye": ""}, "no-token"),
        ({"X-Snake-Eye": "a guess"}, "no-token"),
    ],
)
def test_change_comes_from_our_own_page_with_its_token(door, headers, said):
    assert door.phone().post("/me", headers=headers) == said


@pytest.mark.parametrize("sent", [{}, {"X-Snake-Eye": "None"}, {"X-Snake-Eye": ""}])
def test_who_never_visited_the_page_has_no_token(door, sent):
    answer = door.app.test_client().post("/me", json={}, headers=sent)

    assert answer.get_json()["code"] == "no-token"


def test_change_without_a_token_is_refused_though_the_page_was_visited(door):
    answer = door.phone().client.post("/me", json={})

    assert answer.get_json()["code"] == "no-token"


def test_token_is_made_at_the_first_visit_and_stays(door):
    phone = door.phone()

    assert phone.me["token"] == phone.token
    assert len(phone.token) == 32
    assert door.phone().token != phone.token


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_looking_needs_no_token(door, method):
    assert door.app.test_client().open("/me", method=method).status_code == 200


def test_address_that_there_is_not_is_not_found(door):
    assert door.app.test_client().get("/nothing").status_code == 404


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("localhost", True),
        ("pi", True),
        ("192.168.1.5", True),
        ("192.168.1.5:8080", True),
        ("[fd00::1]:8080", True),
        ("[::ffff:192.168.1.5]", True),
        ("snake-eye.local", True),
        ("snake-eye.local.:80", True),
        ("SNAKE-EYE.LAN", True),
        ("a.b.home.arpa", True),
        ("own.example.org", True),
        ("example.org", False),
        ("1.example.org", False),
        ("snake-eye.fritz.box", False),
        ("local.example", False),
        ("other.example.org", False),
        ("notlocal", True),
    ],
)
def test_page_is_served_by_names_that_nobody_can_buy_and_by_own_ones(door, host, ours):
    door.settings.change(names=("own.example.org",))

    answer = door.app.test_client().get("/me", headers={"Host": host})

    assert answer.status_code == (200 if ours else 403)
    assert ours or answer.get_json()["code"] == "other-name"


# --- bounds --------------------------------------------------------------------------------------


def test_changes_of_one_address_are_bounded_and_those_of_others_are_not(door):
    busy, calm = door.phone("10.0.0.7"), door.phone("10.0.0.8")
    answers = [busy.post("/me") for _ in range(60)]
    door.time_s += 3

    slowed = busy.client.post("/me", json={}, headers={"X-Snake-Eye": busy.token})

    assert set(answers) == {""}
    assert slowed.get_json() == {"code": "too-often", "detail": "", "wait": 7}
    assert busy.client.get("/me").status_code == 200, "looking is not a change"
    assert calm.post("/me") == ""
    door.time_s += 7
    assert busy.post("/me") == ""


@pytest.mark.parametrize(
    ("limit", "most", "wait_s"), [(guard.UPLOADS, 8, 60), (guard.LOOKS, 250, 10)]
)
def test_uploads_and_looks_are_bounded_each_by_itself(door, limit, most, wait_s):
    with door.app.test_request_context(environ_base={"REMOTE_ADDR": "10.0.0.7"}):
        for _ in range(most):
            guard.limit(*limit)
        with pytest.raises(WebError) as said:
            guard.limit(*limit)
    with door.app.test_request_context(environ_base={"REMOTE_ADDR": "10.0.0.8"}):
        guard.limit(*limit)

    assert (said.value.code, said.value.retry_after_s) == ("too-often", wait_s)
    assert door.phone("10.0.0.7").post("/me") == ""


@pytest.mark.parametrize(
    ("path", "kind", "length", "said"),
    [
        ("/me", "application/json", None, ""),
        ("/me", "application/json", 256 << 10, ""),
        ("/me", "application/json", (256 << 10) + 1, "too-large"),
        ("/file", "application/json", (256 << 10) + 1, "too-large"),
        ("/me", "application/x-www-form-urlencoded", 10, "bad-request"),
        ("/me", "", 10, "bad-request"),
        ("/nothing", "text/plain", 10, "bad-request"),
    ],
)
def test_changes_are_json_of_bounded_length(door, path, kind, length, said):
    declared = {"CONTENT_LENGTH": "" if length is None else str(length)}

    assert door.phone().post(path, content_type=kind, environ_overrides=declared) == said


def test_who_sends_something_else_is_told_what_to_send(door):
    phone = door.phone()

    answer = phone.client.post(
        "/me", data="x=y", content_type="text/plain", headers={"X-Snake-Eye": phone.token}
    )

    assert answer.get_json()["detail"] == "send application/json"


def form(**fields: Any) -> dict[str, Any]:
    return {"data": fields, "content_type": "multipart/form-data"}


@pytest.mark.parametrize(
    ("length", "status"), [(None, 200), (24 << 20, 200), ((24 << 20) + 1, 413)]
)
def test_file_is_taken_up_to_24_megabytes_by_views_that_take_files(door, length, status):
    phone = door.phone()
    declared = {} if length is None else {"CONTENT_LENGTH": str(length)}

    answer = phone.client.post(
        "/unread",
        content_type="image/jpeg",
        headers={"X-Snake-Eye": phone.token},
        environ_overrides=declared,
    )

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({f"f{n}": "x" for n in range(8)}, 200),
        ({f"f{n}": "x" for n in range(9)}, 413),
        ({"text": "x" * (256 << 10)}, 200),
        ({"text": "x" * ((256 << 10) + 1)}, 413),
    ],
    ids=["8 parts", "9 parts", "a long text", "too long a text"],
)
def test_forms_have_few_parts_and_short_texts(door, fields, status):
    phone = door.phone()

    answer = phone.client.post("/file", **form(**fields), headers={"X-Snake-Eye": phone.token})

    assert answer.status_code == status


def test_files_may_be_longer_than_texts(door):
    assert door.phone().post("/file", **form(photo=(BytesIO(b"x" * 300_000), "a.jpg"))) == ""


def test_body_that_does_not_say_its_length_is_bounded_too(door):
    assert door.app.config["MAX_CONTENT_LENGTH"] == 24 << 20


# --- whom a request counts for -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "who"),
    [("10.0.0.7", "10.0.0.7"), ("fd00::1:2:3:4", "fd00::/64"), (None, "?")],
)
@pytest.mark.parametrize("by_https", [False, True])
def test_request_counts_for_the_phone_by_http_and_https_alike(door, address, who, by_https):
    answer = door.phone(address, by_https=by_https).me

    assert (answer["who"], answer["https"]) == (who, by_https)


# --- cookies -------------------------------------------------------------------------------------


def front(door: Door) -> Phone:
    """Return a phone that comes by https."""
    return door.phone(by_https=True)


def test_cookie_is_for_our_page_only_and_lasts_a_month(door):
    cookie = door.app.test_client().get("/me").headers["Set-Cookie"]

    assert cookie.startswith(f"{COOKIE}=")
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert "Expires=" in cookie
    assert "Secure" not in cookie
    assert door.app.permanent_session_lifetime.total_seconds() == LASTS_S == 31 * 86_400


def test_answers_bring_no_older_cookie_back(door):
    phone = door.phone().be_host()

    assert "Set-Cookie" not in phone.client.get("/me").headers


def test_https_has_a_cookie_of_its_own_that_is_secure(door):
    phone = front(door)
    answer = phone.client.get("/me")

    found = phone.client.get_cookie(SECURE_COOKIE)
    assert found is not None
    assert found.secure
    assert phone.client.get_cookie(COOKIE) is None
    assert answer.get_json()["token"] == phone.token


def test_host_over_http_stays_host_over_https(door):
    host, phone = door.phone().be_host(), front(door)
    phone.client.delete_cookie(SECURE_COOKIE)

    with_cookie(phone, host.cookie)

    assert phone.me["role"] == "host"
    assert phone.token == host.token
    phone.client.delete_cookie(COOKIE)
    assert phone.me["role"] == "host", "it has the secure cookie now"


def test_secure_cookie_counts_before_the_plain_one(door):
    host, phone = door.phone().be_host(), front(door)
    own = phone.token

    phone.client.set_cookie(COOKIE, host.cookie)

    assert (phone.me["role"], phone.me["token"]) == ("watcher", own)


def test_plain_cookie_of_a_stranger_or_too_old_is_not_taken_over(door, monkeypatch):
    host, phone = door.phone().be_host(), front(door)
    phone.client.delete_cookie(SECURE_COOKIE)
    phone.client.set_cookie(COOKIE, host.cookie[:-3] + "xxx")
    assert phone.me["role"] == "watcher"

    phone.client.delete_cookie(SECURE_COOKIE)
    phone.client.set_cookie(COOKIE, host.cookie)
    monkeypatch.setattr(access, "LASTS_S", -1)
    assert phone.me["role"] == "watcher"


def test_secure_cookie_is_not_read_on_a_plain_line(door):
    host, phone = door.phone().be_host(), door.phone()
    phone.client.delete_cookie(COOKIE)

    phone.client.set_cookie(SECURE_COOKIE, host.cookie)

    assert phone.me["role"] == "watcher"


# --- sessions ------------------------------------------------------------------------------------


def test_number_in_the_cookie_changes_with_what_it_is_good_for(door):
    phone = door.phone().sit("blue")
    before = phone.cookie

    phone.be_host()

    assert len(door.sessions.listed()) == 1
    assert with_cookie(door.phone(), before).me["role"] == "watcher"


def test_session_lasts_anew_from_when_it_was_given_more(door):
    phone = door.phone().sit("blue")
    door.time_s += 20 * 86_400
    phone.be_host()

    (kept,) = door.sessions.listed().values()
    assert kept.made_s == kept.seen_s == door.time_s


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)", "iPhone"),
        ("Mozilla/5.0 (Linux; Android 14; Pixel 8)", "Android"),
        ("Mozilla/5.0 (X11; Linux x86_64)", "Linux"),
        ("curl/8", ""),
        ("", ""),
    ],
)
def test_session_says_what_kind_of_phone_it_is(door, agent, device):
    door.phone(agent=agent).be_host()

    assert [one.device for one in door.sessions.listed().values()] == [device]


def test_who_logs_out_is_a_guest_at_once_and_a_copy_of_his_cookie_too(door):
    host = door.phone().be_host()
    copied = host.cookie

    def out() -> str:
        access.log_out()
        return access.role()

    host.door.action = out
    said = host.client.post("/do", json={}, headers={"X-Snake-Eye": host.token}).get_json()

    assert said == "watcher"
    assert host.me["role"] == "watcher"
    assert door.sessions.listed() == {}
    assert with_cookie(door.phone(), copied).me["role"] == "watcher"


def test_guest_may_log_out_who_never_logged_in(door):
    assert door.phone().does(access.log_out) == ""


def test_all_others_are_ended_and_not_oneself(door):
    host, other, seat = door.phone().be_host(), door.phone().be_host(), door.phone().sit("blue")

    host.does(access.end_others)

    assert [one.me["role"] for one in (host, other, seat)] == ["host", "watcher", "watcher"]


# --- PIN, code and card --------------------------------------------------------------------------


def tries(phone: Phone, what: str, told: str) -> str:
    return {"PIN": phone.try_pin, "code": phone.try_code, "card": phone.try_card}[what](told)


def right(door: Door, what: str) -> str:
    return {"PIN": PIN, "code": door.settings.now.join_code, "card": CARD}[what]


WHAT = pytest.mark.parametrize("what", ["PIN", "code", "card"])


@WHAT
def test_right_one_lets_in_and_a_wrong_one_says_which_was_wrong(door, what):
    phone = door.phone()

    assert tries(phone, what, "00000") == f"wrong-{what.lower()}"
    assert door.sessions.listed() == {}
    assert tries(phone, what, right(door, what)) == ""
    (kept,) = door.sessions.listed().values()
    now = door.settings.now
    shown = {"PIN": (now.pin_number, 0), "code": (0, now.join_number), "card": (now.pin_number, 0)}
    assert (kept.host, kept.code) == shown[what]


@WHAT
def test_guesser_waits_and_nobody_else_does(door, what):
    guesser, other = door.phone("10.0.0.7"), door.phone("10.0.0.8")
    for _ in range(FREE_GUESSES):
        assert tries(guesser, what, "00000") == f"wrong-{what.lower()}"

    assert tries(guesser, what, right(door, what)) == "too-often"
    assert tries(other, what, right(door, what)) == ""
    assert tries(guesser, what, right(door, what)) == "too-often", "though another one knew it"
    door.time_s += 60
    assert tries(guesser, what, right(door, what)) == ""


@WHAT
def test_guesses_are_logged_with_who_guessed_what(door, what, caplog):
    phone = door.phone()
    for _ in range(FREE_GUESSES + 1):
        tries(phone, what, "00000")

    assert caplog.messages == [f"wrong {what} from 10.0.0.7"] * FREE_GUESSES + [
        f"{what} guessing from 10.0.0.7 is slowed for 60 s"
    ]


def test_who_is_slowed_is_told_how_long(door):
    phone = door.phone()
    for _ in range(FREE_GUESSES):
        phone.try_pin("000000")
    door.time_s += 20

    answer = phone.client.post("/do", json={}, headers={"X-Snake-Eye": phone.token})

    assert answer.get_json() == {"code": "too-often", "detail": "", "wait": 40}


@WHAT
def test_right_one_makes_up_for_the_wrong_ones_before(door, what):
    phone = door.phone()
    for told in ["00000"] * (FREE_GUESSES - 1) + [right(door, what)] + ["00000"]:
        tries(phone, what, told)

    assert tries(phone, what, right(door, what)) == ""


@WHAT
def test_at_a_new_pin_and_a_new_code_everybody_begins_anew(door, what):
    phone = door.phone()
    for _ in range(FREE_GUESSES):
        tries(phone, what, "00000")

    door.settings.change(**door.settings.with_code(), **door.settings.with_pin(PIN))

    assert tries(phone, what, right(door, what)) == ""


def test_wrong_guesses_of_one_kind_do_not_count_for_another(door):
    phone = door.phone()
    for _ in range(FREE_GUESSES):
        phone.try_code("00000")

    assert phone.try_pin(PIN) == ""


def test_code_may_be_typed_in_small_letters_with_spaces_around(door):
    assert door.phone().try_code(f" {door.settings.now.join_code.lower()} ") == ""


@WHAT
def test_what_is_no_text_is_a_wrong_guess(door, what):
    assert tries(door.phone(), what, "\ud800") == f"wrong-{what.lower()}"


# --- headers -------------------------------------------------------------------------------------


def headers_of(client: FlaskClient, path: str = "/me", host: str = "pi.local") -> Any:
    return client.get(path, headers={"Host": host}).headers


@pytest.mark.parametrize("path", ["/me", "/unsaid", "/nothing"])
def test_every_answer_carries_safe_headers_also_a_refusal(door, path):
    headers = headers_of(door.app.test_client(), path)

    assert "script-src 'self'" in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Permissions-Policy"].startswith("camera=(self), microphone=()")
    assert headers["Cache-Control"] == "no-store"


def test_what_may_be_kept_says_so_itself(door):
    assert headers_of(door.app.test_client(), "/kept").getlist("Cache-Control") == ["max-age=9"]


@pytest.mark.parametrize("host", ["localhost", "localhost:8080", "127.0.0.1:8080"])
def test_page_is_alone_in_its_window_where_browsers_trust_the_line(door, host):
    plain, secure = door.app.test_client(), front(door).client

    assert headers_of(plain, host=host)["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers_of(secure)["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "Cross-Origin-Opener-Policy" not in headers_of(plain)
