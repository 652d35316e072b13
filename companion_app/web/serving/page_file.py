"""What the page keeps between starts: its settings, the hash of the PIN, the join code."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import re
import secrets
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from companion_app.fitting import Form, by_name, fits, text, whole, yes_no
from companion_app.live.errors import StoreError
from companion_app.web.serving.errors import BadRequest
from companion_app.web.serving.roles import PARTS, ROLES
from companion_app.whole_file import write_whole
from engine.errors import EngineError
from engine.given import an_object, read_json

PIN_COST = 2**14
"""Of scrypt: 16 MB and some 50 ms a guess, for whoever got hold of the file."""
CODE_LETTERS = "BCDFGHJKLMNPRSTVWXZ"
"""No vowels, so that no code is a word; nothing that looks like a digit."""
CODE_LENGTH = 5
PRIVATE = 0o600
"""Only its owner may read a file with secrets."""
LARGEST_FILE = 256 << 10
LARGEST_NUMBER, MOST_NAMES = 10**9, 40
HASH = re.compile(r"scrypt\$([0-9]{1,6})\$[0-9a-f]{32}\$[0-9a-f]{64}")
log = logging.getLogger(__name__)


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
    card_hash: str = ""
    """Of the code on the host card; empty where there is none."""
    ideas: int = 0
    """So many hints each player may take in a game; none where it is 0."""
    old_cookies: int = 0
    """The number of the PIN whose cookies of version 0.1.0 still make a host; 0 for none."""

    def least(self, part: str) -> str:
        """Return the role from which on a part of the page is open."""
        if part == "telling" and not self.players_answer:
            return "host"
        chosen = self.open_to.get(part)
        known = PARTS[part]
        return chosen if known.settable and chosen in ROLES else known.least

    def open_now(self) -> dict[str, str]:
        """Return the parts of the page that the host opens and closes, each with that role."""
        return {name: self.least(name) for name, part in PARTS.items() if part.settable}


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

    def with_pin(self, pin: str) -> dict[str, object]:
        """Return what changes with a new PIN; everybody else who was host is no longer."""
        if not (pin.isascii() and pin.isdigit() and 4 <= len(pin) <= 12):
            raise BadRequest(code="bad-pin")
        return {"pin_hash": hashed(pin, self._cost), "pin_number": self.now.pin_number + 1}

    def change_pin(self, pin: str) -> None:
        """Change the PIN."""
        self.change(**self.with_pin(pin))

    def new_pin(self) -> str:
        """Make another PIN and return it, to be shown once."""
        pin = some_pin()
        self.change_pin(pin)
        return pin

    def with_code(self) -> dict[str, object]:
        """Return what changes with another join code; every seat is free again."""
        return {"join_code": some_code(), "join_number": self.now.join_number + 1}

    def keep_card(self, code: str) -> None:
        """Let the card with this code make hosts, and no other; without a code none does."""
        kept = hashlib.sha256(code.encode()).hexdigest() if code else ""
        self.change(card_hash=kept)

    def is_card(self, code: str) -> bool:
        """Say whether a code is the one on the card."""
        # Nobody tries a hundred random bits, however fast: a plain hash will do.
        told = hashlib.sha256(code.encode(errors="replace")).hexdigest()
        return hmac.compare_digest(told, self.now.card_hash)

    def is_pin(self, pin: str) -> bool:
        """Say whether a PIN is the right one; one guess at a time, since each takes memory."""
        with self._checking:
            return is_pin_of(pin, self.now.pin_hash)

    def _read(self) -> Settings:
        self._mark = self._stamp()
        try:
            kept = _kept(self._path)
            settings = _taken_over(kept, self._cost)
        except (OSError, EngineError, ValueError) as error:
            if not isinstance(error, FileNotFoundError):
                log.error("the settings of the page cannot be used, it begins anew: %s", error)
            self.made_pin = some_pin()
            settings = Settings(secrets.token_hex(32), hashed(self.made_pin, self._cost),
                                join_code=some_code())  # fmt: skip
            self._write(settings)
            return settings
        if "pin_hash" not in kept or not kept.get("join_code"):
            self._write(settings)
        return settings

    def _write(self, settings: Settings) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(self._path, json.dumps(asdict(settings)), PRIVATE)
        self._now, self._mark = settings, self._stamp()

    def _stamp(self) -> tuple[int, int, int] | None:
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def read_settings(path: Path) -> Settings:
    """Return the settings in a file of this version or of 0.1.0; the file stays as it is.

    Raises:
        ValueError: they are none that this program kept.
        EngineError: it is no JSON file.
        OSError: it cannot be read.
    """
    return _taken_over(_kept(path), PIN_COST)


def _kept(path: Path) -> dict[str, Any]:
    return dict(an_object(read_json(path, LARGEST_FILE), path.name))


def _taken_over(kept: dict[str, Any], cost: int) -> Settings:
    """Return the settings in a file of this version, or of 0.1.0 with its plain PIN."""
    if "pin_hash" not in kept and isinstance(kept.get("pin"), str):
        kept = {**kept, "pin_hash": hashed(kept["pin"], cost),
                "old_cookies": kept.get("pin_number", 1)}  # fmt: skip
    known = {name: kept[name] for name in Settings.__dataclass_fields__ if name in kept}
    settings = replace(Settings("", ""), **known)
    wrong = [name for name, form in FORMS.items() if not fits(getattr(settings, name), form)]
    if wrong:
        raise ValueError(f"{wrong[0]} is not what the page keeps there")
    code = settings.join_code or some_code()
    return replace(settings, names=tuple(settings.names), join_code=code)


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


def is_hash(text: object) -> bool:
    """Say whether a text is what is kept of a PIN; none that would take minutes to try."""
    found = HASH.fullmatch(text) if isinstance(text, str) else None
    return found is not None and int(found[1]) <= 4 * PIN_COST


FORMS: Mapping[str, Form] = {
    "secret": lambda value: text(value) and len(value) >= 16,
    "pin_hash": is_hash, "players_answer": yes_no,
    "open_to": by_name(text, MOST_NAMES),
    "names": lambda value: fits(value, [text]) and len(value) <= MOST_NAMES,
    **dict.fromkeys(("pin_number", "join_number", "pictures_mb", "old_cookies", "ideas"),
                    whole(0, LARGEST_NUMBER)),
    **dict.fromkeys(("join_code", "source", "card_hash"), text),
}  # fmt: skip
"""What each setting must be: others this program never kept."""


def is_pin_of(pin: str, kept: str) -> bool:
    """Say whether a PIN is the one of which that was kept."""
    try:
        kind, cost, salt, digest = kept.split("$")
        told = _scrypt(pin, bytes.fromhex(salt), int(cost))
        return kind == "scrypt" and hmac.compare_digest(told, bytes.fromhex(digest))
    except ValueError:
        return False


def _scrypt(pin: str, salt: bytes, cost: int) -> bytes:
    return hashlib.scrypt(pin.encode(errors="replace"), salt=salt, n=cost, r=8, p=1, dklen=32)
