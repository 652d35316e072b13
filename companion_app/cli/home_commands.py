"""The commands for stored data and the host: doctor, backup, restore, pin, card."""

from __future__ import annotations

from argparse import SUPPRESS, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from companion_app.answers import ANSWERED, NO, InputError, answer, writing
from companion_app.cli.arguments import Commands, add_command
from companion_app.home import home_folder

if TYPE_CHECKING:
    from companion_app.doctor_camera import Seen
    from companion_app.settings import Settings
    from vision.sources import FrameSource

NO_FILE = (
    "doctor writes no file any more; what it prints is what one sends: "
    "snake-eye doctor --json >help.json"
)
MARKS = {True: "well ", False: "FAULT", None: "  -  "}


def add_doctor_command(commands: Commands) -> None:
    """Add ``doctor`` to the commands of ``snake-eye``."""
    examples = ["doctor", "doctor --source webcam:0", "doctor --json"]
    asking = add_command(commands, "doctor", doctor, examples)
    asking.add_argument(
        "--source",
        metavar="S",
        help="the camera to look through: pi, webcam:0, video:FILE, folder:DIR, phone or demo",
    )
    asking.add_argument("--out", help=SUPPRESS)
    asking.add_argument("--with-picture", action="store_true", help=SUPPRESS)


def add_backup_command(commands: Commands) -> None:
    """Add ``backup`` to the commands of ``snake-eye``."""
    keeping = add_command(commands, "backup", backup, ["backup snake-eye-backup.zip"])
    keeping.add_argument("file", metavar="FILE", help="the file to write; it must not exist")


def add_restore_command(commands: Commands) -> None:
    """Add ``restore`` to the commands of ``snake-eye``."""
    examples = ["restore snake-eye-backup.zip", "restore snake-eye-backup.zip --with-secrets"]
    bringing = add_command(commands, "restore", restore, examples)
    bringing.add_argument("file", metavar="FILE", help="a file that backup wrote")
    told = "take the host PIN, joined phones, settings and hall from the backup too"
    bringing.add_argument("--with-secrets", action="store_true", help=told)


def add_pin_command(commands: Commands) -> None:
    """Add ``pin`` to the commands of ``snake-eye``."""
    hosting = add_command(commands, "pin", pin, ["pin --new"])
    told = "make it; it is shown once, and every host's phone asks again"
    hosting.add_argument("--new", action="store_true", help=told)
    hosting.add_argument("--hash", help="take the PIN that `make card` told, by its hash")


def add_card_command(commands: Commands) -> None:
    """Add ``card`` to the commands of ``snake-eye``."""
    carding = add_command(commands, "card", card, ["card --out host-card.svg", "card --forget"])
    doing = carding.add_mutually_exclusive_group(required=True)
    doing.add_argument("--out", metavar="FILE.svg", help="write a new card; the old one is invalid")
    doing.add_argument("--forget", action="store_true", help="make the card invalid")


def doctor(arguments: Namespace) -> int:
    """Check everything that a game depends on, and print the result of each check."""
    from companion_app.doctor import diagnose
    from companion_app.doctor_machine import Machine
    from companion_app.web.doctor_words import report

    if arguments.out or arguments.with_picture:
        raise InputError(NO_FILE)

    settings = _settings()
    wanted = arguments.source or settings.source
    seen = _seen(wanted, settings)
    machine = Machine(home_folder())
    checks = diagnose(machine, seen, camera_wanted=wanted not in ("auto", "demo", "phone"))
    said = report(checks)
    answer(
        arguments,
        said,
        (
            f"{MARKS[check['ok']]}  {check['name']}: {check['text']}"
            + (f"\n       {check['fix']}" if check["fix"] else "")
            for check in said["checks"]
        ),
    )
    return ANSWERED if said["ok"] else NO


def backup(arguments: Namespace) -> int:
    """Write all stored data into one file."""
    from companion_app.backup import make_backup

    kept = make_backup(home_folder(), Path(arguments.file))
    size = sum(one.size for one in kept)
    answer(
        arguments,
        {"file": arguments.file, "files": len(kept), "bytes": size},
        [
            f"Backed up in {arguments.file}. Files: {len(kept)} ({size / 1e6:.1f} MB).",
            "It holds games, pictures of your table and who is host: keep it to yourself.",
        ],
    )
    return ANSWERED


def restore(arguments: Namespace) -> int:
    """Replace the stored data with a backup, after validating all of it."""
    from companion_app.restore import restore_backup

    restored = restore_backup(
        home_folder(), Path(arguments.file), with_secrets=arguments.with_secrets
    )
    kept = None if restored.kept is None else str(restored.kept)
    said = {
        "file": arguments.file,
        "files": restored.files,
        "kept": kept,
        "left_out": list(restored.left_out),
        "secrets": not restored.own,
    }
    own = (
        "Host PIN, joined phones, settings and hall are those of this machine; "
        "--with-secrets takes them from the backup."
    )
    answer(
        arguments,
        said,
        [
            f"Restored in {home_folder()}. Files: {restored.files}.",
            *(f"Left out, since it cannot be used: {one}" for one in restored.left_out),
            *([own] if restored.own else []),
            *([f"What was there before lies in {kept}."] if kept else []),
        ],
    )
    return ANSWERED


def pin(arguments: Namespace) -> int:
    """Make a new host PIN and print it; an existing PIN is stored as a hash and cannot be shown."""
    from companion_app.web.serving.page_file import SettingsFile, is_hash

    file = home_folder() / "page.json"
    if arguments.hash is not None:
        if not is_hash(arguments.hash):
            raise InputError("--hash: that is not the hash of a PIN, as `make card` writes it")
        page = SettingsFile(file)
        page.change(pin_hash=arguments.hash, pin_number=page.now.pin_number + 1)
        return ANSWERED
    made = SettingsFile(file).new_pin() if arguments.new else None
    answer(
        arguments,
        {"host_pin": made},
        [made]
        if made is not None
        else [
            "Only a hash of the host PIN is kept, so it cannot be shown again.",
            "snake-eye pin --new makes another.",
        ],
    )
    return ANSWERED if made is not None else NO


def card(arguments: Namespace) -> int:
    """Write a new host card to print, or revoke the existing one."""
    from companion_app.backup import private_file
    from companion_app.listening import reachable_host
    from companion_app.web.card import drawn_card, some_code
    from companion_app.web.serving.page_file import SettingsFile
    from companion_app.web.speech import Speech

    kept = SettingsFile(home_folder() / "page.json")
    if arguments.forget:
        kept.keep_card("")
        answer(arguments, {"card": None}, ["The card is invalid now."])
        return ANSWERED
    settings, words, code = _settings(), Speech("en"), some_code()
    address = f"http://{reachable_host(settings.host)}:{settings.port}/"
    drawn = drawn_card(code, address, words.page("card-title"), words.page("card-about"))
    with writing(arguments.out), private_file(Path(arguments.out)) as file:
        file.write(drawn.encode())
    kept.keep_card(code)
    answer(
        arguments,
        {"card": arguments.out},
        [
            f"Print {arguments.out} at its own size (A6), then delete the file.",
            "Whoever has the card can be host: keep it where guests do not find it.",
        ],
    )
    return ANSWERED


def _settings() -> Settings:
    from companion_app.settings import Settings, SettingsError, load_settings

    try:
        return load_settings()
    except SettingsError:
        # Doctor reports the mistakes itself; continue with the default settings.
        return Settings()


def _seen(wanted: str, settings: Settings) -> Seen:
    from companion_app.doctor import is_running
    from companion_app.doctor_camera import Seen, look

    if is_running(home_folder()):
        if wanted == "pi" or wanted.startswith("webcam:"):
            from companion_app.found_cameras import found_cameras

            if wanted not in found_cameras():
                return Seen(wanted, trouble=f"there is no camera {wanted}; it is waited for")
        return Seen(wanted, in_use=True)
    return look(_camera_name(wanted), lambda name: _opened(name, settings))


def _camera_name(wanted: str) -> str:
    """Return the source to check; empty where no camera is wanted or found."""
    from companion_app.found_cameras import found_cameras

    if wanted in ("demo", "phone") or wanted.startswith("demo:"):
        return ""
    if wanted != "auto":
        return wanted
    return next(iter(found_cameras()), "")


def _opened(name: str, settings: Settings) -> FrameSource:
    from companion_app.live.opening import open_source, pi_source

    if name == "pi":
        return pi_source(settings)
    return open_source(name, settings.game or "schlangennest")
