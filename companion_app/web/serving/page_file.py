"""What the page keeps between starts: its settings, the hash of the PIN, the join code."""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from companion_app.live.errors import StoreError
from companion_app.web.serving.errors import BadRequest
from companion_app.web.serving.roles import PARTS, ROLES

PIN_COST = 2**14
"""Of scrypt: 16 MB and some 50 ms a guess, for whoever got hold of the file."""
CODE_LETTERS = "BCDFGHJKLMNPRSTVWXZ"
"""No vowels, so that no code is a word; nothing that looks like a digit."""
CODE_LENGTH = 5


@dataclass(frozen=True)
class Settings:
    """What is kept between starts, on this device only."""

    secret: str
    """Signs the session cookies."""
    pin_hash: str
    pin_number: int = 1
    """Grows with every change of the PIN, so that old sessions end."""
    players_answer: bool = True
    """Whether seats may answer questions, tell rolls and pass; else only the host."""
    pictures_mb: int = 500
    """How much room kept pictures may take."""
    source: str = ""
    """The camera that was chosen on the page; empty: the first that is found."""
    join_code: str = ""
    """Whoever knows it may take a seat."""
    join_number: int = 1
    """Grows with every change of the code, so that old seats end."""
    open_to: Mapping[str, str] = field(default_factory=dict)
    """Parts of the page and the role from which on they are open, where the host set one."""
    names: tuple[str, ...] = ()
    """Names of this machine that the page may be opened by, besides those of every home."""
    old_cookies: int = 0
    """The number of the PIN whose cookies of version 0.1.0 still make a host; 0 for none."""

    def least(self, part: str) -> str:
        """Return the role from which on a part of the page is open."""
        if part == "telling" and not self.players_answer:
            return "host"
        chosen = self.open_to.get(part)
        known = PARTS[part]
        return chosen if known.settable and chosen in ROLES else known.least


class SettingsFile:
    """The settings and the file they are kept in; ``pin --new`` may change it meanwhile."""

    def __init__(self, path: Path, pin_cost: int = PIN_COST) -> None:
        self._path, self._cost = path, pin_cost
        self._lock = threading.RLock()
        self._checking = threading.Lock()
        self._mark: tuple[int, int, int] | None = None
        self.made_pin: str | None = None
        """The PIN where this start made one, to be shown once; it is not kept."""
        self._now = self._read()

    @property
    def now(self) -> Settings:
        """The settings as they are kept right now."""
        with self._lock:
            mark = self._stamp()
            if mark is not None and mark != self._mark:
                self._now = self._read()
            return self._now

    def change(self, **changes: object) -> Settings:
        """Change settings and keep them; what cannot be kept is not changed.

        Raises:
            StoreError: the disk is full, or cannot be written.
        """
        with self._lock:
            try:
                self._write(replace(self.now, **changes))  # type: ignore[arg-type]
            except OSError as error:
                raise StoreError(f"settings cannot be kept: {error.strerror}") from error
            return self._now

    def change_pin(self, pin: str) -> None:
        """Change the PIN; everybody else who was host is no longer."""
        if not (pin.isascii() and pin.isdigit() and 4 <= len(pin) <= 12):
            raise BadRequest(code="bad-pin")
        self.change(pin_hash=hashed(pin, self._cost), pin_number=self.now.pin_number + 1)

    def new_pin(self) -> str:
        """Make another PIN and return it, to be shown once."""
        pin = some_pin()
        self.change_pin(pin)
        return pin

    def new_code(self) -> None:
        """Make another join code; every seat is free again."""
        self.change(join_code=some_code(), join_number=self.now.join_number + 1)

    def is_pin(self, pin: str) -> bool:
        """Say whether a PIN is the right one; one guess at a time, since each takes memory."""
        with self._checking:
            return fits(pin, self.now.pin_hash)

    def _read(self) -> Settings:
        self._mark = self._stamp()
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            settings = self._taken_over(kept)
        except (OSError, ValueError, TypeError, AttributeError, KeyError):
            self.made_pin = some_pin()
            settings = Settings(secrets.token_hex(32), hashed(self.made_pin, self._cost),
                                join_code=some_code())  # fmt: skip
            self._write(settings)
            return settings
        if "pin_hash" not in kept or not kept.get("join_code"):
            self._write(settings)
        return settings

    def _taken_over(self, kept: dict[str, Any]) -> Settings:
        """Return the settings in a file of this version, or of 0.1.0 with its plain PIN."""
        if "pin_hash" not in kept:
            kept = {**kept, "pin_hash": hashed(str(kept["pin"]), self._cost),
                    "old_cookies": kept.get("pin_number", 1)}  # fmt: skip
        known = {name: kept[name] for name in Settings.__dataclass_fields__ if name in kept}
        settings = replace(Settings("", ""), **known)
        if not settings.secret or not isinstance(settings.open_to, dict):
            raise ValueError("no settings of ours")
        code = settings.join_code or some_code()
        return replace(settings, names=tuple(settings.names), join_code=code)

    def _write(self, settings: Settings) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_private(self._path, asdict(settings))
        self._now, self._mark = settings, self._stamp()

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def write_private(path: Path, document: Any) -> None:
    """Write a file of JSON that only its owner reads; either all of it is there or the old one."""
    beside = path.with_suffix(".new")
    handle = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        json.dump(document, file)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)


def some_pin() -> str:
    """Return a new PIN."""
    return f"{secrets.randbelow(10**6):06d}"


def some_code() -> str:
    """Return a new join code."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def hashed(pin: str, cost: int = PIN_COST) -> str:
    """Return what is kept of a PIN."""
    salt = secrets.token_bytes(16)
    return f"scrypt${cost}${salt.hex()}${_scrypt(pin, salt, cost).hex()}"


def fits(pin: str, kept: str) -> bool:
    """Say whether a PIN is the one of which that was kept."""
    try:
        kind, cost, salt, digest = kept.split("$")
        told = _scrypt(pin, bytes.fromhex(salt), int(cost))
        return kind == "scrypt" and hmac.compare_digest(told, bytes.fromhex(digest))
    except ValueError:
        return False


def _scrypt(pin: str, salt: bytes, cost: int) -> bytes:
    return hashlib.scrypt(pin.encode(errors="replace"), salt=salt, n=cost, r=8, p=1, dklen=32)
