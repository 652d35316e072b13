"""Who may do what: PIN, sessions, cross-site requests, limits, headers, files out of reach."""

from __future__ import annotations

import json

import pytest

from companion_app.web.serving.access import PIN_TRIES, SettingsFile


def test_right_pin_makes_a_host_and_a_wrong_one_does_not(played):
    guest = played.guest()

    wrong = guest.post("/api/login", {"pin": "000000"})
    assert wrong.status_code == 403
    assert guest.get("/api/me")["host"] is False

    guest.be_host()
    assert guest.get("/api/me")["host"] is True


def test_pin_guessing_is_slowed_also_for_the_right_one(played):
    guest = played.guest()
    for _ in range(PIN_TRIES):
        guest.post("/api/login", {"pin": "000000"})

    slowed = guest.post("/api/login", {"pin": "424242"})

    assert slowed.status_code == 429
    assert int(slowed.headers["Retry-After"]) > 0
    played.time_s += 61
    assert guest.post("/api/login", {"pin": "424242"}).status_code == 200


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

    assert len(SettingsFile(tmp_path / "page.json").now.pin) == 6


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
        "/static/../web/app.py", "/static/%2e%2e/cli.py", "/static/..%2fcli.py", "/etc/passwd",
        "/static/", "/api/games/../../page.json/record.json", "/games.sqlite3",
        "/api/games/x/pictures/1/..%2f..%2fpage.jpg", "/api/strings/..%2f..%2fcli.json",
        "/api/print/..%2f..%2fx.zip",
    ],
)  # fmt: skip
def test_no_file_outside_its_own_is_reached(played, path):
    answer = played.guest().client.get(path)

    assert answer.status_code in (404, 409)
    assert b"import" not in answer.data


def test_huge_requests_are_refused(played):
    guest = played.guest()

    assert guest.post("/api/tell", {"answer": "x" * 300_000}).status_code == 413
    large = guest.client.post(
        "/api/photo-score", data=b"0" * 26_000_000, headers={"X-Snake-Eye": guest.token},
        content_type="multipart/form-data; boundary=x",
    )  # fmt: skip
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
