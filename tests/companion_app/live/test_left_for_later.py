"""What salvage counts wrongly until the log is a text file of its own."""

from __future__ import annotations

from companion_app.live.salvage_report import told
from companion_app.live.store import FILE, Store
from tests.steps import comes_with


@comes_with("log")
def test_lines_of_a_game_that_was_deleted_are_not_told_as_lost(tmp_path):
    with Store(tmp_path) as store:
        store.append("kept", "started", {})
        for number in range(9):
            store.append("deleted", "move", {"n": number})
        store.append("newer", "started", {})
        store.forget("deleted")
    # A power cut left half a line in the copy; later the head of the file was damaged.
    with (tmp_path / "games.log").open("ab") as copy:
        copy.write(b'{"seq": 12, "ga')
    with (tmp_path / FILE).open("r+b") as file:
        file.write(bytes(100))

    with Store(tmp_path) as store:
        assert store.games() == ["kept", "newer"]
    found = told(tmp_path)
    assert found is not None
    assert found.lines_lost == 0
