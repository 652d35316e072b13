"""The queries of `doctor` to the machine (temperature, power, clock, network), and its checks."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from companion_app.listening import own_address


def read_temperature(folder: Path = Path("/sys/class/thermal")) -> float | None:
    """Return the processor's temperature in degrees Celsius; ``None`` if it is not reported."""
    for zone in sorted(folder.glob("thermal_zone*")):
        with suppress(OSError, ValueError):
            if "cpu" in (zone / "type").read_text().lower() or "x86" in (zone / "type").read_text():
                return int((zone / "temp").read_text()) / 1000
    return None


def read_throttled(
    path: Path = Path("/sys/devices/platform/soc/soc:firmware/get_throttled"),
) -> int | None:
    """Return a Pi's power and throttling bits; ``None`` on other machines."""
    with suppress(OSError, ValueError):
        return int(path.read_text().strip(), 16)
    with suppress(OSError, ValueError, IndexError, subprocess.SubprocessError):
        said = subprocess.run(
            ["vcgencmd", "get_throttled"], capture_output=True, text=True, timeout=5, check=True
        )
        return int(said.stdout.split("=")[1], 16)
    return None


def ask_clock() -> bool | None:
    """Say whether the clock is synchronised by NTP; ``None`` if that is not known."""
    with suppress(OSError, subprocess.SubprocessError):
        said = subprocess.run(
            ["timedatectl", "show", "-p", "NTPSynchronized", "--value"],
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
        return said.stdout.strip() == "yes"
    return None


def own_addresses() -> tuple[str, ...]:
    """Return the addresses by which phones reach this machine."""
    found = [own_address() or "127.0.0.1"]
    with suppress(OSError):
        for *_, address in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET):
            found.append(str(address[0]))
    return tuple(dict.fromkeys(one for one in found if not one.startswith("127.")))


@dataclass(frozen=True)
class Machine:
    """Queries to the machine; tests replace them."""

    home: Path
    free_bytes: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free
    temperature_c: Callable[[], float | None] = read_temperature
    throttled: Callable[[], int | None] = read_throttled
    now_s: Callable[[], float] = time.time
    clock_is_set: Callable[[], bool | None] = ask_clock
    addresses: Callable[[], tuple[str, ...]] = own_addresses
    has_mdns: Callable[[], bool] = lambda: Path("/run/avahi-daemon/pid").exists()
    hostname: Callable[[], str] = socket.gethostname


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, as codes of the catalogues' part ``doctor``."""

    name: str
    ok: bool | None
    """``False`` for a fault, ``None`` if it cannot be checked or does not apply."""
    code: str
    """What was found; ``AS_WRITTEN`` where ``text`` among the values is a sentence already."""
    fix: str = ""
    """What to do about it."""
    values: Mapping[str, str | Sequence[str]] = field(default_factory=dict)
    """What is filled in, into both; lists hold codes of their own."""


AS_WRITTEN = "as-written"


def as_written(name: str, ok: bool | None, text: str, fix: str = "") -> Finding:
    """Return a check whose sentence is that of an error."""
    whole = text[:1].upper() + text[1:] + ("" if text.endswith(".") else ".")
    return Finding(name, ok, AS_WRITTEN, fix, {"text": whole})
