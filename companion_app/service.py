"""What systemd runs: the companion by its settings file, and https where asked for.

``python -m companion_app.service``. It becomes the supervisor of eye and page, which tells systemd
that the page is ready once it answers, and that the eye lives as long as it does.
"""

from __future__ import annotations

import logging
import sys
from contextlib import suppress

from companion_app.answers import BAD_INPUT, complain
from companion_app.cli import main as cli
from companion_app.home import home_folder
from companion_app.listening import status_of
from companion_app.settings import Settings, SettingsError, load_settings
from companion_app.web.serving.page_file import SettingsFile

HEALTHY = 200
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
    """Say whether the page answers on this machine, and its eye with it."""
    return status_of(settings.host, settings.port, "/health") == HEALTHY


if __name__ == "__main__":
    sys.exit(main())
