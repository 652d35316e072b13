"""What systemd runs: the companion by its settings file, a watchdog, and https where asked for.

``python -m companion_app.service``. Systemd is told that the page is ready once it answers, and
that it still lives as long as it does; a page that hangs is started again.
"""

from __future__ import annotations

import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPException

from companion_app.answers import BAD_INPUT, complain
from companion_app.cli import main as cli
from companion_app.home import home_folder
from companion_app.settings import Settings, SettingsError, load_settings
from companion_app.web.serving.page_file import SettingsFile

log = logging.getLogger(__name__)

FIRST_ASK_S = 0.5
ANSWER_WITHIN_S = 10.0
EVERYWHERE = ("0.0.0.0", "::")
TRY_AGAIN = 75
"""Exit status for what may pass: a disk that is full, a port that is taken. Systemd starts the
service again; only a mistake in the settings waits for its owner."""


def main() -> int:
    """Run the companion until it is stopped; return its exit status."""
    try:
        settings = load_settings()
    except SettingsError as error:
        complain(str(error))
        return BAD_INPUT
    logging.basicConfig(level=settings.log.upper(), format="%(levelname)s %(name)s: %(message)s")
    # A PIN that the run makes would be said in the journal; sudo snake-eye pin --new shows one.
    with suppress(OSError):
        SettingsFile(home_folder() / "page.json")
    Watchdog(os.environ, lambda: page_answers(settings)).start()
    status = cli.main(arguments_of(settings))
    return TRY_AGAIN if status == BAD_INPUT else status


def arguments_of(settings: Settings) -> list[str]:
    """Return the command line that the settings mean."""
    arguments = ["run", "--json", "--host", settings.host, "--port", str(settings.port)]
    if settings.source != "auto":
        arguments += ["--source", settings.source]
    if settings.game:
        # After a power cut the game goes on; only without one a new game is begun.
        arguments += ["--game", settings.game, "--resume"]
    if settings.https:
        arguments += ["--https-port", str(settings.https_port)]
    return arguments


def page_answers(settings: Settings) -> bool:
    """Say whether the page answers on this machine."""
    host = "127.0.0.1" if settings.host in EVERYWHERE else settings.host
    connection = HTTPConnection(host, settings.port, timeout=ANSWER_WITHIN_S)
    try:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


class Watchdog:
    """Tells systemd that the page is ready, and again and again that it lives."""

    def __init__(
        self,
        environment: Mapping[str, str],
        lives: Callable[[], bool],
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "")
        patience_s = int(environment.get("WATCHDOG_USEC", "0") or 0) / 1e6
        self._every_s = patience_s / 3 if patience_s else 0.0
        self._lives, self._sleep = lives, sleep

    def start(self) -> None:
        """Watch in the background; nothing where nobody listens."""
        if self._address:
            threading.Thread(target=self.watch, name="watchdog", daemon=True).start()

    def watch(self) -> None:
        """Say ``READY`` once the page answers, then ``WATCHDOG`` as long as it does."""
        while not self._lives():
            self._sleep(FIRST_ASK_S)
        self.tell("READY=1")
        while self._every_s:
            self._sleep(self._every_s)
            if self._lives():
                self.tell("WATCHDOG=1")
            else:
                log.error("the page does not answer")

    def tell(self, what: str) -> None:
        """Send one message to systemd."""
        address = "\0" + self._address[1:] if self._address[0] == "@" else self._address
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as out:
            out.connect(address)
            out.send(what.encode())


if __name__ == "__main__":
    sys.exit(main())
