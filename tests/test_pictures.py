"""Pictures of README and guide show what is: each was made from the files as they are now."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from PIL import Image

from tests.browser.kept_pictures import COMMAND, FOLDER, ROOT, hash_of, kept, words_in

KEPT = kept()
MOST_BYTES, MOST_FILM_BYTES = 4_000_000, 1_500_000
FILM = "demo.webp"
SHOWN = {
    name
    for file in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
    for name in re.findall(r"pictures/([\w.-]+\.webp)", file.read_text(encoding="utf-8"))
}


@pytest.mark.parametrize("name", KEPT)
def test_picture_is_as_new_as_what_it_shows(name):
    made = KEPT[name]

    assert hash_of(made["from"]) == made["hash"], f"{name} is old: run `{COMMAND}`, and look at it"


@pytest.mark.parametrize("name", KEPT)
def test_what_a_picture_was_made_from_is_there(name):
    files = {source.partition("#")[0] for source in KEPT[name]["from"]}

    assert [file for file in sorted(files) if not (ROOT / file).exists()] == []


def test_every_picture_is_kept_known_and_shown():
    assert {file.name for file in FOLDER.glob("*.webp")} == set(KEPT) == SHOWN


def test_pictures_are_small_enough_to_clone_and_the_film_moves():
    sizes = {name: (FOLDER / name).stat().st_size for name in KEPT}

    assert sum(sizes.values()) < MOST_BYTES
    assert sizes[FILM] < MOST_FILM_BYTES
    with Image.open(FOLDER / FILM) as film:
        assert getattr(film, "n_frames", 1) > 10


def test_changed_renamed_and_added_files_make_another_hash(tmp_path):
    folder = tmp_path / "art"
    folder.mkdir()
    (folder / "a.py").write_text("one")
    hashes = [hash_of(["art"], tmp_path)]

    (folder / "a.py").write_text("two")
    hashes.append(hash_of(["art"], tmp_path))
    (folder / "a.py").rename(folder / "b.py")
    hashes.append(hash_of(["art"], tmp_path))
    (folder / "c.py").write_text("")
    hashes.append(hash_of(["art"], tmp_path))

    assert len(set(hashes)) == len(hashes)
    (folder / "README.md").write_text("is not seen")
    assert hash_of(["art"], tmp_path) == hashes[-1]


def test_a_picture_ages_by_the_sentences_that_are_read_on_it_and_by_no_other(tmp_path):
    def write(**more):
        page = {"turn": "{player} is next", "foul": "Not allowed", "wait": "One moment", **more}
        (tmp_path / "en.json").write_text(json.dumps({"page": page, "many": ["{n} tiles"]}))

    write()
    seen = words_in("Anna is \n next.  12 tiles, Not allowed", "en.json", tmp_path)
    before = hash_of(seen, tmp_path)
    write(wait="A moment", again="Once more")

    assert sorted(seen) == ["en.json#many.0", "en.json#page.foul", "en.json#page.turn"]
    assert hash_of(seen, tmp_path) == before
    write(foul="That is not allowed")
    assert hash_of(seen, tmp_path) != before


def test_file_by_itself_is_a_source_too(tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"1")

    assert hash_of(["photo.jpg"], tmp_path) != hash_of([], Path(tmp_path))
