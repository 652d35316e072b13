"""The five ways in, each a call that takes any bytes and raises only where something is broken.

What a target may raise by design (a refusal with a sentence) is caught here; everything else is a
find.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PLAYTHROUGHS = ROOT / "tests" / "playthroughs"
MOST_MOVES = 60
"""A record with more is played only so far: one execution stays short."""


@dataclass(frozen=True, slots=True)
class Target:
    """One way in."""

    name: str
    about: str
    packages: tuple[str, ...]
    """Where coverage is watched."""
    ready: Callable[[], Callable[[bytes], None]]
    """Import what it needs and return the call."""
    seeds: Callable[[], Iterable[bytes]]
    """Sound examples to begin with."""


# --- pictures ------------------------------------------------------------------------------------


def _intake() -> Callable[[bytes], None]:
    from vision.core.errors import PictureError
    from vision.intake.picture import picture_file

    def look(data: bytes) -> None:
        try:
            picture = picture_file(data, "guest").decode(1 << 16)
        except PictureError as error:
            _check_sentence(str(error))
            return
        assert picture.bgr.ndim == 3 and min(picture.bgr.shape) > 0

    return look


def _pictures() -> Iterator[bytes]:
    from PIL import Image

    small = Image.effect_noise((40, 30), 60).convert("RGB")
    for kind, more in (
        ("JPEG", {}),
        ("JPEG", {"progressive": True}),
        ("PNG", {}),
        ("WEBP", {}),
        ("BMP", {}),
        ("TIFF", {}),
        ("GIF", {}),
        ("JPEG", {"exif": b"Exif\0\0II*\0\x08\0\0\0\0\0"}),
    ):
        out = io.BytesIO()
        small.save(out, kind, **more)
        yield out.getvalue()
    out = io.BytesIO()
    small.convert("RGBA").save(out, "PNG")
    yield out.getvalue()


# --- records -------------------------------------------------------------------------------------


def _records() -> Callable[[bytes], None]:
    from engine.errors import EngineError
    from engine.given import load_json
    from engine.record import parse_record
    from engine.referee import moves_at_end, referee_record

    def judge(data: bytes) -> None:
        try:
            given = load_json(data)
            if isinstance(given, dict) and isinstance(given.get("moves"), list):
                given["moves"] = given["moves"][:MOST_MOVES]
            record = parse_record(given)
            answer = referee_record(record)
        except EngineError as error:
            _check_sentence(str(error))
            return
        json.dumps(answer)
        if len(record.moves) <= 2:
            try:
                moves_at_end(record)
            except EngineError as error:
                _check_sentence(str(error))

    return judge


def _written_games() -> Iterator[bytes]:
    for path in sorted(PLAYTHROUGHS.glob("*.json")):
        games = json.loads(path.read_text(encoding="utf-8"))["games"]
        for game in (one for one in games[:2] if "record" in one):
            record = dict(game["record"])
            record["moves"] = record["moves"][:6]
            yield json.dumps(record).encode()


# --- boxes ---------------------------------------------------------------------------------------


def _boxes() -> Callable[[bytes], None]:
    from engine.errors import EngineError
    from engine.setfile import read_set_file
    from vision import VisionError
    from vision.classify.taught import find_taught

    folder = Path(tempfile.mkdtemp(prefix="fuzz-boxes-"))

    def take(data: bytes) -> None:
        """Take a set file; or, after a first byte of 1, a manifest and arrays of a taught box."""
        for old in folder.iterdir():
            old.unlink()
        try:
            if data[:1] != b"\x01":
                (folder / "mine.toml").write_bytes(data)
                read_set_file(folder / "mine.toml")
                return
            manifest, _, arrays = data[1:].partition(b"\0\0\0\0")
            # A guest can compute a checksum: what is behind it is tried too.
            digest = hashlib.sha256(arrays).hexdigest().encode()
            (folder / "mine.json").write_bytes(re.sub(rb"[0-9a-f]{64}", digest, manifest))
            (folder / "mine.npz").write_bytes(arrays)
            find_taught("mine", [folder])
        except (EngineError, VisionError) as error:
            _check_sentence(str(error))

    return take


def _set_files() -> Iterator[bytes]:
    for path in sorted((ROOT / "engine" / "sets").glob("*.toml")):
        yield path.read_bytes()[:6000]
    yield from _taught_boxes()


def _taught_boxes() -> Iterator[bytes]:
    import numpy as np

    arrays = io.BytesIO()
    np.savez_compressed(arrays, allow_pickle=False, looks=np.zeros((2, 8), np.float32))
    manifest = {
        "format": "snake-eye/taught",
        "version": 1,
        "name": "mine",
        "lattice": "square",
        "features": "x",
        "arrays": "mine.npz",
        "sha256": "0" * 64,
        "kinds": {"cat": {"count": 3, "turns": 1}},
    }
    yield b"\x01" + json.dumps(manifest).encode() + b"\0\0\0\0" + arrays.getvalue()


# --- backups -------------------------------------------------------------------------------------


def _backups() -> Callable[[bytes], None]:
    from companion_app.backup import BackupError
    from companion_app.restore import restore_backup

    folder = Path(tempfile.mkdtemp(prefix="fuzz-backups-"))
    home = folder / "home"

    def restore(data: bytes) -> None:
        """Restore bytes as they are; or, after a first byte of 1, as files with true checksums."""
        for left in folder.iterdir():
            shutil.rmtree(left) if left.is_dir() else left.unlink()
        home.mkdir()
        (home / "mine.txt").write_bytes(b"mine")
        packed = _packed_anew(data[1:]) if data[:1] == b"\x01" else data
        file = folder / "backup.zip"
        file.write_bytes(packed)
        try:
            restore_backup(home, file, lambda _: 1 << 40)
        except BackupError as error:
            _check_sentence(str(error))
            assert (home / "mine.txt").read_bytes() == b"mine", "a refused backup changed the home"
        outside = [path for path in folder.parent.glob("fuzz-outside*")]
        assert not outside, f"a backup wrote beside the home: {outside}"

    return restore


def _packed_anew(data: bytes) -> bytes:
    """Return an archive of names and contents with a manifest that is right about them."""
    parts = data.split(b"\0\0")
    files: dict[str, bytes] = {}
    for name, content in zip(parts[::2], parts[1::2], strict=False):
        files[name.decode("utf-8", "replace") or "x"] = content
    listed = [
        {"path": name, "size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
        for name, content in files.items()
    ]
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for path, content in files.items():
            try:
                archive.writestr(path, content)
            except (ValueError, UnicodeError, IndexError):
                continue
        manifest = _sound_manifest() | {"files": listed}
        archive.writestr("manifest.json", json.dumps(manifest))
    return out.getvalue()


@lru_cache(1)
def _sound_backup() -> bytes:
    from companion_app.backup import make_backup
    from companion_app.live.match import Match
    from companion_app.live.store import Store
    from engine.record import parse_record

    with tempfile.TemporaryDirectory() as name:
        home = Path(name) / "home"
        with Store(home) as store:
            written = next(iter(_written_games()))
            Match.begin(store, parse_record(json.loads(written)))
        make_backup(home, Path(name) / "backup.zip", lambda: 0.0)
        return (Path(name) / "backup.zip").read_bytes()


@lru_cache(1)
def _sound_manifest() -> dict[str, Any]:
    with zipfile.ZipFile(io.BytesIO(_sound_backup())) as archive:
        found: dict[str, Any] = json.loads(archive.read("manifest.json"))
    return found


def _sound_backups() -> Iterator[bytes]:
    yield _sound_backup()
    yield b"\x01page.json\0\0{}\0\0sets/a.toml\0\0name = 1"
    yield b"\x01games.sqlite\0\0SQLite format 3\0sets/../../fuzz-outside\0\0x"


# --- all routes ----------------------------------------------------------------------------------


def _routes() -> Callable[[bytes], None]:
    from tests.fuzz.guests import Guests

    return Guests().ask


def _requests() -> Iterator[bytes]:
    bodies: list[Mapping[str, Any]] = [
        {"pass": "blue"},
        {"answer": 1, "value": "blue/curve"},
        {"overrule": 1},
        {"count": 1},
        {"pin": "000000"},
        {"code": "ABCD", "seats": ["blue"]},
        {"roll": 2, "tiles": []},
        {"game": "carnival", "players": ["yellow", "black"]},
        {"source": "demo"},
        {"open_to": {"pictures": "host"}, "names": ["a.local"], "pictures_mb": 5},
    ]
    for number, body in enumerate(bodies):
        yield bytes((number % 3, number * 17, 1)) + json.dumps(body).encode()
    for number in range(0, 256, 16):
        yield bytes((number % 3, number, 0)) + b"lang=de&n=1&game=sssnake"


def _check_sentence(text: str) -> None:
    """Refusals are read by people: one of plain letters that does not go on for pages."""
    assert text.strip(), "refused without a word"
    assert len(text) < 4000, f"refused with {len(text)} letters"
    assert "Traceback" not in text


TARGETS = {
    target.name: target
    for target in (
        Target("intake", "pictures of any kind", ("vision.intake",), _intake, _pictures),
        Target("records", "written games", ("engine",), _records, _written_games),
        Target("boxes", "set files and taught boxes", ("engine", "vision"), _boxes, _set_files),
        Target("backups", "backups to restore", ("companion_app",), _backups, _sound_backups),
        Target(
            "routes",
            "all routes with roles drawn at random",
            ("companion_app", "engine"),
            _routes,
            _requests,
        ),
    )
}
