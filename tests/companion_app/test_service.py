"""The service: settings become arguments, systemd is told the truth, https passes the page on."""

import os
import shutil
import socket
import ssl
import subprocess
import sys
from http.client import HTTPSConnection

import pytest
from flask import Flask, request

from companion_app.listening import listening
from companion_app.live.store import Store
from companion_app.service import TRY_AGAIN, arguments_of, main, page_answers
from companion_app.settings import Settings
from companion_app.web.serving.certificate import MAKE_CERTIFICATE, server_context
from companion_app.web.serving.page_file import SettingsFile
from companion_app.web.serving.web_server import Server


def test_settings_become_arguments():
    assert arguments_of(Settings()) == ["run", "--json", "--host", "0.0.0.0", "--port", "8080"]
    assert arguments_of(Settings(source="pi", game="sssnake"))[-5:] == [
        "--source",
        "pi",
        "--game",
        "sssnake",
        "--resume",
    ]
    assert arguments_of(Settings(https=True))[-2:] == ["--https-port", "8443"]


def test_mistake_in_the_settings_ends_the_service_with_its_line(tmp_path, monkeypatch, capsys):
    (tmp_path / "s.toml").write_text("[page]\nprot = 1\n", encoding="utf-8")
    monkeypatch.setenv("SNAKE_EYE_SETTINGS", str(tmp_path / "s.toml"))

    assert main() == 2
    assert "line 2: [page] has no setting prot" in capsys.readouterr().err


def test_service_that_cannot_keep_games_now_is_started_again(tmp_path, monkeypatch, capfd):
    (tmp_path / "usual.toml").touch()
    monkeypatch.setenv("SNAKE_EYE_SETTINGS", str(tmp_path / "usual.toml"))
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))

    with Store(tmp_path):
        assert main() == TRY_AGAIN

    assert "stop it first" in capfd.readouterr().err


def test_journal_never_has_the_pin(tmp_path):
    (tmp_path / "usual.toml").write_text("[page]\nhost = '127.0.0.1'\nport = 1\n", encoding="utf-8")
    usual = {"SNAKE_EYE_SETTINGS": str(tmp_path / "usual.toml"), "SNAKE_EYE_HOME": str(tmp_path)}
    command = [sys.executable, "-m", "companion_app.service"]

    with Store(tmp_path):
        # It ends at once, since the games are another's; by then it has made its PIN.
        subprocess.run(command, env={**os.environ, **usual}, timeout=60, check=False)

    assert SettingsFile(tmp_path / "page.json").made_pin is None, "run has none left to say"


# --- https ---


@pytest.fixture
def server():
    app = Flask(__name__)
    app.add_url_rule("/health", "health", lambda: "well")
    app.add_url_rule("/table", "table", lambda: f"{request.scheme} for {request.remote_addr}")
    server = Server(app, "127.0.0.1", 0)
    server.start()
    yield server
    server.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("this system has no openssl")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run([MAKE_CERTIFICATE, folder], check=True, capture_output=True)
    return folder


def test_health_of_a_page_is_asked(server):
    assert page_answers(Settings(port=server.port))
    assert not page_answers(Settings(host="127.0.0.1", port=1))


def https(server, folder):
    """Serve over https; return the port, and how a phone encrypts that trusts the authority."""
    sock = listening("127.0.0.1", 0)
    server.open_https(sock, server_context(folder))
    trusting = ssl.create_default_context(cafile=folder / "authority.pem")
    return sock.getsockname()[1], trusting


def test_https_shows_the_page_to_who_trusts_the_authority(certificate, server):
    port, trusting = https(server, certificate)

    # A phone that connects and stays silent holds up nobody.
    with socket.create_connection(("127.0.0.1", port)):
        connection = HTTPSConnection(
            "localhost", port, context=trusting, timeout=10, source_address=("127.0.0.5", 0)
        )
        connection.request("GET", "/table")
        answer = connection.getresponse().read()
        connection.close()

    assert answer == b"https for 127.0.0.5"


def test_certificate_that_still_fits_is_left_alone(certificate):
    before = (certificate / "server.pem").read_bytes()

    subprocess.run([MAKE_CERTIFICATE, certificate], check=True, capture_output=True)

    assert (certificate / "server.pem").read_bytes() == before


def test_certificate_for_other_addresses_is_made_anew_by_the_same_authority(certificate):
    server, authority = (certificate / name for name in ("server.pem", "authority.pem"))
    before = server.read_bytes(), authority.read_bytes()
    (certificate / "names").write_text("IP:192.0.2.1")

    subprocess.run([MAKE_CERTIFICATE, certificate], check=True, capture_output=True)

    assert server.read_bytes() != before[0]
    assert authority.read_bytes() == before[1]


def vouched_for(folder, name):
    """Say whether a phone that trusts the authority would believe a certificate of its key."""
    work = folder.parent / "stolen"
    work.mkdir(exist_ok=True)
    subprocess.run(
        [
            "openssl",
            "req",
            "-new",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            work / "key",
            "-subj",
            "/O=x",
            "-out",
            work / "request",
        ],
        check=True,
        capture_output=True,
    )
    (work / "extensions").write_text(f"subjectAltName={name}\nbasicConstraints=CA:FALSE\n")
    subprocess.run(
        [
            "openssl",
            "x509",
            "-req",
            "-in",
            work / "request",
            "-CA",
            folder / "authority.pem",
            "-CAkey",
            folder / "authority.key",
            "-set_serial",
            "7",
            "-days",
            "1",
            "-extfile",
            work / "extensions",
            "-out",
            work / "made.pem",
        ],
        check=True,
        capture_output=True,
    )
    said = subprocess.run(
        ["openssl", "verify", "-CAfile", folder / "authority.pem", work / "made.pem"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 0 or "permitted subtree violation" in said.stderr
    return said.returncode == 0


@pytest.mark.parametrize(
    ("name", "is_own"),
    [
        ("DNS:snake-eye.local", True),
        ("DNS:localhost", True),
        ("IP:192.168.178.20", True),
        ("IP:10.42.0.1", True),
        ("IP:fd00::5", True),
        ("DNS:bank.example", False),
        ("DNS:local", False),
        ("DNS:printer.local", False),
        ("DNS:snake-eye.local.evil.example", False),
        ("DNS:xsnake-eye.local", False),
        ("IP:93.184.216.34", False),
        ("IP:2001:db8::1", False),
        ("DNS:snake-eye.local,DNS:bank.example", False),
    ],
)
def test_authority_vouches_for_this_machine_alone(certificate, name, is_own):
    assert vouched_for(certificate, name) == is_own


def test_further_name_of_the_machine_is_vouched_for_once_the_host_has_set_it(tmp_path, server):
    make = [MAKE_CERTIFICATE, tmp_path / "tls"]
    subprocess.run(make, check=True, capture_output=True)
    assert not vouched_for(tmp_path / "tls", "DNS:snake-eye.fritz.box")

    subprocess.run([*make, "snake-eye.fritz.box"], check=True, capture_output=True)

    assert vouched_for(tmp_path / "tls", "DNS:snake-eye.fritz.box")
    assert not vouched_for(tmp_path / "tls", "DNS:other.fritz.box")
    port, trusting = https(server, tmp_path / "tls")
    with socket.create_connection(("127.0.0.1", port), timeout=10) as line:
        trusting.wrap_socket(line, server_hostname="snake-eye.fritz.box").close()


@pytest.mark.parametrize("name", ["a,DNS:bank.example", "a\nb", "", "a b", "$(reboot)", "ä.box"])
def test_name_that_is_none_makes_no_certificate(tmp_path, name):
    made = subprocess.run(
        [MAKE_CERTIFICATE, tmp_path / "tls", name], check=False, capture_output=True
    )

    assert made.returncode == 1
    assert not (tmp_path / "tls/authority.pem").exists()


def test_authority_that_is_bound_to_nothing_is_replaced(tmp_path):
    folder = tmp_path / "tls"
    folder.mkdir()
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-keyout",
            folder / "authority.key",
            "-subj",
            "/CN=Snake Eye",
            "-out",
            folder / "authority.pem",
        ],
        check=True,
        capture_output=True,
    )
    assert vouched_for(folder, "DNS:bank.example")

    subprocess.run([MAKE_CERTIFICATE, folder], check=True, capture_output=True)

    assert not vouched_for(folder, "DNS:bank.example")
    assert vouched_for(folder, "DNS:snake-eye.local")


def test_keys_are_for_the_service_alone(certificate):
    assert (certificate / "server.key").stat().st_mode & 0o077 == 0
    assert (certificate / "authority.key").stat().st_mode & 0o077 == 0
