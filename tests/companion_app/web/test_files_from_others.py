"""Files that others made: each is refused by a sentence when it comes in, and never at use.

One table of bad files, held before everything that reads one.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.errors import ProfileError
from calibration.profile_file import load_profile
from companion_app.answers import ANSWERED, BAD_INPUT
from companion_app.cli.main import main
from companion_app.eye.corrections import Corrections
from companion_app.games.entries import read_line
from companion_app.labelled import read_photos
from companion_app.settings import SettingsError, load_settings
from companion_app.web.lessons.lesson import LessonFolder
from companion_app.web.serving.page_file import SettingsFile, read_settings
from companion_app.web.serving.sessions import Sessions, read_sessions
from engine.errors import EngineError, RecordError, SetError
from engine.given import read_json
from engine.setfile import read_set_file
from models.teaching.errors import TeachingError
from models.teaching.labels import parse_labels, read_labels, read_mapping
from models.teaching.parcel import exported, taken_in
from models.teaching.shelf import delete, listed, refused
from models.teaching.store import game_file
from models.teaching.teach import Lesson, teach
from tests.companion_app.web.views.test_teaching import send
from vision import ModelError, find_taught
from vision.core.files import read_arrays

Loader = Callable[[Path], object]
DIGITS = b"9" * 5000
DEEP = 100_000
NO_JSON = {
    "5,000 digits": b'{"format": ' + DIGITS + b"}",
    "5,000 digits below nothing": b'{"format": -0.' + DIGITS + b"e" + DIGITS + b"}",
    "lists in lists": b"[" * DEEP,
    "lists in lists, closed": b"[" * DEEP + b"]" * DEEP,
    "objects in objects": b'{"a":' * DEEP,
    "no text": b"\x00\xff\xfe\x80",
    "text of another kind": '{"format": 1}'.encode("utf-16"),
    "half a letter": rb'{"format": "\ud800"}',
    "no number": b'{"format": NaN}',
    "endless": b'{"format": -Infinity}',
    "too large a number": b'{"format": 1e999}',
    "a key twice": b'{"format": 1, "format": 1}',
    "half a file": b'{"format": "snake-eye',
    "nothing": b"",
    "another thing": b"[1, 2, 3]",
    "a word": b'"format"',
}
NO_TOML = {
    "5,000 digits": b"format = " + DIGITS,
    "lists in lists": b"format = " + b"[" * DEEP,
    "tables in tables": b"format = " + b"{a = " * 20_000,
    "a key of 30,000 parts": b"a." * 30_000 + b"b = 1",
    "many tables": b"".join(b"[t%d]\n" % n for n in range(30_000)),
    "no text": b"\x00\xff\xfe\x80",
    "text of another kind": "format = 1".encode("utf-16"),
    "no number": b"pitch_mm = nan\nformat = 1",
    "endless": b"[page]\nport = inf",
    "a key twice": b"format = 1\nformat = 1",
    "half a file": b'name = "snake',
    "a long name": b'format = 1\nname = "' + b"x" * 5000 + b'"',
    "too large": b"# " + b"x" * (2 << 20),
}
READ_JSON: dict[str, tuple[Loader, type[Exception] | tuple[type[Exception], ...]]] = {
    "labels": (lambda path: read_labels(path, "square"), TeachingError),
    "a map": (read_mapping, TeachingError),
    "a profile": (load_profile, ProfileError),
    "the page's settings": (read_settings, (EngineError, ValueError)),
    "sessions": (read_sessions, (EngineError, ValueError)),
    "corrections": (read_photos, EngineError),
    "a taught box": (lambda path: find_taught(path.stem, (path.parent,)), ModelError),
}


@pytest.mark.parametrize("bad", NO_JSON)
@pytest.mark.parametrize("reader", READ_JSON)
def test_bad_json_is_refused_by_a_sentence(tmp_path, reader, bad):
    load, error = READ_JSON[reader]
    path = tmp_path / "evil.json"
    path.write_bytes(NO_JSON[bad])

    with pytest.raises(error) as said:
        load(path)

    assert not isinstance(said.value, RecursionError | OverflowError | UnicodeError)
    assert 0 < len(str(said.value)) < 1000


@pytest.mark.parametrize("bad", NO_TOML)
@pytest.mark.parametrize(
    ("load", "error"), [(read_set_file, SetError), (load_settings, SettingsError)]
)
def test_bad_toml_is_refused_by_a_sentence(tmp_path, load, error, bad):
    path = tmp_path / "evil.toml"
    path.write_bytes(NO_TOML[bad])

    with pytest.raises(error) as said:
        load(path)

    assert 0 < len(str(said.value)) < 1000


def test_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "evil.json")

    with pytest.raises(RecordError, match="no plain file"):
        read_json(tmp_path / "evil.json")


# --- Files of our own that others may have changed: the page goes on without them ---


@pytest.mark.parametrize("bad", NO_JSON)
def test_page_begins_anew_where_its_own_files_are_bad(tmp_path, bad, caplog):
    for name in ("page.json", "sessions.json", "lesson/lesson.json", "corrections/evil.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(NO_JSON[bad])

    settings = SettingsFile(tmp_path / "page.json", pin_cost=2)

    assert settings.made_pin is not None
    assert "begins anew" in caplog.text
    assert Sessions(tmp_path / "sessions.json").listed() == {}
    assert LessonFolder(tmp_path / "lesson", tmp_path / "sets").read() is None
    assert Corrections(tmp_path / "corrections").listed() == []
    assert read_line(NO_JSON[bad].decode("latin-1")) is None


GOOD_PAGE = {
    "secret": "ab" * 32,
    "pin_hash": f"scrypt$16384${'0' * 32}${'0' * 64}",
    "names": ["snake-eye.fritz.box"],
}


@pytest.mark.parametrize(
    "changes",
    [
        {"secret": ""},
        {"secret": 7},
        {"pin_hash": "scrypt$999999$00$00"},
        {"pin_hash": "scrypt$" + "9" * 5000},
        {"pin_number": 10**30},
        {"pin_number": True},
        {"pictures_mb": -1},
        {"pictures_mb": 2.5},
        {"names": ["x" * 5000]},
        {"names": "evil"},
        {"names": ["a"] * 5000},
        {"open_to": []},
        {"open_to": {"pictures": []}},
        {"players_answer": "yes"},
        {"join_code": ["A"]},
        {"source": "x" * 5000},
    ],
)
def test_settings_that_the_page_never_kept_are_refused(tmp_path, changes):
    path = tmp_path / "page.json"
    path.write_text(json.dumps(GOOD_PAGE))
    assert read_settings(path).names == ("snake-eye.fritz.box",)
    path.write_text(json.dumps({**GOOD_PAGE, **changes}))

    with pytest.raises(ValueError, match=r"not what the page keeps|at `\$"):
        read_settings(path)


GOOD_SESSION = {"made_s": 1.0, "seen_s": 2.0, "device": "", "host": 1, "code": 0, "seats": ["blue"]}


@pytest.mark.parametrize(
    ("key", "changes"),
    [
        ("evil", {}),
        ("ab" * 32, {"host": True}),
        ("ab" * 32, {"host": "1"}),
        ("ab" * 32, {"seats": "blue"}),
        ("ab" * 32, {"seats": ["x" * 5000]}),
        ("ab" * 32, {"seats": ["x"] * 5000}),
        ("ab" * 32, {"made_s": []}),
        ("ab" * 32, {"device": "x" * 5000}),
        ("ab" * 32, {"made_s": 10**39 * 10}),
    ],
)
def test_sessions_that_the_page_never_kept_are_refused(tmp_path, key, changes):
    path = tmp_path / "sessions.json"
    path.write_text(json.dumps({"cd" * 32: GOOD_SESSION}))
    assert len(read_sessions(path)) == 1
    path.write_text(json.dumps({key: {**GOOD_SESSION, **changes}}))

    with pytest.raises((ValueError, EngineError)):
        read_sessions(path)


@pytest.mark.parametrize("name", ["../../games.sqlite3", "/etc/passwd", "evil.py", "", "a" * 300])
def test_correction_that_names_a_file_elsewhere_deletes_nothing(tmp_path, name):
    folder = tmp_path / "home" / "corrections"
    folder.mkdir(parents=True)
    (tmp_path / "games.sqlite3").write_bytes(b"games")
    (folder / "evil.json").write_text(json.dumps({"photos": {name: [{"tile": "x"}]}}))
    kept = Corrections(folder)

    assert kept.listed() == []
    assert kept.forget() == 0
    assert (tmp_path / "games.sqlite3").exists()


@pytest.mark.parametrize("number", ["1" + "0" * 400, "1e300", "-1e10", '"x"', "[]", "null"])
@pytest.mark.parametrize("key", ["size_px", "residual_mm", "mm_from_px"])
def test_profile_with_numbers_that_no_camera_has_is_refused(tmp_path, key, number):
    good = {
        "size_px": "[640, 480]",
        "residual_mm": "1.0",
        "mm_from_px": "[[1, 0, 0], [0, 1, 0], [0, 0, 1]]",
    }
    bad = {
        **good,
        key: f"[[{number}, 0, 0], [0, 1, 0], [0, 0, 1]]"
        if key == "mm_from_px"
        else f"[{number}, 480]"
        if key == "size_px"
        else number,
    }
    path = tmp_path / "evil.json"
    path.write_text(
        f'{{"format": "snake-eye/profile", "version": 1, "size_px": {bad["size_px"]}, "table": '
        f'{{"mm_from_px": {bad["mm_from_px"]}, "learnt_from": "x", '
        f'"residual_mm": {bad["residual_mm"]}}}}}'
    )

    with pytest.raises(ProfileError):
        load_profile(path)


# --- Taught boxes ---

KINDS = ("fox", "owl")


@pytest.fixture(scope="module")
def box(tmp_path_factory) -> bytes:
    """Return a taught box of two kinds, as a file."""
    folder = tmp_path_factory.mktemp("taught")
    tiles = []
    for number, letter in enumerate("AB"):
        tile = np.full((72, 72, 3), (60 + 90 * number, 120, 180 - 90 * number), np.uint8)
        tiles.append(cv2.putText(tile, letter, (16, 56), 0, 1.8, (250, 250, 250), 6))
    cv2.imwrite(str(folder / "one.png"), np.concatenate(tiles, axis=1))
    said = {"photos": {"one.png": [{"tile": k, "at": [x, 0]} for x, k in enumerate(KINDS)]}}
    asked = Lesson("ropes", "square", folder, parse_labels(said, "square"), grid=(2, 1))
    teach(asked, folder / "sets")
    return exported(folder / "sets", "ropes")


def changed(box: bytes, change: Callable[[dict[str, Any]], Any]) -> bytes:
    """Return a box with another manifest; where the change returns bytes, those are it."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(box)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "ropes.json":
                manifest = json.loads(data)
                made = change(manifest)
                data = made if isinstance(made, bytes) else json.dumps(manifest).encode()
            new.writestr(name, data)
    return out.getvalue()


def with_files(box: bytes, **files: bytes) -> bytes:
    """Return a box with more files in it."""
    out = io.BytesIO(box)
    with zipfile.ZipFile(out, "a") as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def with_arrays(box: bytes, data: bytes) -> bytes:
    """Return a box whose arrays are others; the manifest has their hash."""
    with zipfile.ZipFile(io.BytesIO(box)) as old:
        manifest = json.loads(old.read("ropes.json"))
    manifest |= {"file": "ropes-00000000.npz", "sha256": hashlib.sha256(data).hexdigest()}
    del manifest["examples"]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as new:
        new.writestr("ropes-00000000.npz", data)
        new.writestr("ropes.json", json.dumps(manifest))
    return out.getvalue()


def npz(compression: int = zipfile.ZIP_DEFLATED, /, **files: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, data in files.items():
            archive.writestr(f"{name}.npy", data)
    return out.getvalue()


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def lying(shape: str, kind: str = "<f4") -> bytes:
    """Return an array whose head says that it is larger than it is."""
    said = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(said)) + said


def torn(data: bytes) -> bytes:
    """Return a packed file with a byte of what is packed changed, and nothing else."""
    at = data.index(b"NUMPY") if b"NUMPY" in data else len(data) // 3
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


def setting(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda manifest: manifest.update(values)


def instead(data: bytes) -> Callable[[dict[str, Any]], Any]:
    return lambda _: data


MANIFESTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    **{name: instead(data) for name, data in NO_JSON.items()},
    "a path": setting(file="../../page.json"),
    "a path of examples": lambda m: m["examples"].update(file="../ropes-1.examples.npz"),
    "no arrays": setting(file=7),
    "another hash": setting(sha256="0" * 64),
    "no looks": setting(looks=None),
    "looks of nothing": setting(looks=[]),
    "looks of many digits": setting(looks=["fox#0@" + "9" * 5000]),
    "looks far away": setting(looks=["fox#999999@0"]),
    "looks that are lists": setting(looks=[[[]]]),
    "a long name": setting(kinds=[{"tile": "x" * 5000, "period": 1}]),
    "a hidden name": setting(kinds=[{"tile": "fox\u202e", "period": 1}]),
    "a name that is none": setting(kinds=[{"tile": {}, "period": 1}]),
    "a period of many digits": setting(kinds=[{"tile": "fox", "period": 10**39}]),
    "a period that is text": setting(kinds=[{"tile": "fox", "period": "1"}]),
    "kinds that are none": setting(kinds={"fox": 1}),
    "a negative reach": setting(known=-1),
    "a reach of nothing": setting(known=[]),
    "no temperature": setting(temperature="warm"),
    "another lattice": setting(lattice="round"),
    "figures that are none": setting(figures=[]),
    "figures of text": setting(figures={"kinds": "fox"}),
    "figures without names": setting(figures={"kinds": [{"sure": 1}]}),
    "figures beyond sure": setting(figures={"kinds": [{"tile": "fox", "sure": 10**39}]}),
    "one that looks alike": setting(figures={"alike": [{"tiles": ["fox"]}]}),
    "rules without a set file": setting(game="chess"),
    "prints of nothing": setting(faces=["fox"] * 9),
}
ARRAYS = {
    "no zip": b"PK no zip",
    "nothing": b"",
    "terabytes": npz(project=lying("(900000000000,)")),
    "negative": npz(project=lying("(-1, 4)")),
    "nested heads": npz(project=lying("(" * 3000)),
    "text": npz(project=npy(np.array(["x"]))),
    "no numbers": npz(
        project=npy(np.full((4, 4), np.nan, np.float32)), centres=npy(np.zeros((2, 4), np.float32))
    ),
    "endless": npz(
        project=npy(np.full((4, 4), np.inf, np.float32)), centres=npy(np.zeros((2, 4), np.float32))
    ),
    "other shapes": npz(project=npy(np.zeros(3)), centres=npy(np.zeros((1, 1, 1)))),
    "none that are needed": npz(other=npy(np.zeros(3))),
    "files that are no arrays": npz(project=b"steal()", centres=b"steal()"),
    "many": npz(**{f"a{n}": npy(np.zeros(1)) for n in range(200)}),
    "packed by others": npz(zipfile.ZIP_LZMA, project=npy(np.zeros(3))),
    "torn": torn(npz(project=npy(np.arange(4000.0)))),
    "a bomb": npz(project=npy(np.zeros(300 << 18, np.float32))),
}


@pytest.mark.parametrize("bad", MANIFESTS)
def test_bad_box_is_refused_at_import_and_the_shelf_stays(tmp_path, box, bad):
    with pytest.raises(TeachingError) as said:
        taken_in(tmp_path, changed(box, MANIFESTS[bad]))

    assert 0 < len(str(said.value)) < 1500
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", ARRAYS)
def test_box_with_bad_arrays_is_refused_at_import(tmp_path, box, bad):
    with pytest.raises(TeachingError):
        taken_in(tmp_path, with_arrays(box, ARRAYS[bad]))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("bad", ARRAYS)
def test_bad_arrays_are_never_half_read(tmp_path, bad):
    (tmp_path / "evil.npz").write_bytes(ARRAYS[bad])
    harmless = bad in ("no numbers", "endless", "other shapes", "none that are needed")

    try:
        read_arrays(tmp_path / "evil.npz", hashlib.sha256(ARRAYS[bad]).hexdigest())
    except ModelError:
        assert not harmless
    else:
        assert harmless


@pytest.mark.parametrize(
    "name",
    [
        "../evil.json",
        "/evil.json",
        "a/evil.json",
        ".evil.json",
        "evil.py",
        "EVIL.json",
        "a" * 300 + ".json",
        "evil\n.json",
        "con:.json",
        "",
    ],
)
def test_box_with_a_name_that_is_no_plain_one_is_refused(tmp_path, box, name):
    out = io.BytesIO(box)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(zipfile.ZipInfo(name), b"{}")

    with pytest.raises(TeachingError):
        taken_in(tmp_path / "sets", out.getvalue())

    assert list(tmp_path.rglob("*.json")) == []


def test_sound_box_is_taken_in(tmp_path, box):
    assert taken_in(tmp_path, box) == "ropes"
    assert [one["name"] for one in listed(tmp_path)] == ["ropes"]
    assert refused(tmp_path) == {}


def test_set_file_of_another_box_does_not_come_in_with_it(tmp_path, box):
    with pytest.raises(TeachingError, match="something else"):
        taken_in(tmp_path / "sets", with_files(box, **{"schlangennest.toml": b"format = 1"}))

    assert list((tmp_path / "sets").iterdir()) == []


def test_box_that_1_0_0_signed_is_taken_in_without_its_signature(tmp_path, box):
    signature = {"ropes.sums": b"0  ropes.json", "ropes.sums.minisig": b"untrusted comment: x"}

    assert taken_in(tmp_path, with_files(box, **signature)) == "ropes"
    assert not list(tmp_path.glob("*.sums*"))


def test_command_names_a_box_takes_it_in_and_signs_no_more(tmp_path, box, capsys, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path))
    file = tmp_path / "ropes.zip"
    file.write_bytes(box)
    (tmp_path / "no.zip").write_bytes(b"no zip")

    assert main(["box", str(file)]) == ANSWERED
    assert main(["box", str(file), "--take", "--json"]) == ANSWERED
    assert main(["box", str(tmp_path / "no.zip")]) == BAD_INPUT
    assert main(["box", str(file), "--sign", "minisign.key"]) == BAD_INPUT
    said = capsys.readouterr()
    assert "called ropes" in said.out.splitlines()[0]
    assert json.loads(said.out.splitlines()[1])["taken"] == "ropes"
    assert "not signed any more" in said.err.splitlines()[1]


@pytest.mark.parametrize("bad", MANIFESTS)
def test_bad_box_dropped_into_the_folder_is_named_and_can_be_deleted(tmp_path, box, bad):
    with zipfile.ZipFile(io.BytesIO(changed(box, MANIFESTS[bad]))) as archive:
        archive.extractall(tmp_path)
    in_use = bad == "a path of examples"

    assert list(refused(tmp_path)) == ([] if in_use else ["ropes.json"])
    delete(tmp_path, "ropes")
    assert not (tmp_path / "ropes.json").exists()


@pytest.mark.parametrize("bad", NO_TOML)
def test_bad_set_file_dropped_into_the_folder_is_named(tmp_path, bad):
    (tmp_path / "evil.toml").write_bytes(NO_TOML[bad])
    (tmp_path / "good.toml").write_text(game_file("good", "schlangennest"), encoding="utf-8")

    assert list(refused(tmp_path)) == ["evil.toml"]


# --- What people see ---


@pytest.mark.parametrize("bad", ["5,000 digits", "lists in lists", "no text", "a path"])
def test_page_refuses_a_bad_box_by_a_sentence(played, box, bad):
    host = played.host()

    answer = send(
        host, "/api/teaching/import", box=(io.BytesIO(changed(box, MANIFESTS[bad])), "ropes.zip")
    )

    assert answer.status_code == 400
    assert answer.get_json()["error"]["code"] == "bad-box"


def test_page_names_files_in_the_folder_that_cannot_be_used(played, box):
    folder = played.store.path.parent / "sets"
    folder.mkdir()
    (folder / "evil.json").write_bytes(NO_JSON["5,000 digits"])

    shown = played.host().get("/api/teaching?lang=de")

    assert shown["boxes"] == []
    assert [one["file"] for one in shown["refused"]] == ["evil.json"]
    assert "evil" in shown["refused"][0]["text"]
    assert "digits" in shown["refused"][0]["detail"]
    assert played.host().post("/api/teaching/boxes", {"delete": "evil"}).status_code == 200
    assert played.host().get("/api/teaching")["refused"] == []


@pytest.mark.parametrize("bad", NO_JSON)
def test_command_refuses_bad_labels_by_one_sentence(tmp_path, bad, capsys, monkeypatch):
    monkeypatch.setenv("SNAKE_EYE_HOME", str(tmp_path / "home"))
    (tmp_path / "labels.json").write_bytes(NO_JSON[bad])

    status = main(
        [
            "teach",
            "ropes",
            "--shape",
            "square",
            "--photos",
            str(tmp_path),
            "--labels",
            str(tmp_path / "labels.json"),
        ]
    )

    said = capsys.readouterr().err
    assert status == BAD_INPUT
    assert said.startswith("snake-eye: ")
    assert said.count("\n") == 1
