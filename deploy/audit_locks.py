"""Audits what can be audited without the network; run by ``audit.sh`` with the locks.

It checks that every library is pinned with hashes, that none has a weakness that was known when
this was released, and that this Python's libraries have the locked versions and unchanged files.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, distributions
from pathlib import Path

KNOWN_WEAK = Path(__file__).parent / "known-weak.txt"
PINNED = re.compile(r"([A-Za-z0-9._-]+)==([^ ;\\]+)")
Pins = dict[str, str]


def main(locks: list[str]) -> int:
    """Print what was found; return 1 when something is wrong."""
    wrong: list[str] = []
    pins: Pins = {}
    for lock in locks:
        found, mistakes = read_lock(Path(lock))
        pins |= found
        wrong += mistakes
    wrong += known_weak(pins)
    installed = [one for one in distributions() if _name(one) in pins]
    wrong += [text for one in installed for text in not_as_locked(one, pins)]
    for text in wrong:
        sys.stdout.write(f"{text}\n")
    if not wrong:
        sys.stdout.write(
            f"Without the network: {len(pins)} libraries are pinned by hash, none has a weakness "
            f"of {KNOWN_WEAK.name}, and {len(installed)} are installed as locked.\n"
        )
    return 1 if wrong else 0


def read_lock(path: Path) -> tuple[Pins, list[str]]:
    """Return the versions that a lock pins, and what is wrong with it."""
    pins, wrong = {}, []
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        pinned = PINNED.match(line)
        if pinned is None or "--hash=sha256:" not in line:
            wrong.append(f"{path.name}: not pinned by version and hash: {line.split('--')[0]}")
        else:
            pins[pinned[1].lower()] = pinned[2]
    return pins, wrong


def known_weak(pins: Pins) -> Iterator[str]:
    """Yield every pinned library that has a weakness of the list."""
    for line in KNOWN_WEAK.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        name, fixed, number = line.split()
        if name in pins and _parts(pins[name]) < _parts(fixed):
            yield f"{name} {pins[name]}: {number}, fixed in {fixed}"


def not_as_locked(one: Distribution, pins: Pins) -> Iterator[str]:
    """Yield what differs between an installed library and its lock."""
    name = _name(one)
    if one.version != pins[name]:
        yield f"{name} {one.version} is installed, and {pins[name]} is locked"
    for file in one.files or ():
        if file.hash is None or file.hash.mode != "sha256":
            continue
        path = Path(str(file.locate()))
        if not path.is_file():
            yield f"{name}: {file} is gone"
        elif _hash(path) != file.hash.value:
            yield f"{name}: {file} was changed after it was installed"


def _hash(path: Path) -> str:
    data = hashlib.sha256(path.read_bytes()).digest()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _name(one: Distribution) -> str:
    return str(one.metadata["Name"]).lower().replace("_", "-")


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
