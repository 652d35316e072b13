"""Write what makes a blank card of Raspberry Pi OS start Snake Eye by itself: ``make card``.

    python deploy/make_card.py FOLDER

What cloud-init reads is written beside the package in the folder; of passwords and PIN only hashes.
"""

from __future__ import annotations

import getpass
import hashlib
import json
import re
import subprocess
import sys
from pathlib import Path

from companion_app.web.serving.page_file import hashed, some_pin

LOCALES = {"en": "en_GB", "de": "de_DE", "es": "es_ES", "fr": "fr_FR", "ru": "ru_RU"}
INSTALL = """for wait in 20 20 20 20 20 0; do
  apt-get update && apt-get install --yes /boot/firmware/{package} && exit; sleep $wait
done; exit 1"""
READY = """Ready: {folder}
1. Write Raspberry Pi OS Lite (64-bit) with Raspberry Pi Imager, without its own settings.
2. Copy everything in this folder to the card's part that is called bootfs; replace what is there.
3. Put the card into the Pi, plug in camera and power, and wait a quarter of an hour.
4. Open http://snake-eye.local:8080/ on any phone in this Wi-Fi. Host PIN, shown this once: {pin}
"""


def ask(question: str, pattern: str, possible: str, *, secret: bool = False) -> str:
    """Return an answer that fits a pattern; the program ends where it does not."""
    asking = getpass.getpass if secret and sys.stdin.isatty() else input
    answer = asking(f"{question}: ").strip()
    if not re.fullmatch(pattern, answer):
        sys.exit(f"{question}: {possible}")
    return answer


def main() -> None:
    """Ask, and write ``user-data`` and ``network-config``."""
    folder = Path(sys.argv[1])
    package = max(folder.glob("snake-eye_*_arm64.deb"), key=lambda path: path.stat().st_mtime).name
    wifi = ask("Name of the Wi-Fi (empty for a cable)", r".{0,32}", "at most 32 letters")
    if wifi:
        password = ask("Its password", ".{8,63}", "8 to 63 letters", secret=True)
        country = ask("Country, such as DE", "[A-Z]{2}", "two capital letters")
    language = ask("Language", "|".join(LOCALES), f"one of {', '.join(LOCALES)}")
    login = ask("Login name for updates", "[a-z][a-z0-9-]{0,30}", "small letters, at most 31")
    secret = ask("Its password", ".{8,}", "at least 8 letters", secret=True)
    crypt = ["openssl", "passwd", "-6", "-stdin"]
    made = subprocess.run(crypt, input=secret, text=True, check=True, capture_output=True).stdout
    pin = some_pin()
    user = {"name": login, "groups": "users,adm,sudo,video", "shell": "/bin/bash"}
    told = {
        "hostname": "snake-eye",
        "locale": f"{LOCALES[language]}.UTF-8",
        "keyboard": {"layout": LOCALES[language][-2:].lower()},
        "ssh_pwauth": True,
        "users": [user | {"lock_passwd": False, "passwd": made.strip()}],
        "runcmd": [
            ["systemctl", "enable", "--now", "ssh"],
            ["sh", "-c", INSTALL.format(package=package)],
            ["snake-eye", "pin", "--hash", hashed(pin)],
        ],
    }
    # YAML reads JSON.
    (folder / "user-data").write_text(f"#cloud-config\n{json.dumps(told, indent=2)}\n")
    if wifi:
        key = hashlib.pbkdf2_hmac("sha1", password.encode(), wifi.encode(), 4096, 32).hex()
        settings = {"dhcp4": True, "optional": True, "regulatory-domain": country}
        wifis = {"wlan0": settings | {"access-points": {wifi: {"password": key}}}}
        network = {"network": {"version": 2, "wifis": wifis}}
        (folder / "network-config").write_text(json.dumps(network, indent=2))
    sys.stdout.write(READY.format(folder=folder, pin=pin))


if __name__ == "__main__":
    main()
