"""A table of the scene maker as a scene file of the photoreal renderer, and its labels as a truth.

The renderer gets only the pictures of a print manifest and a scene file.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from engine.setfile import built_in_set
from models.lab.scenes.arrange import arrange
from models.lab.scenes.camera.camera import Camera
from models.lab.scenes.camera.truth import LEAST_SEEN_ASIDE, table_state
from models.lab.scenes.photoreal.boards import hidden_cells, planes_of
from models.lab.scenes.photoreal.rooms import draw_room
from models.lab.scenes.scene import camera_for
from models.lab.scenes.settings import SceneSettings, draw_settings
from models.lab.scenes.splits import Split, rng_of
from models.lab.scenes.world.arrays import Array, Json
from models.lab.scenes.world.faces import BACK, BOARD, Box, Face, face_of
from models.lab.scenes.world.things import Arm, Item, Lathe, TableTop

SIZES_PX = ((1280, 720), (1280, 960), (1920, 1080))
LARGEST_PX = 2400
LARGEST_SEED = 4_000_000
"""Limit on seeds: the renderer multiplies them by a thousand and stores them in 32 bits."""


class PhotorealError(Exception):
    """The renderer cannot be used; the message says what to do."""


def read_manifest(folder: Path) -> tuple[Box, dict[str, Path]]:
    """Return a printed set from its manifest alone, and each face's picture file.

    Raises:
        PhotorealError: the folder has no manifest, or a picture of it is missing.
    """
    try:
        manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    except OSError as error:
        raise PhotorealError(
            f"{folder} has no manifest.json; run 'snake-eye print' first"
        ) from error
    faces: dict[str, Face] = {}
    files: dict[str, Path] = {}
    square = manifest["lattice"] == "square"
    for entry in (*manifest["faces"], *manifest.get("extras", ())):
        name = entry["tile"]
        if entry["side"] == "back":
            if not square or BACK in faces or len(entry["cells"]) != 1:
                continue
            name = BACK
        faces[name] = _face(folder, entry, entry["origin_mm"])
        files[name] = folder / entry["file"]
    for board in manifest["boards"][:1]:
        faces[BOARD] = _face(folder, board, board["centre_mm"])
        files[BOARD] = folder / board["file"]
    tile_set = replace(built_in_set(manifest["set"]), pitch_mm=float(manifest["pitch_mm"]))
    return Box(tile_set, faces), files


def _face(folder: Path, entry: Json, origin_mm: Sequence[float]) -> Face:
    picture = cv2.imread(str(folder / entry["file"]), cv2.IMREAD_UNCHANGED)
    if picture is None:
        raise PhotorealError(f"{entry['file']} is missing in {folder}; print the set again")
    density = picture.shape[1] / entry["size_mm"][0]
    corners = entry.get("outline_mm") or [
        (0, 0),
        (entry["size_mm"][0], 0),
        entry["size_mm"],
        (0, entry["size_mm"][1]),
    ]
    outline = np.array(corners, float) - origin_mm
    cells = [(q, r) for q, r in entry.get("cells", [(0, 0)])]
    alpha = picture[..., 3] if picture.shape[2] == 4 else None
    middle = float(origin_mm[0]) * density, float(origin_mm[1]) * density
    return face_of(np.ascontiguousarray(picture[..., :3]), density, middle, outline, alpha, cells)


def scene_file(
    seed: int,
    split: Split,
    game: str,
    box: Box,
    files: dict[str, Path],
    renderer: Path,
    folder: Path,
    size_px: tuple[int, ...] | None,
    least_px: float = 0.0,
) -> tuple[Json, Json]:
    """Return one scene for the renderer, and the truth that its labels will complete.

    Args:
        seed: seed of the table.
        split: the split that everything is drawn from.
        game: the rule book.
        box: the printed set.
        files: the picture file of each face.
        renderer: the renderer's folder, for its lights and surfaces.
        folder: where pictures that are made for the scene go.
        size_px: width and height; drawn if missing.
        least_px: least width of a tile or cell; the picture is enlarged to reach it.
    """
    rng = rng_of("photoreal", split, game, seed)
    size = SIZES_PX[int(rng.integers(len(SIZES_PX)))] if size_px is None else size_px
    settings = draw_settings(seed, split, game, (int(size[0]), int(size[1])))
    less = replace(settings.clutter, rulebook=False, phones=0, dice=0, plain_squares=0, tokens=0)
    settings = replace(settings, clutter=less)
    top = arrange(settings, box)
    camera = camera_for(settings, top.extent_mm)
    narrowest = min(camera.px_per_mm((x, y)) for x, y in top.extent_mm) * box.tile_set.pitch_mm
    if narrowest < least_px:
        settings = _larger(settings, least_px / narrowest)
        camera = camera_for(settings, top.extent_mm)
    room = draw_room(rng, split, renderer, folder, camera)
    scene = {
        "seed": int(rng.integers(LARGEST_SEED)),
        "camera": _camera(settings, camera),
        "render": {"spp": 8, "max_depth": 5, "denoise": "small"},
        "lights": room.lights,
        "table": {**room.table, "size_mm": _table_size(top)},
        "items": [_item(i, number, box, files, folder) for number, i in enumerate(top.items)],
        "occluders": [*(_arm(a, rng) for a in top.arms), *(_cup(c) for c in top.lathes)],
        "sensor": _sensor(rng),
    }
    truth = {
        **top.facts,
        "split": split,
        "seed": seed,
        "room": room.names,
        "entries": [{"role": i.role, **i.truth} for i in top.items],
        "planes": planes_of(top.items, box.tile_set.pitch_mm),
    }
    return scene, truth


def _larger(settings: SceneSettings, by: float) -> SceneSettings:
    """Return the settings with more pixels, at the same aspect ratio."""
    width, height = settings.camera.size_px
    by = min(by, LARGEST_PX / max(width, height))
    size = (2 * round(width * by / 2), 2 * round(height * by / 2))
    return replace(settings, camera=replace(settings.camera, size_px=size))


def as_table(truth: Json, labels: Json, file: str, ids: Array | None = None) -> Json:
    """Return the table state that the renderer's labels describe.

    Args:
        truth: the truth from ``scene_file``.
        labels: the labels that the renderer wrote.
        file: the picture's name.
        ids: the number of the item that each pixel shows; needed where there are hex boards.
    """
    groups: dict[str, list[Json]] = {"tile": [], "aside": [], "clay": [], "board": []}
    for entry, label in zip(truth["entries"], labels["items"], strict=True):
        role = entry["role"]
        if role not in groups or not label["in_frame"]:
            continue
        if role == "aside" and label["visible"] < LEAST_SEEN_ASIDE:
            continue
        known = {key: value for key, value in entry.items() if key != "role"}
        seen = {
            # The renderer lists corners in the opposite order, starting with the last.
            "outline": label["corners_px"][::-1],
            "confidence": 1.0,
            "visible": min(label["visible"], label["in_frame"]),
            "in_frame": label["in_frame"],
            "cut": label["in_frame"] < 0.995,
        }
        groups[role].append({**known, **seen})
    planes = {plane["board"]: plane for plane in truth.get("planes", ())}
    if ids is not None:
        for board in groups["board"]:
            plane = planes[board["board"]]
            board["plane"] = {key: plane[key] for key in ("origin_mm", "right", "down", "cell_mm")}
            board["hidden"] = hidden_cells(plane, labels["camera"], ids)
    facts = {key: value for key, value in truth.items() if key not in ("entries", "planes")}
    facts["file"] = file
    return table_state(labels["resolution"], facts, groups, labels["camera"])


# --- pieces of a scene file -----------------------------------------------------------------


def _camera(settings: SceneSettings, camera: Camera) -> Json:
    """Return our camera in the renderer's format, whose y axis points away from the viewer."""
    wish = settings.camera
    height = camera.position_mm[2]
    forward = camera.rotation[2] * (1, 1, -1)
    target = camera.position_mm - forward * (height / forward[2])
    width = camera.size_px[0]
    fov = 2 * np.degrees(np.arctan(width / 2 / camera.matrix[0, 0]))
    return {
        "look_at_mm": [float(target[0]), -float(target[1]), 0.0],
        "distance_mm": float(np.linalg.norm(camera.position_mm - target)),
        "elevation_deg": wish.elevation_deg,
        "azimuth_deg": -90.0 - wish.azimuth_deg,
        "roll_deg": 0.0,
        "fov_deg": float(fov),
        "resolution": list(camera.size_px),
        **dict(zip(("k1", "k2", "p1", "p2", "k3"), camera.distortion.tolist(), strict=True)),
        "aperture_mm": 1.0,
    }


def _item(item: Item, number: int, box: Box, files: dict[str, Path], folder: Path) -> Json:
    face = box.faces[item.face]
    outline = face.outline_mm * ((-1, 1) if item.flipped else (1, 1))
    entry = {
        "id": number,
        "class": item.role,
        "label": item.face,
        "shape": "polygon",
        "vertices_mm": (outline * (1, -1)).round(4).tolist(),
        "x_mm": item.x_mm,
        "y_mm": -item.y_mm,
        "z_mm": item.z_mm,
        "rotation_deg": -item.angle_deg,
        "thickness_mm": item.thickness_mm,
        "bevel_mm": min(0.3, item.thickness_mm / 3),
        "corner_radius_mm": 0.6 if len(outline) == 4 else 0.3,
        "gloss": min(0.9, item.gloss),
        "bow_deg": float(np.degrees(item.bend[0])),
        "side_colour": _written(item.side),
        "texture": str(_texture(files[item.face], face, item.flipped, folder)),
    }
    if item.z_mm == 0 and item.role == "tile":
        slope = np.hypot(*item.tilt)
        entry["tilt_deg"] = float(np.degrees(np.arctan(slope)))
        entry["tilt_axis_deg"] = float(np.degrees(np.arctan2(item.tilt[0], item.tilt[1])))
    return entry


def _texture(file: Path, face: Face, flipped: bool, folder: Path) -> Path:
    """Return a picture of exactly the outline's box, mirrored for a tile that lies on its face."""
    picture = cv2.imread(str(file), cv2.IMREAD_COLOR)
    if picture is None:
        raise PhotorealError(f"{file} cannot be read; print the set again")
    pad = (face.levels[0].shape[1] - picture.shape[1]) / 2
    origin = np.array(face.origin_px) - pad
    low = face.outline_mm.min(axis=0) * face.px_per_mm + origin
    high = face.outline_mm.max(axis=0) * face.px_per_mm + origin
    left, top = np.maximum(np.round(low), 0).astype(int)
    right, bottom = np.round(high).astype(int)
    whole = left == 0 and top == 0 and abs(right - picture.shape[1]) <= 1
    if whole and abs(bottom - picture.shape[0]) <= 1 and not flipped:
        return file
    made = folder / f"{file.stem}{'.flipped' if flipped else '.cut'}.png"
    if not made.exists():
        part = picture[top:bottom, left:right]
        cv2.imwrite(str(made), part[:, ::-1] if flipped else part)
    return made


def _arm(arm: Arm, rng: np.random.Generator) -> Json:
    turn = np.radians(arm.angle_deg)
    back = np.array([-np.sin(turn), np.cos(turn)])
    wrist = np.array([arm.x_mm, arm.y_mm]) + back * 150
    elbow = wrist + back * 330
    skin = str(rng.choice(["#f3d3bd", "#e0ac8a", "#c68e6e", "#9c6a4a", "#6e4630", "#4a2f22"]))
    return {
        "type": "arm",
        "hand_mm": [float(wrist[0]), -float(wrist[1]), arm.height_mm + 45],
        "elbow_mm": [float(elbow[0]), -float(elbow[1]), arm.height_mm + 110],
        "curl": float(rng.uniform(0.1, 0.8)),
        "side": str(rng.choice(["left", "right"])),
        "skin": skin,
        "sleeve": f"#{int(rng.integers(1 << 24)):06x}",
    }


def _cup(cup: Lathe) -> Json:
    tall, wide = cup.profile[-1]
    return {
        "type": "cylinder",
        "position_mm": [cup.x_mm, -cup.y_mm, cup.z_mm],
        "size_mm": [2 * wide, tall],
        "colour": _written(cup.colour),
        "inside": _written(cup.inside or cup.colour),
    }


def _written(bgr: Sequence[float]) -> str:
    return "#{2:02x}{1:02x}{0:02x}".format(*map(int, bgr))


def _sensor(rng: np.random.Generator) -> Json:
    return {
        "iso": int(rng.choice([100, 200, 400, 800, 1600])),
        "jpeg_quality": int(rng.integers(70, 96)),
        "blur_px": float(rng.uniform(0.4, 0.9)),
        "vignette": float(rng.uniform(0, 0.35)),
        "exposure_ev": float(rng.normal(0, 0.35)),
        "white_balance_strength": float(rng.uniform(0.5, 1.0)),
        "motion_px": float(rng.choice([0, 0, 0, rng.uniform(0, 2)])),
    }


def _table_size(top: TableTop) -> list[float]:
    reach = np.abs(np.array([(i.x_mm, i.y_mm) for i in top.items])).max(axis=0) + 150
    width, depth = np.maximum(2 * reach, (1500, 1000))
    return [float(width), float(depth)]
