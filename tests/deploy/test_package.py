"""The package's scripts as they are installed, as real users: what is read, written and kept.

What needs a system of its own, installation and removal, is tried by ``make test-deploy``.
"""

import os
import re
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from companion_app.whole_file import write_whole

DEBIAN = Path(__file__).parents[2] / "deploy/debian"
SERVICE = 65534
"""The user ``nobody``, who stands for the service's."""
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("runuser") is None, reason="only root can become others"
)
PLACES = (
    "/usr/lib/snake-eye",
    "/var/lib/snake-eye",
    "/etc/snake-eye",
    "/opt/snake-eye",
    "/var/tmp",
)


class Machine:
    """A folder that stands for a machine's root, with two environments, the second one running."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for place in PLACES:
            (root / place[1:]).mkdir(parents=True)
        self.program, self.state = root / "usr/lib/snake-eye", root / "var/lib/snake-eye"
        os.chown(self.state, SERVICE, SERVICE)
        (root / "var/tmp").chmod(0o1777)
        for name in ("common.sh", "take-over-1.0.0.sh", "bin/snake-eye", "bin/snake-eye-rollback"):
            text = (DEBIAN / name).read_text(encoding="utf-8")
            for place in PLACES:
                text = re.sub(rf"(?<![\w$}}]){place}", f"{root}{place}", text)
            text = text.replace("-u snake-eye", "-u nobody")
            if name == "common.sh":
                text += "\nhas_systemd() { false; }\n"
            self.write(self.program / Path(name).name, text)
        for number in ("1", "2"):
            self.does('echo ran "$@" "${SNAKE_EYE_HOME-none}"', number)
            self.write(self.program / f"environments/{number}/bin/python", "#!/bin/sh\n")
        for link, number in (("before", "1"), ("current", "2")):
            (self.program / link).symlink_to(self.program / "environments" / number)
        self.as_service("mkdir", "-p", self.state / "home/games")

    @staticmethod
    def write(file: Path, text: str) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        file.chmod(0o755)

    def does(self, doing: str, number: str = "2") -> None:
        """Say what the program of an environment does."""
        file = self.program / f"environments/{number}/bin/snake-eye"
        self.write(file, f"#!/bin/sh\n{doing}\n")

    @staticmethod
    def as_service(*command: object) -> None:
        subprocess.run(["runuser", "-u", "nobody", "--", *map(str, command)], check=True)

    def shell(self, text: str, *arguments: str, user: int = 0, **environment: str):
        """Run a script of the machine, or a line that reads ``common.sh``, in /etc/snake-eye."""
        file = self.program / text
        line = ["/bin/sh", str(file)] if file.is_file() else ["/bin/sh", "-euc", text, "sh"]
        return subprocess.run(
            [*line, *arguments],
            cwd=self.root / "etc/snake-eye",
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", **environment},
            user=user,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )


@pytest.fixture
def machine():
    root = Path(tempfile.mkdtemp(prefix="snake-eye-machine-"))
    root.chmod(0o755)
    yield Machine(root)
    shutil.rmtree(root)


def facts(path: Path) -> tuple[int, int, int]:
    found = path.lstat()
    return found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)


# --- The command ---


@needs_root
@pytest.mark.parametrize(
    "asked", [["--with-secrets", "games.zip"], ["games.zip", "--with-secrets"]]
)
def test_root_gives_the_service_a_file_wherever_its_options_stand(machine, asked):
    machine.write(machine.root / "etc/snake-eye/games.zip", "kept")
    machine.does('for last; do [ ! -f "$last" ] || cat "$last"; done; echo " $*"; id -u')

    ran = machine.shell("snake-eye", "restore", *asked)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.startswith("kept restore ")
    assert "--with-secrets" in ran.stdout
    assert ran.stdout.split()[-1] == str(SERVICE)
    assert list((machine.root / "var/tmp").iterdir()) == []


@needs_root
def test_root_gives_the_service_folders_of_photos(machine):
    photos = machine.root / "etc/snake-eye/my photos"
    machine.write(photos / "1.jpg", "one")
    photos.chmod(0o700)
    machine.does('ls "$4"')

    ran = machine.shell("snake-eye", "teach", "ropes", "--photos", "my photos")

    assert (ran.stdout, ran.stderr) == ("1.jpg\n", "")


@needs_root
@pytest.mark.parametrize("asked", [["card", "--out"], ["hall", "backup"], ["backup", "--json"]])
def test_what_the_service_writes_is_the_callers_and_no_file_is_written_over(machine, asked):
    machine.does('for last; do :; done; echo written >"$last"; exit 1')

    ran = machine.shell("snake-eye", *asked, "new.zip", SUDO_UID="1000", SUDO_GID="1000")
    again = machine.shell("snake-eye", *asked, "new.zip")

    out = machine.root / "etc/snake-eye/new.zip"
    assert (ran.returncode, ran.stderr) == (1, ""), "what it wrote is kept, whatever it says"
    assert (out.read_text(), facts(out)) == ("written\n", (1000, 1000, 0o600))
    assert again.returncode == 1
    assert "new.zip exists already; name a new file" in again.stderr


@needs_root
def test_link_that_the_service_hands_back_makes_nobody_owner_of_anything(machine):
    secret = machine.root / "etc/shadow"
    machine.write(secret, "root's")
    secret.chmod(0o600)
    machine.does(f'ln -s {secret} "$3"')

    machine.shell("snake-eye", "card", "--out", "card.svg", SUDO_UID="1000", SUDO_GID="1000")

    out = machine.root / "etc/snake-eye/card.svg"
    assert facts(secret) == (0, 0, 0o600)
    assert not out.exists() or out.read_text() == ""


@needs_root
@pytest.mark.parametrize("command", ["card", "hall", "pin", "doctor"])
def test_command_says_where_the_service_is_needed(machine, command):
    ran = machine.shell("snake-eye", command, user=1000)

    assert ran.returncode == 1
    assert f"type: sudo snake-eye {command}" in ran.stderr


@needs_root
@pytest.mark.parametrize("user", [0, 1000])
def test_whoever_asks_of_his_own_files_works_in_a_home_of_his_own(machine, user):
    ran = machine.shell("snake-eye", "referee", "game.json", user=user)

    assert (ran.stdout.split(), ran.stderr) == (["ran", "referee", "game.json", "none"], "")


# --- Updates ---


@needs_root
def test_update_keeps_three_backups_and_follows_no_name_or_link(machine):
    precious, elsewhere = machine.root / "etc/precious", machine.root / "etc/folder"
    machine.write(precious, "root's")
    elsewhere.mkdir()
    hidden = Path(f"{machine.state}/backups/a\n{precious}\n")
    machine.as_service("mkdir", "-p", hidden)
    for number in range(5):
        machine.as_service("touch", hidden / f"before-update-{number}.zip")
        machine.as_service("touch", machine.state / f"backups/before-update-2000010{number}.zip")
    machine.does('id -u >"$2"')
    back_up = f'. {machine.program}/common.sh; back_up "$current/bin/snake-eye"'

    done = machine.shell(back_up)

    assert (done.returncode, done.stderr, precious.read_text()) == (0, "", "root's")
    kept = sorted(path.name for path in (machine.state / "backups").glob("before-update-*.zip"))
    assert kept[:2] == ["before-update-20000103.zip", "before-update-20000104.zip"]
    assert len(kept) == 3
    assert (machine.state / "backups" / kept[2]).read_text() == f"{SERVICE}\n"

    shutil.rmtree(machine.state / "backups")
    machine.as_service("ln", "-s", elsewhere, machine.state / "backups")

    assert machine.shell(back_up).returncode != 0
    assert list(elsewhere.iterdir()) == []


@needs_root
def test_rollback_lets_the_version_before_go_on_and_a_second_one_goes_back(machine):
    first = machine.shell("snake-eye-rollback")
    between = (machine.program / "current").readlink()
    second = machine.shell("snake-eye-rollback")

    assert (first.returncode, first.stderr, second.stderr) == (0, "", "")
    assert between.name == "1"
    assert (machine.program / "current").readlink().name == "2"


@needs_root
def test_rollback_refuses_arguments_and_says_when_there_is_no_version_before(machine):
    asked = machine.shell("snake-eye-rollback", "--help")
    (machine.program / "before").unlink()
    alone = machine.shell("snake-eye-rollback")

    assert "it lets the version before go on" in asked.stderr
    assert "no version before this one lies at hand" in alone.stderr
    assert (machine.program / "current").readlink().name == "2"


@needs_root
def test_what_the_installer_of_1_0_0_left_is_the_version_before_until_the_next_update(machine):
    former = machine.root / "opt/snake-eye"
    machine.write(former / "releases/1.0.0/.venv/bin/snake-eye", "#!/bin/sh\n")
    (former / "current").symlink_to(former / "releases/1.0.0")
    (machine.program / "current").unlink()
    take_over = f". {machine.program}/common.sh; . {machine.program}/take-over-1.0.0.sh"

    machine.shell(take_over)
    taken = (machine.program / "current").readlink()
    machine.shell(
        f'{take_over}; point "$before" {taken}; point "$current" "$program/environments/2"'
    )
    assert former.exists()
    machine.shell(f'{take_over}; point "$before" /newer')
    machine.shell(take_over)

    assert taken == former / "releases/1.0.0/.venv"
    assert not former.exists()


@needs_root
def test_hall_that_named_a_broker_goes_on_without_it(machine):
    hall = machine.root / "etc/snake-eye/hall.env"
    machine.write(hall, 'HALL_ARGS="--port 8090 --broker 10.0.0.1 --broker-port=8883 --demo 3"\n')

    ran = machine.shell(f". {machine.program}/common.sh; . {machine.program}/take-over-1.0.0.sh")

    assert hall.read_text() == 'HALL_ARGS="--port 8090 --demo 3"\n'
    assert "named a broker" in ran.stdout


# --- What is written is written anew ---


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
