"""The persistent settings of the page, with the hash of the PIN and the join code."""

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
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from companion_app.live.errors import StoreError
from companion_app.web.serving.errors import BadRequest
from companion_app.web.serving.routes import PARTS, ROLES
from companion_app.whole_file import write_whole
from engine.errors import EngineError
from engine.given import an_object, read_json

PIN_COST = 2**14
"""The cost parameter N of scrypt: a guess against a stolen file takes 16 MB and some 50 ms."""
CODE_LETTERS = "BCDFGHJKLMNPRSTVWXZ"
"""Letters of a join code: no vowels, so that no code is a word, and none that resembles a digit."""
CODE_LENGTH = 5
PRIVATE = 0o600
"""File mode for secrets: only the owner may read and write."""
LARGEST_FILE = 256 << 10
LARGEST_NUMBER, MOST_NAMES = 10**9, 40
HASH = re.compile(r"scrypt\$([0-9]{1,6})\$[0-9a-f]{32}\$[0-9a-f]{64}")
Text = Annotated[str, Meta(max_length=260)]
Count = Annotated[int, Meta(ge=0, le=LARGEST_NUMBER)]
FEW = Meta(max_length=MOST_NAMES)
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Settings:
    """The page's settings, stored on this device only."""

    secret: Annotated[Text, Meta(min_length=16)]
    """The key that signs session cookies."""
    pin_hash: str
    pin_number: Count = 1
    """Incremented with every change of the PIN, which invalidates older host sessions."""
    players_answer: bool = True
    """Whether seats may answer questions, enter rolls and pass; otherwise only the host may."""
    pictures_mb: Count = 500
    """The disk space for kept pictures, in MB."""
    source: Text = ""
    """The camera chosen on the page; empty for the first one found."""
    join_code: Text = ""
    """The code that lets a guest take a seat."""
    join_number: Count = 1
    """Incremented with every change of the join code, which frees all seats."""
    open_to: Annotated[Mapping[str, Text], FEW] = field(default_factory=dict)
    """The lowest role for parts of the page, where the host changed it."""
    names: Annotated[tuple[Text, ...], FEW] = ()
    """Host names that the page accepts besides ``guard.HOME_NAMES``."""
    card_hash: Text = ""
    """The hash of the code on the host card; empty where there is no card."""
    ideas: Count = 0
    """Hints that each player may take in a game; 0 for none."""

    def least(self, part: str) -> str:
        """Return the lowest role with access to a part of the page."""
        if part == "telling" and not self.players_answer:
            return "host"
        chosen = self.open_to.get(part)
        known = PARTS[part]
        return chosen if known.settable and chosen in ROLES else known.least

    def open_now(self) -> dict[str, str]:
        """Return the parts of the page whose access the host can set, each with its lowest role."""
        return {name: self.least(name) for name, part in PARTS.items() if part.settable}


class SettingsFile:
    """The settings and their file; re-read when ``pin --new`` in another process changes it."""

    def __init__(self, path: Path, pin_cost: int = PIN_COST) -> None:
        """Read the settings, or make and store new ones.

        Raises:
            StoreError: the file cannot be read, or a new one not be written.
        """
        self._path, self._cost = path, pin_cost
        self._lock = threading.RLock()
        self._checking = threading.Lock()
        self._mark: tuple[int, int, int] | None = None
        self.made_pin: str | None = None
        """The PIN if this start generated one, to be shown once; only its hash is stored."""
        try:
            self._now = self._read(None)
        except OSError as error:
            raise StoreError(f"{path} cannot be used: {error.strerror}") from error

    @property
    def now(self) -> Settings:
        """The current settings, re-read if the file changed."""
        with self._lock:
            mark = self._stamp()
            if mark is not None and mark != self._mark:
                self._now = self._read(self._now)
            return self._now

    def change(self, **changes: object) -> None:
        """Change and store settings; a change that cannot be stored is not made.

        Raises:
            StoreError: the disk is full, or cannot be written.
        """
        with self._lock:
            try:
                self._write(replace(self.now, **changes))  # type: ignore[arg-type]
            except OSError as error:
                raise StoreError(f"settings cannot be kept: {error.strerror}") from error

    def with_pin(self, pin: str) -> dict[str, object]:
        """Return the changed settings for a new PIN; they end all other host sessions."""
        if not (pin.isascii() and pin.isdigit() and 4 <= len(pin) <= 12):
            raise BadRequest(code="bad-pin")
        return {"pin_hash": hashed(pin, self._cost), "pin_number": self.now.pin_number + 1}

    def change_pin(self, pin: str) -> None:
        """Change the PIN."""
        self.change(**self.with_pin(pin))

    def new_pin(self) -> str:
        """Generate a new PIN and return it, to be shown once."""
        pin = some_pin()
        self.change_pin(pin)
        return pin

    def with_code(self) -> dict[str, object]:
        """Return the changed settings for a new join code; they free every seat."""
        return {"join_code": some_code(), "join_number": self.now.join_number + 1}

    def keep_card(self, code: str) -> None:
        """Make the host card with this code the only valid one; an empty code revokes all cards."""
        kept = hashlib.sha256(code.encode()).hexdigest() if code else ""
        self.change(card_hash=kept)

    def is_card(self, code: str) -> bool:
        """Say whether a code is the one on the host card."""
        # A fast hash is enough: 100 random bits cannot be brute-forced.
        told = hashlib.sha256(code.encode(errors="replace")).hexdigest()
        return hmac.compare_digest(told, self.now.card_hash)

    def is_pin(self, pin: str) -> bool:
        """Say whether a PIN is right; checks are serialised, since each needs 16 MB."""
        with self._checking:
            return is_pin_of(pin, self.now.pin_hash)

    def _read(self, before: Settings | None) -> Settings:
        """Return the settings in the file, or those before where it cannot be read just now."""
        self._mark = self._stamp()
        try:
            kept = _kept(self._path)
            settings = _checked(kept)
        except (FileNotFoundError, EngineError, ValueError) as error:
            if before is not None:
                # A PIN that is made now is shown to nobody.
                log.error("the settings of the page cannot be used, the old ones hold: %s", error)
                return before
            if not isinstance(error, FileNotFoundError):
                log.error(
                    "the settings of the page cannot be used, it begins anew with another PIN; "
                    "'snake-eye pin --new' makes one that you know: %s",
                    error,
                )
            self.made_pin = some_pin()
            settings = Settings(
                secrets.token_hex(32), hashed(self.made_pin, self._cost), join_code=some_code()
            )
            self._write(settings)
            return settings
        except OSError as error:
            if before is None:
                raise
            log.error("the settings of the page cannot be read, the old ones hold: %s", error)
            return before
        if not kept.get("join_code"):
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
        # The time of change, unlike that of writing, also tells of another owner or mode.
        return found.st_ctime_ns, found.st_size, found.st_ino


def read_settings(path: Path) -> Settings:
    """Return the settings in a file, which is not changed.

    Raises:
        ValueError: the file holds no valid settings.
        EngineError: the file is not JSON.
        OSError: the file cannot be read.
    """
    return _checked(_kept(path))


def _kept(path: Path) -> dict[str, Any]:
    return dict(an_object(read_json(path, LARGEST_FILE), path.name))


def _checked(kept: dict[str, Any]) -> Settings:
    """Return the settings in a file's object; keys of another version are passed over."""
    settings = msgspec.convert(kept, Settings)
    if not is_hash(settings.pin_hash):
        raise ValueError("pin_hash is not what the page keeps there")
    return replace(settings, join_code=settings.join_code or some_code())


def some_pin() -> str:
    """Return a new PIN."""
    return f"{secrets.randbelow(10**6):06d}"


def some_code() -> str:
    """Return a new join code."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def hashed(pin: str, cost: int = PIN_COST) -> str:
    """Return the salted scrypt hash of a PIN."""
    salt = secrets.token_bytes(16)
    return f"scrypt${cost}${salt.hex()}${_scrypt(pin, salt, cost).hex()}"


def is_hash(text: object) -> bool:
    """Say whether a text is a PIN hash with an acceptable cost, so that no check takes minutes."""
    found = HASH.fullmatch(text) if isinstance(text, str) else None
    return found is not None and int(found[1]) <= 4 * PIN_COST


def is_pin_of(pin: str, kept: str) -> bool:
    """Say whether a PIN matches a stored hash."""
    try:
        kind, cost, salt, digest = kept.split("$")
        told = _scrypt(pin, bytes.fromhex(salt), int(cost))
        return kind == "scrypt" and hmac.compare_digest(told, bytes.fromhex(digest))
    except ValueError:
        return False


def _scrypt(pin: str, salt: bytes, cost: int) -> bytes:
    return hashlib.scrypt(pin.encode(errors="replace"), salt=salt, n=cost, r=8, p=1, dklen=32)
