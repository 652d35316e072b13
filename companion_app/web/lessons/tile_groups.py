"""The groups that found tiles are put into by likeness, and the labels that their names make."""

from __future__ import annotations

from typing import Any

Doc = dict[str, Any]


def group_tiles(lesson: Doc, patches: Any) -> None:
    """Put new tiles into groups: those that were named stay as they are."""
    from models.teaching.found import grouped

    made = grouped(patches, lesson["shape"])
    own: dict[int, int] = {}
    for tile, group in zip(lesson["tiles"], made.groups.tolist(), strict=True):
        if tile["group"] >= 0:
            own.setdefault(group, tile["group"])
    free = max((tile["group"] for tile in lesson["tiles"]), default=-1) + 1
    for number, tile in enumerate(lesson["tiles"]):
        if tile["group"] == -1:
            group = int(made.groups[number])
            if group not in own:
                own[group], free = free, free + 1
            tile["group"], tile["steps"] = own[group], int(made.steps[number])


def tile_labels(lesson: Doc, name: str, *, ups: bool) -> Doc:
    """Return the named tiles in the form that teaching takes."""
    folds = 4 if lesson["shape"] == "square" else 6
    photos: dict[str, list[Doc]] = {photo: [] for photo in lesson["photos"]}
    for tile in lesson["tiles"]:
        kind = lesson["names"].get(str(tile["group"]), "")
        if not kind or tile["group"] < 0:
            continue
        entry = {"tile": kind, "outline": tile["outline"]}
        if ups:
            up = tile["steps"] + lesson["up"].get(str(tile["group"]), 0)
            entry["turns"] = -up % folds
        photos[tile["photo"]].append(entry)
    return {"set": name, "photos": {photo: tiles for photo, tiles in photos.items() if tiles}}
