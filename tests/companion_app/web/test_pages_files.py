"""The files of the page: the offline shell has them all, and every one is sent."""

from __future__ import annotations

import re
from importlib.resources import files

STATIC = files("companion_app") / "static"


def test_offline_shell_holds_every_file_of_the_page():
    worker = (STATIC / "sw.js").read_text(encoding="utf-8")
    kept = set(re.findall(r'"/static/([^"]+)"', worker))

    assert kept == {file.name for file in STATIC.iterdir() if file.name != "sw.js"}


def test_every_module_that_is_imported_is_there():
    for file in STATIC.iterdir():
        if file.name.endswith(".js"):
            named = re.findall(r'from "\./([^"]+)"', file.read_text(encoding="utf-8"))
            missing = [name for name in named if not (STATIC / name).is_file()]
            assert missing == [], file.name
