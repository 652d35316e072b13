"""The commands ``hall`` and ``reader``: run a hall of tables, join a table to one, read photos."""

from __future__ import annotations

import argparse
import signal
import socket
import sys
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from companion_app.answers import ANSWERED, NO, InputError, answer
from companion_app.child import settle
from companion_app.cli.arguments import Commands, add_command, new_parser, port
from companion_app.home import home_folder

FOLDER = "hall"
MISSING = (
    "the hall needs more than a table does: install it with `make hall-ready`, or with pip "
    "install 'snake-eye[hall]'"
)
NO_BROKER = (
    "a hall needs no broker any more: tables send to it by https. Leave out --broker and "
    "--broker-port; --tables-port P says where it listens for them"
)


def add_reader_command(commands: Commands) -> None:
    """Add ``reader`` to the commands of ``snake-eye``."""
    reader = add_command(
        commands, "reader", run_reader, ["reader --database postgresql://hall@localhost/hall"]
    )
    reader.add_argument("--database", required=True, metavar="URL", help="the hall's PostgreSQL")


def add_hall_command(commands: Commands) -> None:
    """Add ``hall`` to the commands of ``snake-eye``."""
    hall = new_parser(
        commands,
        "hall",
        [
            "hall",
            "hall --database postgresql://hall@localhost/hall",
            "hall join http://hall.local:8090 K7QF2MZP --name 'Table 3'",
            "hall verify",
            "hall backup evening.backup",
            "hall migrate --database postgresql://hall@localhost/hall",
        ],
    )
    _database(hall)
    hall.add_argument("--json", action="store_true", help="print one line when ready")
    for option in ("--broker", "--broker-port"):
        hall.add_argument(option, help=argparse.SUPPRESS)
    hall.add_argument(
        "--tables-port", type=port, metavar="P", help="where tables send to, 8883 or the next"
    )
    hall.add_argument(
        "--host", default="0.0.0.0", metavar="H", help="address to listen at; all of this machine"
    )
    hall.add_argument("--port", type=port, metavar="P", help="8090, or the next that is free")
    hall.add_argument(
        "--demo", type=int, default=0, metavar="N", help="so many tables that play by themselves"
    )
    hall.set_defaults(command=run_hall)
    parts = hall.add_subparsers(title="at the hall or at a table", metavar="PART")

    join = add_command(
        parts,
        "join",
        join_hall,
        ["hall join http://hall.local:8090 K7QF2MZP --name 'Table 3'"],
        does="let this table join a hall",
    )
    join.add_argument("address", metavar="ADDRESS", help="the hall's page")
    join.add_argument("code", metavar="CODE", help="the hall's code; an arbiter's phone shows it")
    join.add_argument("--name", default="", metavar="NAME", help="what the table is called there")

    add_command(parts, "leave", leave_hall, ["hall leave"], does="let this table leave its hall")
    add_command(
        parts,
        "verify",
        verify,
        ["hall verify", "hall verify --json"],
        does="compare this table's log with the hall's, line by line",
    )
    pin = add_command(parts, "pin", new_pin, ["hall pin"], does="make another PIN for arbiters")
    _database(pin)
    migrate = add_command(
        parts,
        "migrate",
        migrate_hall,
        ["hall migrate"],
        does="take the database on to this version",
    )
    _database(migrate)
    for name, does, command in (
        ("backup", "write everything that the hall keeps into one file", backup_hall),
        ("restore", "put a backup into an empty database", restore_hall),
    ):
        keeping = add_command(parts, name, command, [f"hall {name} evening.backup"], does=does)
        keeping.add_argument("file", metavar="FILE", help="the backup")
        _database(keeping)


def _database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database", metavar="URL", help="postgresql://USER@HOST/NAME; else a file of its own"
    )


# --- at the hall ---------------------------------------------------------------------------------


def run_hall(arguments: Namespace) -> int:
    """Serve the hall until it is stopped."""
    if arguments.broker or arguments.broker_port:
        raise InputError(NO_BROKER)
    _needs("sqlalchemy", "cryptography", "alembic")
    import logging

    from companion_app.hall.process import Asked, HallProcess

    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    asked = Asked(
        home_folder() / FOLDER,
        arguments.database,
        arguments.host,
        arguments.port,
        arguments.tables_port,
    )
    with HallProcess(asked) as hall:
        settle()
        _announce(arguments, hall.hall.address, hall.code, hall.pin)
        if arguments.demo:
            from companion_app.hall.demo import DemoTables

            with DemoTables(hall, arguments.demo):
                _wait(hall.wait)
        else:
            _wait(hall.wait)
    return ANSWERED


def _wait(wait: Callable[[], None]) -> None:
    """Wait until the hall is closed; SIGTERM, which systemd sends, counts as Ctrl-C."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt):
        wait()


def _announce(arguments: Namespace, address: str, code: str, pin: str | None) -> None:
    answer(
        arguments,
        {"url": address, "code": code, "arbiter_pin": pin},
        [
            f"The hall is open: {address}",
            f"Tables join by: snake-eye hall join {address} {code}",
            "The arbiters' PIN is the one that you know; snake-eye hall pin makes another."
            if pin is None
            else f"Arbiters' PIN: {pin} (shown this once; type it in at {address}arbiter)",
            "Ctrl-C closes the hall; the tables play on, and send what they played later.",
        ],
    )
    sys.stdout.flush()


def new_pin(arguments: Namespace) -> int:
    """Make a new PIN for arbiters; all of them have to log in again."""
    _needs("sqlalchemy", "cryptography", "alembic")
    from companion_app.hall.store.database import address_of, open_engine
    from companion_app.hall.store.hall_store import HallStore
    from companion_app.hall.web.hall import new_pin as make

    store = HallStore(open_engine(address_of(arguments.database, home_folder() / FOLDER)))
    pin = make(store)
    store.close()
    answer(arguments, {"arbiter_pin": pin}, [pin])
    return ANSWERED


def migrate_hall(arguments: Namespace) -> int:
    """Migrate the hall's database to the schema of this version."""
    _needs("sqlalchemy", "alembic")
    from companion_app.hall.store.database import address_of, migrate

    folder = home_folder() / FOLDER
    done = migrate(address_of(arguments.database, folder), folder)
    words = [f"The hall's database is of version {done.now} (before: {done.before or 'empty'})."]
    words += [
        f"There are no leagues any more; what was kept of them is in {f}." for f in done.files
    ]
    files = [str(file) for file in done.files]
    answer(arguments, {"before": done.before, "now": done.now, "files": files}, words)
    return ANSWERED


def backup_hall(arguments: Namespace) -> int:
    """Write all data of the hall into one file."""
    _needs("sqlalchemy", "alembic")
    from companion_app.hall.store.backup import backup

    size = backup(arguments.database, home_folder() / FOLDER, Path(arguments.file))
    answer(
        arguments,
        {"file": arguments.file, "bytes": size},
        [
            f"Backed up in {arguments.file} ({size / 1e6:.1f} MB).",
            "It holds the hall's keys, names and pictures: keep it to yourself.",
        ],
    )
    return ANSWERED


def restore_hall(arguments: Namespace) -> int:
    """Restore a backup into an empty database."""
    _needs("sqlalchemy", "alembic")
    from companion_app.hall.store.backup import restore

    restore(arguments.database, home_folder() / FOLDER, Path(arguments.file))
    answer(arguments, {"file": arguments.file}, [f"Restored from {arguments.file}."])
    return ANSWERED


def run_reader(arguments: Namespace) -> int:
    """Read photos for a hall until the worker is stopped."""
    _needs("sqlalchemy", "psycopg")
    from companion_app.hall.photos import read_photos

    return read_photos(arguments.database, announce=arguments.json)


# --- at a table ----------------------------------------------------------------------------------


def join_hall(arguments: Namespace) -> int:
    """Let this table join a hall by its code."""
    _needs("cryptography", "sqlalchemy")
    from companion_app.games.kept import KeptGames
    from companion_app.hall.table.membership import MembershipFiles, ask_to_join
    from companion_app.live.store import FILE

    home = home_folder()
    journal = KeptGames(home / FILE)
    since = journal.unfinished_since() if journal.file.exists() else 0
    membership = ask_to_join(
        arguments.address, arguments.code, arguments.name or socket.gethostname(), since
    )
    MembershipFiles(home).join(membership)
    said = {"hall": membership.hall, "table": membership.table, "name": membership.name}
    answer(
        arguments,
        said,
        [
            f"This table is {membership.name} in the hall at {membership.address} now.",
            "Games from now on are sent there; earlier ones stay here.",
        ],
    )
    return ANSWERED


def leave_hall(arguments: Namespace) -> int:
    """Let this table leave its hall."""
    _needs("cryptography", "sqlalchemy")
    from companion_app.hall.table.membership import MembershipFiles

    left = MembershipFiles(home_folder()).leave()
    words = "This table is in no hall any more." if left else "This table is in no hall."
    answer(arguments, {"left": left}, [words])
    return ANSWERED if left else NO


def verify(arguments: Namespace) -> int:
    """Compare this table's log with the hall's, line by line."""
    _needs("cryptography", "sqlalchemy")
    from companion_app.games.kept import KeptGames
    from companion_app.hall.table.agreeing import compare
    from companion_app.hall.table.membership import MembershipFiles
    from companion_app.live.store import FILE

    home = home_folder()
    files = MembershipFiles(home)
    membership = files.membership()
    if membership is None:
        raise InputError("this table has joined no hall; snake-eye hall join ADDRESS CODE does")
    agreed = compare(membership, KeptGames(home / FILE), files.cursor().doors)
    words = f"Table and hall agree on all {agreed.lines} lines."
    if not agreed.ok:
        words = (
            f"Lines that agree: {agreed.lines}. Lines that differ: {len(agreed.differing)}. "
            f"Lines that one of them lacks: {len(agreed.missing)}."
        )
    answer(
        arguments,
        {
            "ok": agreed.ok,
            "lines": agreed.lines,
            "missing": list(agreed.missing),
            "differing": list(agreed.differing),
        },
        [words],
    )
    return ANSWERED if agreed.ok else NO


def _needs(*libraries: str) -> None:
    from importlib.util import find_spec

    if any(find_spec(library) is None for library in libraries):
        raise InputError(MISSING)
