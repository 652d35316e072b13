"""Teaching from what owners really have: odd names, turned photos, wrong labels, blank pictures."""

import json
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from engine.setfile import built_in_set
from models.teaching.errors import TeachingError
from models.teaching.labels import parse_labels, read_labels
from models.teaching.store import read_kept, write_taught
from models.teaching.teach import Lesson, gather, teach
from tests.lessons import short_lessons
from vision.classify.reader import shipped_reader
from vision.classify.taught import find_taught, reader_of

SIDE = 72
NAMES = ("Fünf/✓ #0@1", "👩‍🚀 עץ", "a b\\c", "<script>", "-1")
TURNED_RIGHT = 6
"""What EXIF says of a picture whose camera was turned: show it turned a quarter clockwise."""


def face(number: int) -> np.ndarray:
    tile = np.full((SIDE, SIDE, 3), ((number * 47) % 200 + 30, 120, (number * 91) % 200 + 30))
    tile = tile.astype(np.uint8)
    cv2.putText(tile, "ABCDE"[number % 5], (16, 56), 0, 1.8, (250, 250, 250), 6)
    return tile


def row_of(kinds: tuple[str, ...]) -> np.ndarray:
    return np.concatenate([face(number) for number in range(len(kinds))], axis=1)


def labels_for(file: str, kinds: tuple[str, ...]) -> dict[str, object]:
    return {file: [{"tile": kind, "at": [x, 0]} for x, kind in enumerate(kinds)]}


def lesson(folder: Path, photos: dict[str, object], **more: object) -> Lesson:
    return Lesson("mine", "square", folder, parse_labels({"photos": photos}, "square"), **more)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def taught(tmp_path_factory):
    """A box with odd names, learnt from a photo that its camera took on its side."""
    folder = tmp_path_factory.mktemp("odd")
    lying = np.ascontiguousarray(np.rot90(row_of(NAMES))[..., ::-1])
    exif = Image.Exif()
    exif[0x0112] = TURNED_RIGHT
    Image.fromarray(lying).save(folder / "one.jpg", exif=exif, quality=95)
    asked = lesson(folder, labels_for("one.jpg", NAMES), grid=(len(NAMES), 1))
    with short_lessons():
        return folder, asked, teach(asked, folder / "sets")


def test_a_photo_that_lies_on_its_side_is_learnt_upright(taught):
    _, asked, _ = taught

    patches = gather(asked).examples.patches

    middle = patches[1][40:72, 40:72].reshape(-1, 3)
    corner = patches[1][22:28, 22:28].reshape(-1, 3).mean(axis=0)
    assert np.abs(corner - face(1)[2, 2]).max() < 12
    assert middle.max() > 220


def test_kinds_may_have_any_names(taught):
    folder, _, report = taught

    box = find_taught("mine", (folder / "sets",))

    assert box is not None
    assert set(box.tile_set.kinds) == set(NAMES)
    assert [kind["tile"] for kind in report["kinds"]] == sorted(NAMES)


def test_built_in_boxes_are_read_as_before(taught):
    folder, _, _ = taught

    for name in ("schlangennest", "sssnake", "carnival"):
        assert reader_of(built_in_set(name), (folder / "sets",)) is shipped_reader(name)


def test_what_was_taught_outlives_a_lesson_that_fails(taught):
    folder, _, _ = taught
    before = {path: path.read_bytes() for path in (folder / "sets").iterdir()}
    Image.fromarray(np.full((SIDE, 5 * SIDE, 3), 90, np.uint8)).save(folder / "blank.png")

    with pytest.raises(TeachingError, match="nothing can be seen where tiles are labelled"):
        teach(lesson(folder, labels_for("blank.png", NAMES), grid=(5, 1)), folder / "sets")

    assert {path: path.read_bytes() for path in (folder / "sets").iterdir()} == before


def test_box_that_finds_no_room_leaves_no_half_written_file(taught, monkeypatch):
    sets = taught[0] / "sets"
    box, old = find_taught("mine", (sets,)), read_kept(sets, "mine")
    before = {path: path.read_bytes() for path in sets.iterdir()}

    def full(path: Path, _: object) -> str:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("models.teaching.store.write_kept", full)
    assert box is not None and box.reader is not None and old is not None
    with pytest.raises(OSError, match="No space"):
        write_taught(sets, "mine", box.reader, {}, None, old[0])

    assert {path: path.read_bytes() for path in sets.iterdir()} == before


def test_box_whose_examples_are_damaged_is_told_the_page_by_a_code(tmp_path):
    said = {"examples": {"file": "mine.examples.npz", "sha256": "0"}}
    (tmp_path / "mine.json").write_text(json.dumps(said), encoding="utf-8")
    (tmp_path / "mine.examples.npz").write_bytes(b"damaged")

    with pytest.raises(TeachingError, match="--replace") as refused:
        teach(lesson(tmp_path, labels_for("one.png", NAMES)), tmp_path)

    assert refused.value.code == "teach-other-box"


def test_labels_by_cell_of_another_photo_are_refused(tmp_path):
    cv2.imwrite(str(tmp_path / "one.png"), np.full((300, 400, 3), (90, 140, 180), np.uint8))

    with pytest.raises(TeachingError, match=r"tiles labelled by cell: 5, found: 0"):
        gather(lesson(tmp_path, labels_for("one.png", NAMES)))


def test_a_file_that_is_no_picture_is_left_out_and_named(tmp_path):
    (tmp_path / "bad.jpg").write_bytes(b"not a picture")
    cv2.imwrite(str(tmp_path / "one.png"), row_of(NAMES))
    photos = {**labels_for("bad.jpg", NAMES), **labels_for("one.png", NAMES)}

    gathered = gather(lesson(tmp_path, photos, grid=(5, 1)))

    assert [file for file, _ in gathered.left_out] == ["bad.jpg"]
    assert len(gathered.examples) == len(NAMES)


def test_labels_may_be_written_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "labels.json"
    path.write_text(json.dumps({"photos": labels_for("one.png", NAMES)}), encoding="utf-8-sig")

    assert len(read_labels(path, "square").photos["one.png"]) == len(NAMES)


def test_kind_that_is_missing_with_its_photo_is_told_with_why_the_photo_was_left_out(tmp_path):
    cv2.imwrite(str(tmp_path / "one.png"), row_of(NAMES[:1]))
    (tmp_path / "bad.jpg").write_bytes(b"not a picture")
    photos = {**labels_for("one.png", NAMES[:1]), **labels_for("bad.jpg", NAMES[1:2])}

    with pytest.raises(TeachingError, match=r"needs 2 kinds .*; bad.jpg was left out: .*JPEG"):
        teach(lesson(tmp_path, photos, grid=(1, 1)), tmp_path / "sets")
