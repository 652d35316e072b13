"""What systemd runs: the companion by its settings file, with https if that is set.

``python -m companion_app.service``. It becomes the supervisor of eye and page, which notifies
systemd once the page answers, and then as a watchdog while the eye lives.
"""

from __future__ import annotations

import logging
import sys
from contextlib import suppress

from companion_app.answers import BAD_INPUT, complain
from companion_app.cli import main as cli
from companion_app.home import home_folder
from companion_app.listening import status_of
from companion_app.live.errors import StoreError
from companion_app.settings import Settings, SettingsError, load_settings
from companion_app.web.serving.page_file import SettingsFile

HEALTHY = 200
TRY_AGAIN = 75
"""Exit status for temporary faults (a full disk, a port in use): systemd restarts the service.
Only a mistake in the settings file ends it for good."""


def main() -> int:
    """Run the companion until it is stopped; return its exit status."""
    try:
        settings = load_settings()
    except SettingsError as error:
        complain(str(error))
        return BAD_INPUT
    logging.basicConfig(level=settings.log.upper(), format="%(levelname)s %(name)s: %(message)s")
    # Creates the PIN here: ``run`` would print a new one into the journal. The owner gets one by
    # ``sudo snake-eye pin --new``.
    with suppress(StoreError):
        SettingsFile(home_folder() / "page.json")
    status = cli.main(arguments_of(settings))
    return TRY_AGAIN if status == BAD_INPUT else status


def arguments_of(settings: Settings) -> list[str]:
    """Return the command line that corresponds to the settings."""
    arguments = ["run", "--json", "--host", settings.host, "--port", str(settings.port)]
    if settings.source != "auto":
        arguments += ["--source", settings.source]
    if settings.game:
        # An unfinished game is resumed, as after a power cut; else a new one is begun.
        arguments += ["--game", settings.game, "--resume"]
    if settings.https:
        arguments += ["--https-port", str(settings.https_port)]
    return arguments


def page_answers(settings: Settings) -> bool:
    """Say whether the page on this machine reports that it and the eye are healthy."""
    return status_of(settings.host, settings.port, "/health") == HEALTHY


if __name__ == "__main__":
    sys.exit(main())
