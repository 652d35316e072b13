"""Taught boxes signed with minisign: who signed is said, what was changed after it is refused."""

import base64
import io
import json
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest

from companion_app.answers import ANSWERED, BAD_INPUT, NO
from companion_app.cli.main import main
from models.teaching import signature
from models.teaching.errors import TeachingError
from models.teaching.parcel import exported, signed, taken_in, who_signed
from models.teaching.shelf import listed, signature_of
from tests.companion_app.web.test_files_from_others import box, changed, setting
from tests.deploy.test_scripts import have

__all__ = ["box"]


def made_key(folder: Path, name: str) -> Path:
    """Return a new secret key; its public one lies beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    secret = folder / f"{name}.key"
    subprocess.run(
        ["minisign", "-G", "-W", "-f", "-p", folder / f"{name}.pub", "-s", secret],
        check=True,
        capture_output=True,
    )
    return secret


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    have("minisign", "minisign")
    folder = tmp_path_factory.mktemp("keys")
    made_key(folder, "Anna")
    made_key(folder, "Ben")
    return folder


@pytest.fixture
def shelf(tmp_path, keys):
    """Return the shelf of somebody who knows Anna's key."""
    (tmp_path / "keys").mkdir()
    shutil.copy(keys / "Anna.pub", tmp_path / "keys")
    return tmp_path / "sets"


def said(folder: Path) -> tuple[str, str]:
    (one,) = listed(folder)
    return one["signed"]["state"], one["signed"]["by"]


def test_box_shows_who_signed_it(shelf, keys, box):
    taken_in(shelf, signed(box, keys / "Anna.key"))

    assert said(shelf) == ("signed", "Anna")
    assert who_signed(exported(shelf, "ropes"), shelf.parent / "keys").by == "Anna"


def test_unsigned_box_is_taken_with_a_word(shelf, box):
    taken_in(shelf, box)

    assert said(shelf) == ("unsigned", "")


def test_key_that_is_not_known_is_named_by_its_number(shelf, keys, box):
    taken_in(shelf, signed(box, keys / "Ben.key"))

    number = (keys / "Ben.pub").read_text().split()[5]
    assert said(shelf) == ("unknown-key", number)


def test_number_of_a_key_is_written_as_in_its_public_key_without_zeros_in_front(tmp_path):
    number = bytes.fromhex("0E3C9AE0238A971C")
    line = base64.b64encode(b"ED" + number[::-1] + bytes(64))
    (tmp_path / f"ropes{signature.SUMS}").write_bytes(b"")
    (tmp_path / f"ropes{signature.SIGNATURE}").write_bytes(b"untrusted comment: x\n" + line + b"\n")

    said = signature.signed_by(tmp_path, "ropes", (), tmp_path / "keys")

    assert said == signature.Signed("unknown-key", "E3C9AE0238A971C")


@pytest.mark.parametrize("change", [setting(known=9.5), lambda m: m["figures"].update(photos=9)])
def test_box_that_was_changed_after_it_was_signed_is_refused(shelf, keys, box, change):
    whole = signed(box, keys / "Anna.key")

    with pytest.raises(TeachingError, match="changed after Anna signed it"):
        taken_in(shelf, changed(whole, change))

    assert list(shelf.iterdir()) == []


def test_signature_of_another_key_is_not_taken_for_a_known_one(shelf, keys, box):
    whole = signed(box, keys / "Ben.key")
    # Ben's signature, under the number of Anna's key.
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name.endswith(".minisig"):
                lines = data.decode().splitlines()
                anna = (keys / "Anna.pub").read_text().splitlines()[1]
                lines[1] = lines[1][:3] + anna[3:13] + lines[1][13:]
                data = "\n".join([*lines, ""]).encode()
            new.writestr(name, data)

    found = who_signed(out.getvalue(), shelf.parent / "keys")

    assert found.state in ("changed", "unknown-key")


def test_box_of_another_name_is_not_signed_any_more(shelf, keys, box):
    taken_in(shelf, signed(box, keys / "Anna.key"), "mine")

    assert said(shelf) == ("unsigned", "")


def test_file_changed_on_the_shelf_is_noticed(shelf, keys, box):
    taken_in(shelf, signed(box, keys / "Anna.key"))
    assert said(shelf) == ("signed", "Anna")
    manifest = json.loads((shelf / "ropes.json").read_text())
    (shelf / "ropes.json").write_text(json.dumps({**manifest, "known": 9.5}))

    assert said(shelf) == ("changed", "Anna")


def test_claim_inside_the_box_is_not_believed(shelf, box):
    taken_in(shelf, changed(box, setting(signed={"state": "signed", "by": "Anna"})))

    assert said(shelf) == ("unsigned", "")


def test_machine_without_minisign_says_that_it_cannot_check(shelf, keys, box, monkeypatch):
    taken_in(shelf, signed(box, keys / "Anna.key"))
    signature_of.__globals__["_signed"].cache_clear()
    monkeypatch.setattr(signature, "can_check", lambda: False)

    assert said(shelf) == ("unchecked", "Anna")
    signature_of.__globals__["_signed"].cache_clear()


@pytest.mark.parametrize(
    "data", [b"", b"one line", b"a\n!!!\n", b"a\n" + b"A" * 50_000, b"\xff\n\xff"]
)
def test_odd_signatures_and_keys_are_no_signatures(shelf, box, data):
    taken_in(shelf, box)
    (shelf / "ropes.sums").write_bytes(data)
    (shelf / "ropes.sums.minisig").write_bytes(data)
    (shelf.parent / "keys" / "Odd.pub").write_bytes(data)

    assert said(shelf)[0] in ("unknown-key", "changed")


def test_set_file_of_another_box_does_not_come_in_with_it(shelf, box):
    out = io.BytesIO(box)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr("schlangennest.toml", "format = 1\n")

    with pytest.raises(TeachingError, match="something else"):
        taken_in(shelf, out.getvalue())

    assert list(shelf.iterdir()) == []


# --- The command ---


def test_command_signs_shows_and_takes_in(shelf, keys, box, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    file = tmp_path / "ropes.zip"
    file.write_bytes(box)

    statuses = [
        main(["box", str(file)]),
        main(["box", str(file), "--sign", str(keys / "Anna.key")]),
        main(["box", str(file), "--take", "--json"]),
    ]

    out = capsys.readouterr().out.splitlines()
    assert statuses == [ANSWERED] * 3
    assert out[0].startswith("Nobody signed it")
    assert out[1] == "Signed by Anna."
    assert json.loads(out[2])["taken"] == "ropes"
    assert said(shelf) == ("signed", "Anna")


def test_command_says_no_to_a_changed_box_and_refuses_what_is_none(
    shelf, keys, box, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    file = tmp_path / "ropes.zip"
    file.write_bytes(changed(signed(box, keys / "Anna.key"), setting(known=9.5)))
    (tmp_path / "no.zip").write_bytes(b"no zip")

    assert main(["box", str(file)]) == NO
    assert main(["box", str(tmp_path / "no.zip")]) == BAD_INPUT
    assert main(["box", str(tmp_path / "none.zip")]) == BAD_INPUT
    assert main(["box", str(file), "--sign", str(keys / "Anna.pub")]) == BAD_INPUT
    assert capsys.readouterr().err.count("snake-eye: ") == 3
