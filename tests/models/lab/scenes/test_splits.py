"""Nothing that is held out may reach training, by any way."""

import re
from pathlib import Path

import pytest

from models.lab.scenes import splits
from models.lab.scenes.photoreal.rooms import side_of_light
from models.lab.scenes.settings import SUBJECTS, draw_settings
from models.lab.scenes.splits import (
    SEALED,
    SPLITS,
    SealedError,
    invented_names,
    light_names,
    opened,
    photographed_surfaces,
    rng_of,
    split_of,
    surface_names,
)


@pytest.mark.parametrize("names", [surface_names, light_names], ids=["surfaces", "lights"])
def test_every_name_is_on_one_side_and_both_sides_have_some(names):
    train, held_out = set(names("train")), set(names("held-out"))

    assert not train & held_out
    assert len(train) > 50
    assert len(held_out) > 20


@pytest.mark.parametrize("family", splits.SURFACE_FAMILIES)
def test_both_sides_have_surfaces_of_every_family(family):
    assert all(surface_names(split, family) for split in SPLITS)


@pytest.mark.parametrize("shape", ["square", "hex"])
def test_invented_sets_are_on_one_side(shape):
    train, held_out = (set(invented_names(split, shape)) for split in SPLITS)

    assert not train & held_out
    assert len(train) + len(held_out) == splits.INVENTED_SETS


def test_photographs_are_on_one_side_whatever_they_are_called(tmp_path: Path, monkeypatch):
    folder = tmp_path / "assets" / "surfaces"
    folder.mkdir(parents=True)
    for number in range(20):
        (folder / f"oak{number}_diff.jpg").write_text(f"picture {number}")
        (folder / f"copy_of_{number}_diff.jpg").write_text(f"picture {number}")
    monkeypatch.setenv(splits.SHARED_VARIABLE, str(tmp_path))

    train, held_out = (photographed_surfaces(split) for split in SPLITS)

    pictures = [{Path(file).read_text() for _, file in side} for side in (train, held_out)]
    assert all(pictures)
    assert not pictures[0] & pictures[1]


def test_a_room_is_on_one_side_in_every_format():
    assert side_of_light(Path("venice.exr")) == side_of_light(Path("venice_sunset_1k.hdr"))


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("split", SPLITS)
def test_a_scene_uses_only_what_is_on_its_side(subject, split, monkeypatch):
    monkeypatch.delenv(splits.SHARED_VARIABLE, raising=False)
    for seed in range(60):
        settings = draw_settings(seed, split, subject)
        used = [settings.surface.name, settings.surface.floor, settings.light.name]
        if subject.startswith("invented"):
            used.append(settings.set_name)

        assert {split_of(name) for name in used} == {split}


def test_the_same_seed_is_another_scene_on_the_other_side():
    for seed in range(20):
        train, held_out = (draw_settings(seed, split, "carnival") for split in SPLITS)

        assert train.camera != held_out.camera
        assert train.light != held_out.light


def test_a_name_gives_the_same_numbers_every_time():
    assert rng_of("light", "lamp-03").random() == rng_of("light", "lamp-03").random()
    assert rng_of("light", "lamp-03").random() != rng_of("light", "lamp-04").random()


# --- The last exam ---


@pytest.mark.parametrize("split", SEALED)
def test_sealed_side_is_not_drawn_from_unless_opened(split):
    with pytest.raises(SealedError, match=r"models\.lab\.evaluate sealed opens it"):
        draw_settings(1, split, "carnival")

    with opened(split):
        drawn = draw_settings(1, split, "carnival")
    assert drawn.split == split
    with pytest.raises(SealedError):
        surface_names(split)


@pytest.mark.parametrize("subject", SUBJECTS)
@pytest.mark.parametrize("split", SEALED)
def test_sealed_scene_uses_only_sealed_names_and_no_photograph(subject, split):
    with opened(split):
        drawn = [draw_settings(seed, split, subject) for seed in range(40)]

    used = {name for s in drawn for name in (s.surface.name, s.surface.floor, s.light.name)}
    used |= {s.set_name for s in drawn if subject.startswith("invented")}
    assert {split_of(name) for name in used} == {split}


def test_sealed_names_are_24_to_31_of_every_family_and_the_next_eight():
    names = []
    for split in SEALED:
        with opened(split):
            names.append(surface_names(split, "wood"))

    assert names[0] == tuple(f"wood-{number}" for number in range(24, 32))
    assert names[1] == tuple(f"wood-{number}" for number in range(32, 40))


def test_only_the_last_exam_opens_a_seal():
    root = Path(splits.__file__).parents[3]
    opening = []
    for package in ("vision", "models", "companion_app"):
        for path in (root / package).rglob("*.py"):
            text = path.read_text("utf-8")
            if re.search(r"\bopened\(|_opened\b|import .*\bopened\b", text):
                opening.append(path.relative_to(root).as_posix())

    ours = [name for name in opening if name.startswith("models/")]
    assert sorted(ours) == ["models/lab/evaluate/sealed.py", "models/lab/scenes/splits.py"]
