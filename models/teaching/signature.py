"""Who signed a taught box: the hashes of its files, signed with the tool minisign.

Beside the box lie ``NAME.sums``, as ``sha256sum`` writes it, and ``NAME.sums.minisig``. Known
public keys lie in the owner's folder ``keys``, one per file; the file's name says whose key it is.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from models.teaching.errors import TeachingError

SUMS, SIGNATURE = ".sums", ".sums.minisig"
LARGEST = 8 << 10
MOST_KEYS = 200
PATIENCE_S = 20.0
KEY_NAME = re.compile(r"[\w][\w .-]{0,39}\.pub")
State = Literal["unsigned", "signed", "unknown-key", "changed", "unchecked"]


@dataclass(frozen=True, slots=True)
class Signed:
    """The state of a box's signature."""

    state: State
    """``unchecked``: it could not be verified, for example without minisign on this machine."""
    by: str = ""
    """Who signed, as the owner calls the key, or the number of an unknown key."""


def can_check() -> bool:
    """Say whether this machine has minisign."""
    return shutil.which("minisign") is not None


def signed_by(folder: Path, name: str, files: tuple[str, ...], keys: Path) -> Signed:
    """Say who signed a box.

    Args:
        folder: the folder with its files.
        name: name of the box.
        files: the names of all its files.
        keys: the folder of known public keys.
    """
    sums, signature = folder / f"{name}{SUMS}", folder / f"{name}{SIGNATURE}"
    if not sums.is_file() or not signature.is_file():
        return Signed("unsigned")
    number = _number(_start(signature))
    known = next((key for key in _keys(keys) if _number(_start(key)) == number), None)
    if known is None or not number:
        return Signed("unknown-key", _printed(number) or "?")
    if not can_check():
        return Signed("unchecked", known.stem)
    fits = _start(sums) == _sums(folder, files) and _verified(sums, signature, known)
    return Signed("signed" if fits else "changed", known.stem)


def sign(folder: Path, name: str, files: tuple[str, ...], key: Path) -> None:
    """Sign a box with a secret key; minisign asks for its password if it has one.

    Raises:
        TeachingError: there is no minisign, or the key does not open.
    """
    if not can_check():
        raise TeachingError("minisign is missing; type: sudo apt install minisign")
    sums = folder / f"{name}{SUMS}"
    sums.write_bytes(_sums(folder, files))
    command: list[str | Path] = [
        "minisign",
        "-S",
        "-s",
        key,
        "-m",
        sums,
        "-x",
        folder / f"{name}{SIGNATURE}",
        "-t",
        f"taught box {name}",
    ]
    asked = subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    if asked.returncode:
        raise TeachingError(f"{key.name} does not sign; is it a secret key of minisign?")


def forget_signature(folder: Path, name: str) -> None:
    """Remove the signature of a box whose content or name changes."""
    for end in (SUMS, SIGNATURE):
        (folder / f"{name}{end}").unlink(missing_ok=True)


def _verified(sums: Path, signature: Path, key: Path) -> bool:
    # Key, file and signature are all named, so that minisign uses no default key.
    asked = subprocess.run(
        ["minisign", "-V", "-q", "-p", key, "-m", sums, "-x", signature],
        capture_output=True,
        check=False,
        timeout=PATIENCE_S,
    )
    return asked.returncode == 0


def _sums(folder: Path, files: tuple[str, ...]) -> bytes:
    read = ((file, (folder / file).read_bytes()) for file in sorted(files))
    lines = [f"{hashlib.sha256(data).hexdigest()}  {file}\n" for file, data in read]
    return "".join(lines).encode()


def _keys(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as found:
            names = sorted(one.name for one in found if one.is_file())[:MOST_KEYS]
    except OSError:
        return []
    return [folder / name for name in names if KEY_NAME.fullmatch(name)]


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(LARGEST)


def _printed(number: bytes) -> str:
    """Return a key number as minisign writes it into a public key: without zeros in front."""
    return number.hex().upper().lstrip("0")


def _number(text: bytes) -> bytes:
    """Return the key number in a key or a signature of minisign, or nothing."""
    try:
        # Two bytes for the algorithm, then eight of the key number, which is printed in reverse.
        return base64.b64decode(text.splitlines()[1], validate=True)[2:10][::-1]
    except (IndexError, binascii.Error, ValueError):
        return b""
