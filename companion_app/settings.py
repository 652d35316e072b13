"""The settings file: its settings and defaults; every mistake in it is reported with its line.

The file is ``$SNAKE_EYE_SETTINGS``, else ``snake-eye.toml`` in the data folder.
``deploy/snake-eye.toml`` shows every setting with its default.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from companion_app.answers import InputError
from companion_app.home import home_folder
from engine.games import GAMES
from engine.given_toml import TomlError, load_toml

FILE = "snake-eye.toml"
LARGEST_FILE = 64 << 10
SOURCES = ("auto", "pi", "phone", "demo")
NAMED_SOURCES = ("webcam:", "video:", "folder:", "demo:")


class SettingsError(InputError):
    """The settings file has mistakes; all of them are named."""

    def __init__(self, path: Path, mistakes: tuple[str, ...]) -> None:
        super().__init__("; ".join(f"{path}, {mistake}" for mistake in mistakes))
        self.mistakes = mistakes
        """One sentence per mistake, beginning with its line if it has one."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of the file; what people change on the page is kept elsewhere."""

    source: str = "auto"
    """Where frames come from; ``auto`` takes the first camera found, else the demo table."""
    camera_number: int = 0
    longest_px: int = 1920
    frames_a_second: float = 15.0
    game: str = ""
    """The game to begin at the start if there is no unfinished one; empty to begin none."""
    host: str = "0.0.0.0"
    port: int = 8080
    https: bool = False
    https_port: int = 8443
    log: str = "info"
    mqtt_host: str = ""
    """The MQTT broker to publish to; empty for none."""
    mqtt_port: int = 1883
    mqtt_user: str = ""
    mqtt_password: str = ""
    mqtt_prefix: str = "snake-eye"
    mqtt_discovery: str = "homeassistant"


@dataclass(frozen=True, slots=True)
class _Rule:
    """Name and allowed values of one setting; its type is that of its default."""

    section: str
    key: str
    field: str
    is_good: Callable[[Any], bool]
    wanted: str


def _is_address(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True


def _is_source(text: str) -> bool:
    return text in SOURCES or any(
        text.startswith(start) and len(text) > len(start) for start in NAMED_SOURCES
    )


def _is_port(number: int) -> bool:
    return 1 <= number <= 65535


def _is_topic(text: str) -> bool:
    return re.fullmatch(r"[\w-]+(/[\w-]+)*", text, re.ASCII) is not None


_RULES = (
    _Rule(
        "camera",
        "source",
        "source",
        _is_source,
        '"auto", "pi", "webcam:0", "video:FILE", "folder:DIR", "phone" or "demo"',
    ),
    _Rule("camera", "number", "camera_number", lambda n: 0 <= n <= 7, "a number from 0 to 7"),
    _Rule(
        "camera",
        "longest_px",
        "longest_px",
        lambda n: 640 <= n <= 9152,
        "a number of pixels from 640 to 9152",
    ),
    _Rule(
        "camera",
        "frames_a_second",
        "frames_a_second",
        lambda n: 1 <= n <= 60,
        "a number from 1 to 60",
    ),
    _Rule(
        "game",
        "name",
        "game",
        lambda text: text == "" or text in GAMES,
        '"" or one of ' + ", ".join(GAMES),
    ),
    _Rule(
        "page",
        "host",
        "host",
        _is_address,
        'an address of this machine, such as "0.0.0.0" for all of them',
    ),
    _Rule("page", "port", "port", _is_port, "a number from 1 to 65535"),
    _Rule("page", "https", "https", lambda _: True, "true or false"),
    _Rule("page", "https_port", "https_port", _is_port, "a number from 1 to 65535"),
    _Rule(
        "mqtt",
        "host",
        "mqtt_host",
        lambda text: not re.search(r"\s", text),
        'the name or address of a broker, or ""',
    ),
    _Rule("mqtt", "port", "mqtt_port", _is_port, "a number from 1 to 65535"),
    _Rule("mqtt", "user", "mqtt_user", lambda _: True, "text"),
    _Rule("mqtt", "password", "mqtt_password", lambda _: True, "text"),
    _Rule("mqtt", "prefix", "mqtt_prefix", _is_topic, 'a topic such as "snake-eye"'),
    _Rule(
        "mqtt",
        "discovery",
        "mqtt_discovery",
        lambda text: not text or _is_topic(text),
        'where Home Assistant looks, "homeassistant", or ""',
    ),
    _Rule(
        "log",
        "level",
        "log",
        lambda text: text in ("warning", "info", "debug"),
        '"warning", "info" or "debug"',
    ),
)
_USUAL = Settings()
_SECRETS = ("user", "password")
"""Settings whose values are never shown."""
_KINDS = {str: "text in quotes", int: "a whole number", float: "a number", bool: "true or false"}


def settings_path() -> Path:
    """Return the path of the settings file; it need not exist."""
    named = os.environ.get("SNAKE_EYE_SETTINGS")
    return Path(named) if named else home_folder() / FILE


def load_settings(path: Path | None = None) -> Settings:
    """Return the settings; the defaults if there is no file.

    Raises:
        SettingsError: the file cannot be read or has mistakes; all are named.
    """
    file = settings_path() if path is None else path
    must_be_there = path is not None or "SNAKE_EYE_SETTINGS" in os.environ
    try:
        if file.is_file() and file.stat().st_size > LARGEST_FILE:
            raise SettingsError(file, (f"is larger than {LARGEST_FILE >> 10} KB: no settings",))
        data = file.read_bytes()
    except FileNotFoundError as error:
        if not must_be_there:
            return Settings()
        raise SettingsError(file, ("is missing; copy deploy/snake-eye.toml there",)) from error
    except OSError as error:
        raise SettingsError(file, (f"cannot be read: {error.strerror}",)) from error
    return parse_settings(data, file)


def parse_settings(data: bytes, path: Path = Path(FILE)) -> Settings:
    """Parse the content of a settings file.

    Raises:
        SettingsError: the file has mistakes; all of them are named.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SettingsError(path, (f"line {line}: is not UTF-8 text; save it as UTF-8",)) from error
    try:
        content = load_toml(text)
    except tomllib.TOMLDecodeError as error:
        raise SettingsError(path, (_syntax(str(error), text),)) from error
    except TomlError as error:
        raise SettingsError(path, (str(error),)) from error
    values, mistakes = _checked(content, text)
    if mistakes:
        raise SettingsError(path, tuple(mistakes))
    return Settings(**values)


def _checked(content: Mapping[str, Any], text: str) -> tuple[dict[str, Any], list[str]]:
    rules = {(rule.section, rule.key): rule for rule in _RULES}
    sections = list(dict.fromkeys(rule.section for rule in _RULES))
    values: dict[str, Any] = {}
    mistakes: list[tuple[int, str]] = []
    for section, entries in content.items():
        if section not in sections or not isinstance(entries, dict):
            said = _unknown_section(section, entries, sections)
            mistakes.append((_line_of(text, section, None), said))
            continue
        for key, value in entries.items():
            rule = rules.get((section, key))
            if rule is None:
                known = ", ".join(name for part, name in rules if part == section)
                said = f"[{section}] has no setting {key}; it has {known}"
            else:
                said = _wrong(rule, value)
                # A whole number will do where a number is wanted.
                values[rule.field] = value if said else type(getattr(_USUAL, rule.field))(value)
            if said:
                mistakes.append((_line_of(text, section, key), said))
    if not mistakes and values.get("https") and _ports(values) == 1:
        line = _line_of(text, "page", "https_port") or _line_of(text, "page", "port")
        mistakes.append((line, "port and https_port are the same; take two different ones"))
    return values, [f"line {line}: {said}" if line else said for line, said in sorted(mistakes)]


def _ports(values: Mapping[str, Any]) -> int:
    return len({values.get("port", _USUAL.port), values.get("https_port", _USUAL.https_port)})


def _unknown_section(section: str, entries: Any, known: list[str]) -> str:
    sections = ", ".join(f"[{name}]" for name in known)
    if not isinstance(entries, dict):
        return f"{section} is outside of every section; put it under one of {sections}"
    return f"there is no section [{section}]; the sections are {sections}"


def _wrong(rule: _Rule, value: Any) -> str:
    """Return what is wrong with a value; empty if it is valid."""
    name, kind = f"{rule.section}.{rule.key}", type(getattr(_USUAL, rule.field))
    # Not isinstance: in Python a bool is an int; in a settings file it is not a number.
    if type(value) is not kind and (kind, type(value)) != (float, int):
        shown = "" if rule.key in _SECRETS else f" {_shown(value)},"
        return f"{name} is{shown} not {_KINDS[kind]}; write {rule.wanted}"
    return "" if rule.is_good(value) else f"{name} is {_shown(value)}; write {rule.wanted}"


def _shown(value: Any) -> str:
    text = repr(value).replace("True", "true").replace("False", "false")
    return text if len(text) <= 40 else text[:37] + "..."


def _syntax(problem: str, text: str) -> str:
    """Return a TOML syntax error with its line number in front."""
    found = re.search(r" \(at line (\d+), column (\d+)\)", problem)
    if found is None:
        last = text.rstrip("\n").count("\n") + 1
        return f"line {last}: {problem}; look at the end of the file"
    said, (line, column) = problem[: found.start()], found.groups()
    advice = "; text needs quotes" if said == "Invalid value" else ""
    return f"line {line}: {said}, at column {column}{advice}"


def _line_of(text: str, section: str, key: str | None) -> int:
    """Return the line number of a section or a setting; 0 if it is not found."""
    inside = ""
    for number, line in enumerate(text.splitlines(), start=1):
        header = re.match(r'\s*\[+\s*"?([^\]"]+?)"?\s*\]', line)
        if header:
            inside = header[1].split(".")[0]
            if key is None and inside == section:
                return number
            continue
        found = re.match(r'\s*"?([^"=.\s]+)"?\s*(\.\s*"?([^"=\s]+)"?\s*)?=', line)
        if found is None:
            continue
        whole = (inside, found[1]) if inside else (found[1], found[3])
        if whole == (section, key) or (not inside and found[1] == section and key is None):
            return number
    return 0
