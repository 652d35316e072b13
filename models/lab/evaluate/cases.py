"""What is read to count how well: lists of pictures, each with how an answer about it is rated.

A list is a subject: its name, the keys of its rows, and what makes the case of a key. Whoever asks,
the answers to one picture are rated in one way and give one row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from engine.lattice import hex_board
from engine.setfile import built_in_set
from models.lab.evaluate.score import (
    Board,
    SeenBoard,
    Shown,
    best_fit,
    matched,
    row_of,
    smallest_cell_px,
    smallest_px,
)
from models.lab.scenes.camera.develop import packed, unpacked
from models.lab.scenes.photoreal.boards import SIDE, places_mm, projected
from models.lab.scenes.scene import make_scene
from models.lab.scenes.settings import GAMES, HEX_GAMES, Beside
from models.lab.scenes.splits import Split, rng_of
from models.lab.scenes.world.arrays import Json
from models.lab.scenes.world.spots import spotted_tile
from models.lab.training.hex_samples import hex_table
from models.teaching.trial import read_with
from vision import (
    Picture,
    ReadRequest,
    Shape,
    TableState,
    TaughtSet,
    load_picture,
    read_table,
    table_state_to_json,
)

SMALL_PX = (12.0, 22.0)
"""Range of the narrowest tile or cell after shrinking; outlines are measured to within 5 %."""
JPEG_QUALITY = 90
SPOT_SHARE = 1 / 3
STRANGERS = ("no_tiles", "other_games")
"""Folders of photographs on which no tile of ours lies."""
SURELY = 0.9
SHAPES: tuple[Shape, ...] = ("square", "hex")
WORST_PX, MISTAKES_SHOWN = 1600, 12
"""Long side of the pictures that are kept of mistakes, and how many are written on one."""
LAYERS = {"tiles": (0, 220, 0), "unsure": (0, 160, 255), "aside": (255, 80, 80)}
TRUTH = (255, 255, 255)


@dataclass(frozen=True)
class Case:
    """A picture that is read, and how an answer about it is rated."""

    picture: Picture
    read: Callable[[], TableState]
    rate: Callable[[TableState], Json]
    """Returns the row: at least what ``NOTHING`` has. Exact is what is all right on a picture that
    was called good enough."""
    outlines: Sequence[Any] = ()
    """Where tiles lie in truth."""


@dataclass(frozen=True)
class Cases:
    """Pictures that are counted together."""

    name: str
    keys: Sequence[str]
    case: Callable[[str], Case | None]
    """Returns the case of a key, or ``None`` where it cannot be drawn."""


NOTHING: Json = {
    "exact": True,
    "good": True,
    "small": False,
    "tiles": 0,
    "unsure": 0,
    "sure_wrong": 0,
    "mistakes": [],
}
"""The row of a picture without a tile on which nothing is seen."""


def answered(
    key: str, case: Callable[[str], Case | None], worst: Path | None = None, keep: bool = False
) -> Json:
    """Return the row of one case.

    Args:
        key: which of its subject.
        case: makes the case of a key.
        worst: folder for pictures that are not read exactly.
        keep: keeps the whole answer as well.
    """
    shown = case(key)
    if shown is None:
        return {"error": "the scene cannot be drawn"}
    state = shown.read()
    row = shown.rate(state)
    if worst is not None:
        _write_worst(worst / key.replace("/", "-"), shown, state, row)
    return {**row, "answer": table_state_to_json(state)} if keep else row


def _write_worst(stem: Path, case: Case, state: TableState, row: Json) -> None:
    """Write a picture that was misread, with outlines of reading and truth over it."""
    path = stem.with_name(stem.name + ".jpg")
    path.unlink(missing_ok=True)
    if not row["mistakes"]:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    drawn = np.array(case.picture.bgr)
    thick = max(1, drawn.shape[1] // 700)
    seen = [([e["outline"] for e in getattr(state, of)], colour) for of, colour in LAYERS.items()]
    for outlines, colour in [(case.outlines, TRUTH), *seen]:
        corners = [
            np.round(case.picture.own_px(np.array(one))).astype(np.int32) for one in outlines
        ]
        cv2.polylines(drawn, corners, True, colour, thick)
    for line, mistake in enumerate(row["mistakes"][:MISTAKES_SHOWN], start=1):
        at = (10, 24 * thick * line)
        cv2.putText(drawn, mistake, at, cv2.FONT_HERSHEY_SIMPLEX, 0.6 * thick, (0, 0, 255), thick)
    scale = min(1.0, WORST_PX / max(drawn.shape[:2]))
    size = cv2.resize(drawn, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    cv2.imwrite(str(path), size)


def request_of(game: str) -> ReadRequest:
    """Return the request to read a table of a game."""
    return ReadRequest("hex" if game in HEX_GAMES else "square", built_in_set(game))


def picture_of(bgr: Any) -> Picture:
    """Return drawn pixels as a picture."""
    return Picture(np.asarray(bgr, np.uint8), (bgr.shape[1], bgr.shape[0]))


# --- Drawn tables ---


def table_cases(
    games: Sequence[str], seeds: range, split: Split = "held-out", **how: Any
) -> Iterator[Cases]:
    """Yield drawn tables of games; ``how`` is said to ``table_case``."""
    keys = [str(seed) for seed in seeds]
    for game in games:
        yield Cases(game, keys, partial(table_case, game=game, split=split, **how))


def table_case(
    key: str,
    game: str,
    split: Split = "held-out",
    beside: str = "far",
    folder: Path | None = None,
    change: Callable[[Shown, str, int], Shown] | None = None,
) -> Case | None:
    """Return the case of a drawn table, or ``None`` if it cannot be drawn.

    Args:
        key: its seed.
        game: its game.
        split: split of surfaces, lights and games.
        beside: how near other things lie: ``far``, ``close``, or close on every ``third`` table.
        folder: where its picture is kept, so that every reader reads the same one.
        change: changes the table before it is read.
    """
    seed = int(key)
    close = beside == "close" or (beside == "third" and seed % 3 == 0)
    shown = drawn_table(folder, game, seed, split, "close" if close else "far")
    if shown is None:
        return None
    if change is not None:
        shown = change(shown, game, seed)
    return case_of(shown, game, picture_of(shown.bgr))


def case_of(shown: Shown, game: str, picture: Picture) -> Case:
    """Return the case of a table of a game whose truth is known."""
    return Case(
        picture,
        partial(read_table, picture, request_of(game)),
        partial(row_of, shown, game=game),
        [tile["outline"] for tile in shown.truth["tiles"]],
    )


def drawn_table(
    folder: Path | None,
    game: str,
    seed: int,
    split: Split = "held-out",
    beside: Beside = "far",
) -> Shown | None:
    """Return a drawn table, from its file where there is one; ``None`` if it cannot be drawn."""
    stem = None if folder is None else folder / f"{game}-{seed:06d}"
    if stem is not None and stem.with_suffix(".json").exists():
        return kept_table(stem)
    try:
        if game in HEX_GAMES:
            table = hex_table(seed, game, split, None)
            shown, jpeg = Shown(table.bgr, table.truth, table.boards), table.jpeg
        else:
            scene = make_scene(seed, split, game, beside=beside)
            shown, jpeg = Shown(np.asarray(scene.bgr, np.uint8), scene.truth), scene.jpeg
    except KeyError:
        return None
    if stem is None:
        return shown
    keep_table(stem, jpeg, shown)
    return kept_table(stem)


def keep_table(stem: Path, jpeg: bytes, shown: Shown) -> None:
    """Write a picture, and its truth last, which marks it as complete."""
    truth = shown.truth
    if shown.boards:
        boards = [
            {
                "centre": board.px(np.zeros((1, 2)))[0].tolist(),
                "hidden": [[*cell, share] for cell, share in board.hidden.items()],
            }
            for board in shown.boards
        ]
        truth = {**truth, "boards": boards, "cell_px": smallest_cell_px(shown)}
    stem.parent.mkdir(parents=True, exist_ok=True)
    stem.with_suffix(".jpg").write_bytes(jpeg)
    stem.with_suffix(".json").write_text(json.dumps(truth), "utf-8")


def kept_table(stem: Path) -> Shown:
    """Return a kept picture with its truth."""
    truth = json.loads(stem.with_suffix(".json").read_text("utf-8"))
    boards = tuple(
        SeenBoard(
            {(q, r): share for q, r, share in board["hidden"]},
            partial(_near_px, np.array(board["centre"]), truth["cell_px"]),
        )
        for board in truth["boards"]
        if "cell_px" in truth
    )
    bgr = np.asarray(unpacked(stem.with_suffix(".jpg").read_bytes()), np.uint8)
    return Shown(bgr, truth, boards)


def _near_px(centre: Any, cell_px: float, plane: Any) -> Any:
    """Return the pixels of places near a board's middle, in units of cells."""
    return centre + np.asarray(plane) * cell_px


def shrunk_table(shown: Shown, game: str, seed: int) -> Shown:
    """Return a table shrunk until its narrowest tile has a width drawn from ``SMALL_PX``."""
    wanted = float(rng_of("small", game, seed).uniform(*SMALL_PX))
    scale = min(1.0, wanted / smallest_px(shown, game))
    tiles = [
        {**tile, "outline": shrunk_px(tile["outline"], scale).tolist()}
        for tile in shown.truth["tiles"]
    ]
    boards = tuple(SeenBoard(one.hidden, partial(_small_px, one, scale)) for one in shown.boards)
    return Shown(shrunk(shown.bgr, scale), {**shown.truth, "tiles": tiles}, boards)


def _small_px(board: Board, scale: float, plane: Any) -> Any:
    return shrunk_px(board.px(plane), scale)


def shrunk_px(px: Any, scale: float) -> Any:
    """Return the positions of points after a picture was scaled."""
    return (np.asarray(px, float) + 0.5) * scale - 0.5


def shrunk(bgr: Any, scale: float) -> Any:
    """Return a smaller picture as a camera of that resolution would write it."""
    small = cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    return unpacked(packed(small, JPEG_QUALITY))


def spotted_table(shown: Shown, game: str, seed: int) -> Shown:
    """Return a table with spots of light on every third tile."""
    rng = rng_of("spots", game, "held-out", seed)
    bgr = shown.bgr
    chosen = [tile for tile in shown.truth["tiles"] if rng.random() < SPOT_SHARE]
    for tile in chosen:
        bgr = spotted_tile(bgr, np.array(tile["outline"]), rng)
    return replace(shown, bgr=bgr, spots=len(chosen))


# --- Photoreal renders ---


def render_cases(folder: Path, games: Sequence[str] = GAMES) -> Iterator[Cases]:
    """Yield the finished renders of games, as ``python -m models.lab.scenes.photoreal`` leaves."""
    for game in games:
        names = sorted(path.stem for path in folder.glob(f"{game}-*-[0-9]*.jpg"))
        whole = [name for name in names if (folder / f"{name}.json").is_file()]
        yield Cases(game, whole, partial(_render_case, game=game, folder=folder))


def _render_case(key: str, game: str, folder: Path) -> Case:
    truth = json.loads((folder / f"{key}.json").read_text("utf-8"))
    picture = load_picture(folder / f"{key}.jpg")
    boards = rendered_boards(truth) if game in HEX_GAMES else ()
    return case_of(Shown(picture.bgr, truth, boards), game, picture)


def rendered_boards(truth: Json) -> tuple[SeenBoard, ...]:
    """Return the boards of a truth, in their order round the ring."""
    boards = []
    for entry in truth["boards"]:
        hidden = dict.fromkeys(hex_board(SIDE), 0)
        hidden.update({(h["cell"][0], h["cell"][1]): h["hidden"] for h in entry["hidden"]})
        boards.append(SeenBoard(hidden, partial(_rendered_px, truth["camera"], entry["plane"])))
    return tuple(boards)


def _rendered_px(camera: Json, board: Json, plane: Any) -> Any:
    return projected(camera, places_mm(board, plane))


# --- Photographs ---


def labels_of(folder: Path) -> Json:
    """Return what a folder's ``labels.json`` says of each photograph."""
    return dict(json.loads((folder / "labels.json").read_text("utf-8"))["photos"])


def photograph_cases(photos: Path) -> Iterator[Cases]:
    """Yield photographs of boxes that training never saw, read as tiles of any box."""
    for name, shape in zip(("qwirkle", "catan"), SHAPES, strict=True):
        # Photographs of a game; those to learn from have other labels.
        labels = labels_of(photos / name).items()
        keys = [photo for photo, tiles in labels if {"at", "outline"} & set(tiles[0])]
        yield Cases(name, keys, partial(_photograph_case, folder=photos / name, shape=shape))


def _photograph_case(key: str, folder: Path, shape: Shape) -> Case:
    picture, tiles = load_picture(folder / key), labels_of(folder)[key]
    rate = _rated_cells if shape == "square" else _rated_outlines
    outlines = [tile["outline"] for tile in tiles if "outline" in tile]
    read = partial(read_table, picture, ReadRequest(shape))
    return Case(picture, read, partial(rate, tiles), outlines)


def _rated_cells(tiles: Sequence[Json], state: TableState) -> Json:
    """Return the row of a growing game's layout, at which nothing lies beside."""
    truth = {(tile["at"][0], tile["at"][1]): "" for tile in tiles}
    cells = {(e["at"][0], e["at"][1]) for e in (*state.tiles, *state.unsure)}
    places = np.array(sorted(cells)).reshape(-1, 2)
    shared = best_fit(places, [""] * len(cells), truth, 4)[0]
    return _found(len(truth), shared, len(cells) + len(state.aside))


def _rated_outlines(tiles: Sequence[Json], state: TableState) -> Json:
    entries = (*state.tiles, *state.unsure, *state.aside)
    true, said = ([np.array(one["outline"]) for one in some] for some in (tiles, entries))
    return _found(len(true), len(matched(true, said)), len(said))


def _found(tiles: int, found: int, said: int) -> Json:
    missed, invented = tiles - found, said - found
    mistakes = [f"{missed} missed, {invented} invented"] if missed or invented else []
    own = {"exact": not mistakes, "tiles": tiles, "missed": missed, "invented": invented}
    return {**NOTHING, **own, "mistakes": mistakes}


def stranger_cases(
    photos: Path, asked_as: Sequence[str], folders: Sequence[str] = STRANGERS
) -> Iterator[Cases]:
    """Yield photographs without a tile of ours, folder by folder; keys are ``file box``.

    Args:
        photos: folder of the folders.
        asked_as: what each is read as: games, shapes for tiles of any box, names of taught boxes.
        folders: the folders.
    """
    for name in folders:
        files = sorted((photos / name).glob("*.jpg"))
        keys = [f"{photo.name} {box}" for photo in files for box in asked_as]
        yield Cases(name, keys, partial(stranger_case, folder=photos / name))


def stranger_case(key: str, folder: Path, taught: Callable[[], TaughtSet] | None = None) -> Case:
    """Return the case of a photograph without a tile of ours."""
    name, _, box = key.rpartition(" ")
    picture = load_picture(folder / name)
    if taught is not None:
        read = partial(read_with, taught(), picture)
    else:
        request = ReadRequest("hex" if box == "hex" else "square")
        read = partial(read_table, picture, request_of(box) if box in GAMES else request)
    return Case(picture, read, partial(_rated_stranger, named=box not in SHAPES))


def _rated_stranger(state: TableState, named: bool) -> Json:
    """Return the row of an answer where every sure claim is wrong."""
    entries = [*state.tiles, *state.unsure, *state.aside]
    claims = [(float(entry["confidence"]), False) for entry in entries]
    claimed = len(state.tiles) if named else 0
    return {
        "exact": not (state.tiles or state.unsure),
        "good": state.quality.ok,
        "small": False,
        "tiles": claimed,
        "unsure": len(state.unsure),
        "sure_wrong": claimed,
        "reads": 1,
        "reads_sure": int(any(sure >= SURELY for sure, _ in claims)),
        "reads_any": int(bool(entries)),
        "reads_claimed": int(bool(state.tiles or state.aside)),
        "confidences": claims,
        "mistakes": [f"{e.get('tile')} ({e['confidence']:.3f})" for e in entries],
    }
