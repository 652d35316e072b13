"""The sender as a process of the supervisor, so that the referee never waits for a hall."""

from __future__ import annotations

import sys
import threading

from companion_app.answers import ANSWERED, BAD_INPUT, complain
from companion_app.child import Child
from companion_app.hall.errors import HallError
from companion_app.hall.table.journal import Journal
from companion_app.hall.table.membership import MembershipFiles
from companion_app.hall.table.own_page import OwnPage
from companion_app.hall.table.sender import LOOK_S, Sender
from companion_app.home import home_folder
from companion_app.live.store import FILE


def main() -> int:
    """Send until told to stop, or until the table has left its hall."""
    child = Child()
    home = home_folder()
    files = MembershipFiles(home)
    try:
        membership = files.membership()
    except HallError as error:
        complain(str(error))
        return BAD_INPUT
    if membership is None:
        return ANSWERED
    page = OwnPage(f"http://127.0.0.1:{child.told['port']}")
    threading.Thread(target=page.watch, args=(child.stopping,), name="health", daemon=True).start()
    sender = Sender(membership, files, Journal(home / FILE), page.newest, page.obey)
    sender.start()
    child.report(ready=True)
    child.beat(lambda: True)
    try:
        while not child.stopping.wait(LOOK_S) and files.is_member(membership):
            sender.step()
    finally:
        sender.close()
    return ANSWERED


if __name__ == "__main__":
    sys.exit(main())
