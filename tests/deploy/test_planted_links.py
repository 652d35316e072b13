"""What the service leaves in its folders leads root nowhere: the real scripts, as real users."""

import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from companion_app.whole_file import write_whole

DEPLOY = Path(__file__).parents[2] / "deploy"
SERVICE = 65534
"""The user ``nobody``, who stands for the service's."""
pytestmark = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("runuser") is None, reason="only root can become others"
)
PYTHON = """#!/bin/sh
case "$*" in *setting*|*-c*) echo 8080 ;; esac
"""
SNAKE_EYE = """#!/bin/sh
if [ "$1" = backup ] || [ "$1" = doctor ]; then
    for file; do :; done
    echo "by $(id -u)" >"$file"
fi
"""
MAKE_VENV = """#!/bin/sh
mkdir -p "$1/bin"
for one in python snake-eye; do cp "$(dirname "$0")/stand-in-$one" "$1/bin/$one"; done
"""


@pytest.fixture
def machine():
    """Return a folder that stands for the machine's: scripts, places, and nothing installed."""
    root = Path(tempfile.mkdtemp(prefix="snake-eye-machine-"))
    root.chmod(0o755)
    source = root / "src"
    for part in ("engine", "calibration", "vision", "models", "companion_app", "requirements"):
        (source / part).mkdir(parents=True)
        (source / part / "part").touch()
    shutil.copytree(DEPLOY, source / "deploy")
    places = (source / "deploy/places.sh").read_text(encoding="utf-8")
    for path in ("/opt/", "/etc/", "/var/lib/", "/usr/local/bin/"):
        places = places.replace(f"={path}", f"={root}{path}")
    places = places.replace("user=snake-eye", "user=nobody")
    places += "\nhas_systemd() { false; }\n"
    command = (source / "deploy/snake-eye-command.sh").read_text(encoding="utf-8")
    for path in ("/opt/", "/etc/", "/var/lib/", "/var/tmp/"):
        command = command.replace(path, f"{root}{path}")
    command = command.replace("-u snake-eye", "-u nobody").replace("snake-eye: ", "nobody: ")
    for name, text in {
        "deploy/places.sh": places,
        "deploy/snake-eye-command.sh": command,
        "deploy/system-packages.sh": "#!/bin/sh\n",
        "deploy/make-venv.sh": MAKE_VENV,
        "deploy/stand-in-python": PYTHON,
        "deploy/stand-in-snake-eye": SNAKE_EYE,
        "pyproject.toml": 'version = "1.0.0"\n',
        "README.md": "",
        "LICENSE": "",
        "programs/usermod": "#!/bin/sh\n",
        "requirements/run.lock": "",
    }.items():
        file = source / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)
    for folder in ("usr/local/bin", "etc", "var/lib", "var/tmp"):
        (root / folder).mkdir(parents=True)
    yield root
    shutil.rmtree(root)


def ran(machine: Path, script: str, *arguments: str, **environment: str):
    """Run one of the machine's scripts as root."""
    return subprocess.run(
        ["/bin/sh", machine / script, *arguments],
        cwd=machine / "etc",
        env={"PATH": f"{machine}/src/programs:/usr/sbin:/usr/bin:/sbin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def installed(machine: Path) -> Path:
    """Install, and return the service's folder."""
    done = ran(machine, "src/deploy/install.sh")
    assert done.returncode == 0, done.stderr
    return machine / "var/lib/snake-eye"


def as_service(*command: object) -> None:
    subprocess.run(["runuser", "-u", "nobody", "--", *map(str, command)], check=True)


def facts(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    return found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)


def test_installation_gives_the_service_its_own_folders(machine):
    state = installed(machine)

    assert facts(state)[::2] == (SERVICE, 0o750)
    assert facts(state / "home")[::2] == (SERVICE, 0o700)


def test_settings_with_the_brokers_password_are_read_by_root_and_the_service_alone(machine):
    settings = machine / "etc/snake-eye/snake-eye.toml"
    installed(machine)
    assert facts(settings) == (0, SERVICE, 0o640)
    settings.chmod(0o644)

    installed(machine)

    assert facts(settings) == (0, SERVICE, 0o640)


def test_installation_follows_no_link_in_place_of_the_home(machine):
    state = installed(machine)
    before = facts(machine / "etc")
    as_service("mv", state / "home", state / "aside")
    as_service("ln", "-s", machine / "etc", state / "home")

    again = ran(machine, "src/deploy/install.sh")

    assert facts(machine / "etc") == before
    assert again.returncode != 0
    assert "belongs to somebody else" in again.stderr


def test_update_keeps_three_backups_and_follows_no_name_or_link(machine):
    state = installed(machine)
    precious, elsewhere = machine / "etc/precious", machine / "etc/folder"
    precious.write_text("root's")
    elsewhere.mkdir()
    as_service("touch", state / "home/games.sqlite3")
    hidden = Path(f"{state}/backups/a\n{precious}\n")
    as_service("mkdir", "-p", hidden)
    for number in range(5):
        as_service("touch", hidden / f"before-update-{number}.zip")
        as_service("touch", state / f"backups/before-update-2000010{number}.zip")

    done = ran(machine, "src/deploy/update.sh", "--unsigned", str(machine / "src"))

    assert done.returncode == 0, done.stderr
    assert precious.read_text() == "root's"
    kept = sorted(path.name for path in (state / "backups").glob("before-update-*.zip"))
    assert kept[:2] == ["before-update-20000103.zip", "before-update-20000104.zip"]
    assert len(kept) == 3
    assert (state / "backups" / kept[2]).read_text() == f"by {SERVICE}\n"

    shutil.rmtree(state / "backups")
    as_service("ln", "-s", elsewhere, state / "backups")
    refused = ran(machine, "src/deploy/update.sh", "--unsigned", str(machine / "src"))

    assert refused.returncode != 0
    assert "could not be backed up" in refused.stderr
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("left", ["a link", "a file"])
def test_what_the_service_hands_back_makes_nobody_owner_of_anything(machine, left):
    installed(machine)
    secret = machine / "etc/shadow"
    secret.write_text("root's")
    secret.chmod(0o600)
    current = machine / "opt/snake-eye/current/.venv/bin/snake-eye"
    does = f'ln -s {secret} "$3"' if left == "a link" else 'echo report >"$3"'
    current.write_text(f"#!/bin/sh\n{does}\n")

    done = ran(
        machine,
        "usr/local/bin/snake-eye",
        "card",
        "--out",
        "card.svg",
        SUDO_UID="1000",
        SUDO_GID="1000",
    )

    assert facts(secret) == (0, 0, 0o600)
    out = machine / "etc/card.svg"
    if left == "a link":
        assert not out.exists() or out.read_text() == ""
    else:
        assert (done.returncode, done.stderr) == (0, "")
        assert (out.read_text(), facts(out)) == ("report\n", (1000, 1000, 0o600))
    assert list((machine / "var/tmp").iterdir()) == []


def test_file_is_written_through_no_link_that_lies_in_its_way(tmp_path):
    secret = tmp_path / "shadow"
    secret.write_text("root's")
    home = tmp_path / "home"
    home.mkdir()
    (home / "page.new").symlink_to(secret)

    write_whole(home / "page.json", "{}")

    assert secret.read_text() == "root's"
    assert (home / "page.json").read_text() == "{}"
    assert not (home / "page.json").is_symlink()


def test_file_is_written_into_no_other_name_of_a_file(tmp_path):
    secret = tmp_path / "shadow"
    secret.write_text("root's")
    os.link(secret, tmp_path / "page.new")

    write_whole(tmp_path / "page.json", "{}")

    assert secret.read_text() == "root's"
