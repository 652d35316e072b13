"""Power cuts on a real ext4: the device under a running companion is copied between two moments.

What the kernel has not written yet is not in the copy, as after a power cut; the copy is mounted,
its journal replayed, and the games asked for every move that was announced before it was made.
``python -m tests.faults.block_cut FOLDER SEED COUNT`` wants root and a loop device.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import asdict
from pathlib import Path

from tests.faults.companion import Companion, Phone
from tests.faults.power_cut import Tally
from tests.faults.scripted import Announced, lost_moves

SIZE_MB = 16
SPEED = 12
LONGEST_WAIT_S = 0.4
MOVES = 34
"""How long the recorded game is."""


def can_mount() -> bool:
    """Say whether a device of its own can be mounted here: root, loop devices, ext4."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image"
        tried = f"truncate -s 4M {image} && mkfs.ext4 -q {image} && mount -o loop {image} {folder}"
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-c", tried], capture_output=True, check=False
        )
    return done.returncode == 0


def cut_under_a_running_game(seed: int, count: int) -> Tally:
    """Cut the power so many times, in a process and a name space of its own."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                "unshare",
                "--mount",
                sys.executable,
                "-m",
                "tests.faults.block_cut",
                folder,
                str(seed),
                str(count),
            ],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
        )
    assert done.returncode == 0, done.stderr
    return Tally(**json.loads(done.stdout))


def main(folder: Path, seed: int, count: int) -> Tally:
    """Play on a device of its own and copy it at random moments."""
    chance, tally = random.Random(seed), Tally()
    image, copy = folder / "image", folder / "copy"
    _made(image)
    with mounted(image, folder / "disk") as disk:
        while tally.tried < count:
            life, announced = Companion(disk / "home", "--speed", str(SPEED)), Announced()
            assert life.ready()
            phone = Phone(life.url, announced)
            while tally.tried < count and len(announced.moves) < MOVES:
                time.sleep(chance.random() * LONGEST_WAIT_S)
                said = _cut(life, phone, image, copy)
                with mounted(copy, folder / "after") as after:
                    lost = lost_moves(after / "home", said) if said.moves else 0
                tally.add(len(said.moves), lost)
            life.kill()
            phone.end()
    return tally


def _cut(life: Companion, phone: Phone, image: Path, copy: Path) -> Announced:
    """Copy the device at one moment; return what had been announced by then."""
    family = life.family()
    _told(family, signal.SIGSTOP)
    data = b""
    # The kernel may be writing on its own: only a copy that is the same twice is one moment.
    while data != (again := image.read_bytes()):
        data = again
    phone.quiet()
    said = deepcopy(phone.announced)
    _told(family, signal.SIGCONT)
    copy.write_bytes(data)
    return said


def _told(family: Sequence[int], what: signal.Signals) -> None:
    """Send a signal to all processes of a companion; one may just have ended."""
    for one in family:
        with suppress(ProcessLookupError):
            os.kill(one, what)


def _made(image: Path) -> None:
    with image.open("wb") as file:
        file.truncate(SIZE_MB << 20)
    subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0", image], check=True)


@contextmanager
def mounted(image: Path, at: Path) -> Iterator[Path]:
    """Mount a device for a while."""
    at.mkdir(exist_ok=True)
    subprocess.run(["mount", "-o", "loop", image, at], check=True)
    try:
        yield at
    finally:
        subprocess.run(["umount", at], check=True)


if __name__ == "__main__":
    done = main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
    sys.stdout.write(json.dumps(asdict(done)))
