"""The scripts and units of deploy: checked by the tools made for that, held to the settings."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

import pytest

DEPLOY = Path(__file__).parents[2] / "deploy"
DEBIAN = DEPLOY / "debian"
CALLED = [
    *sorted(DEPLOY.glob("*.sh")),
    *sorted((DEBIAN / "bin").iterdir()),
    DEPLOY.parent / "tests/pi_root/make-root",
]
SCRIPTS = [
    *CALLED,
    *sorted(DEBIAN.glob("*.sh")),
    *(DEBIAN / f"snake-eye.{when}" for when in ("postinst", "prerm", "postrm")),
]
HALL_UNITS = ("snake-eye.snake-eye-hall.service", "snake-eye.snake-eye-reader.service")
EXPOSED_AT_MOST = 20
"""Tenths, as ``systemd-analyze security`` counts: 0 is closed, 100 open; a usual service has 96."""


def made_key(folder: Path, name: str) -> Path:
    """Return a new secret key of minisign; its public one lies beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    secret = folder / f"{name}.key"
    subprocess.run(
        ["minisign", "-G", "-W", "-f", "-p", folder / f"{name}.pub", "-s", secret],
        check=True,
        capture_output=True,
    )
    return secret


def have(program: str, package: str) -> None:
    """Install a tool where that is possible without a password; skip with the reason elsewhere."""
    if shutil.which(program) is None:
        asked = subprocess.run(
            [DEPLOY / "system-packages.sh", f"command -v {program}", package],
            capture_output=True,
            text=True,
            check=False,
        )
        if asked.returncode:
            pytest.skip(asked.stderr.strip().splitlines()[-1])


def test_shell_scripts_are_clean():
    have("shellcheck", "shellcheck")

    checked = subprocess.run(
        ["shellcheck", "--external-sources", *SCRIPTS],
        cwd=DEPLOY.parent,
        capture_output=True,
        text=True,
        check=False,
    )

    assert checked.stdout == ""
    assert checked.returncode == 0


@pytest.mark.parametrize("script", CALLED, ids=lambda path: path.name)
def test_script_can_be_called_and_stops_at_the_first_failure(script):
    text = script.read_text(encoding="utf-8")

    assert os.access(script, os.X_OK)
    assert re.search(r"^set -eu", text, re.MULTILINE)


# --- Units ---


def unit(name: str) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for line in (DEBIAN / name).read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            values.setdefault(key, []).append(value)
    return values


def test_service_has_a_watchdog_and_is_started_again():
    service = unit("snake-eye.service")

    assert service["Type"] == ["notify"]
    assert int(service["WatchdogSec"][0]) > 0
    assert service["Restart"] == ["always"]
    assert service["KillMode"] == ["mixed"], "only the supervisor is told to stop"
    assert service["User"] == ["snake-eye"]


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this system has no systemd")
def test_units_are_sound(tmp_path):
    for name in ("snake-eye.service", *HALL_UNITS):
        text = (DEBIAN / name).read_text(encoding="utf-8")
        # The program is installed elsewhere; a unit that names none cannot be looked at.
        (tmp_path / name).write_text(re.sub("ExecStart=.*", "ExecStart=/bin/true", text))

    checked = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", *sorted(tmp_path.iterdir())],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "SYSTEMD_LOG_LEVEL": "3"},
    )

    ours = [line for line in checked.stderr.splitlines() if "snake-eye" in line]
    assert ours == []


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="this system has no systemd")
def test_service_is_closed_to_what_it_does_not_need():
    checked = subprocess.run(
        [
            "systemd-analyze",
            "security",
            "--offline=true",
            "--no-pager",
            f"--threshold={EXPOSED_AT_MOST}",
            DEBIAN / "snake-eye.service",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if "unrecognized option" in checked.stderr:
        pytest.skip("this systemd is too old to judge a unit that is not installed")

    assert checked.returncode == 0, checked.stdout[-300:]


def test_announcement_is_sound_xml_with_the_usual_port():
    tree = ElementTree.parse(DEPLOY / "snake-eye-avahi.service")

    assert tree.findtext("service/port") == "8080"


def test_places_agree_with_the_units():
    places = (DEBIAN / "common.sh").read_text(encoding="utf-8")
    service = unit("snake-eye.service")

    assert "state=/var/lib/snake-eye\nhome=$state/home\n" in places
    assert "settings=/etc/snake-eye/snake-eye.toml" in places
    assert "SNAKE_EYE_SETTINGS=/etc/snake-eye/snake-eye.toml" in service["Environment"]
    assert "SNAKE_EYE_HOME=/var/lib/snake-eye/home" in service["Environment"]
    assert service["ExecStart"][0].startswith("/usr/lib/snake-eye/current/bin/python")


def test_settings_are_read_by_root_and_the_service_alone():
    script = (DEBIAN / "snake-eye.postinst").read_text(encoding="utf-8")

    assert 'chown -h root:snake-eye "$settings"\nchmod 640 "$settings"\n' in script


def test_threat_model_names_tests_that_exist():
    text = (DEPLOY / "SECURITY.md").read_text(encoding="utf-8")
    threats = text.partition("## Who may call what")[0]
    rows = [line for line in threats.splitlines() if line.startswith("| ")][1:]

    assert len(rows) > 15
    for row in rows:
        named = re.findall(r"`(tests/[^`]+\.py)(?:::(\w+))?`", row.split("|")[-2])
        assert named, row
        for file, test in named:
            code = (DEPLOY.parent / file).read_text(encoding="utf-8")
            assert not test or f"def {test}(" in code, f"{file}::{test}"


def test_threat_model_names_each_threat_once():
    text = (DEPLOY / "SECURITY.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \|", text.partition("## Who may call what")[0], re.MULTILINE)
    beginnings = Counter(re.split(r"[:,]", row)[0] for row in rows if not row.startswith("hall"))

    assert [row for row, times in beginnings.items() if times > 1] == []
    assert sum("MQTT" in row for row in rows) == 1


def test_readme_fits_on_one_screen_and_lists_what_no_pi_has_shown():
    readme = (DEPLOY / "README.md").read_text(encoding="utf-8")

    assert len(readme.splitlines()) <= 60
    assert "-m pytest -m pi tests/vision/sources" in readme


# --- The audit of dependencies ---

PIN = "flask==3.1.3 \\\n    --hash=sha256:0\n    # via snake-eye\n"
"""A lock as uv writes it."""


def audited(lock: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, DEPLOY / "audit_locks.py", lock],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PIN.replace("==", ">="), "not pinned by version and hash: flask>=3.1.3"),
        ("flask==3.1.3\n", "not pinned by version and hash: flask==3.1.3"),
        ("flask @ https://example.org/f.whl \\\n --hash=sha256:0\n", "not pinned by version"),
        (PIN.replace("3.1.3", "3.0.9"), "flask 3.0.9: CVE-2025-47278, fixed in 3.1.1"),
        (PIN.replace("flask==3.1.3", "numpy==0.0.1"), "is installed, and 0.0.1 is locked"),
    ],
    ids=["no-version", "no-hash", "from-anywhere", "known-weak", "another-is-installed"],
)
def test_audit_without_the_network_names_what_is_wrong(tmp_path, text, words):
    lock = tmp_path / "run.lock"
    lock.write_text(text)

    said = audited(lock)

    assert said.returncode == 1
    assert words in said.stdout


def test_audit_without_the_network_notices_a_file_that_was_changed(tmp_path):
    lock, info = tmp_path / "run.lock", tmp_path / "blinker-1.9.0.dist-info"
    lock.write_text(PIN.replace("flask==3.1.3", "blinker==1.9.0"))
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: blinker\nVersion: 1.9.0\n")
    (info / "RECORD").write_text(
        "blinker.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
    )
    (tmp_path / "blinker.py").touch()
    command = [sys.executable, "-S", DEPLOY / "audit_locks.py", lock]
    beside = {"PYTHONPATH": str(tmp_path)}
    whole = subprocess.run(command, env=beside, capture_output=True, text=True, check=False)
    (tmp_path / "blinker.py").write_text("steal()")
    changed = subprocess.run(command, env=beside, capture_output=True, text=True, check=False)

    assert (whole.returncode, changed.returncode) == (0, 1)
    assert "blinker: blinker.py was changed after it was installed" in changed.stdout


@pytest.mark.parametrize("lock", ["run.lock", "dev.lock"])
def test_locks_are_pinned_and_have_no_known_weakness(lock):
    said = audited(DEPLOY.parent / "requirements" / lock).stdout

    assert "not pinned" not in said
    assert "fixed in" not in said


@pytest.mark.parametrize(
    ("listed", "status", "words"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], 0, "1 libraries, no weakness is known"),
        (
            [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1", "fix_versions": ["2"]}]}],
            1,
            "a 1: PYSEC-1, fixed in 2",
        ),
        ([{"name": "a", "skip_reason": "not found"}], 2, "knows nothing of 1 of 1 libraries"),
        ([], 2, "knows nothing of 0 of 0"),
        (None, 2, "gives no answer"),
    ],
    ids=["clean", "weak", "not-asked", "nothing", "no-answer"],
)
def test_audit_never_takes_silence_for_health(tmp_path, listed, status, words):
    answer = tmp_path / "answer.json"
    answer.write_text("" if listed is None else json.dumps({"dependencies": listed}))

    said = subprocess.run(
        [sys.executable, DEPLOY / "audit_answer.py", "run.lock", "pypi", answer],
        capture_output=True,
        text=True,
        check=False,
    )

    assert said.returncode == status
    assert words in said.stdout + said.stderr


# --- The hall ---


def written(name: str) -> str:
    return (DEBIAN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", HALL_UNITS)
def test_service_of_the_hall_is_as_closed_as_that_of_a_table(name):
    closed = re.search(
        r"NoNewPrivileges.*?SystemCallErrorNumber=\w+", written("snake-eye.service"), re.DOTALL
    )

    assert closed is not None
    assert closed[0] in written(name)


def test_compose_file_of_the_hall_has_the_form_that_compose_reads():
    compose = json.loads((DEPLOY / "hall-compose.json").read_text(encoding="utf-8"))

    assert set(compose) == {"name", "services", "volumes", "secrets"}
    assert set(compose["services"]) == {"database", "hall", "reader"}
    for service in compose["services"].values():
        assert ("image" in service) != ("build" in service)
        assert set(service.get("secrets", ())) <= set(compose["secrets"])
        assert set(service.get("depends_on", ())) <= set(compose["services"])
