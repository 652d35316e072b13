"""How well tables of the hex games are read, on held-out scenes.

``python -m models.evaluate.hex_tables --game snekagon --count 500 --seed 0`` reads so many tables
and prints counts with 95 % intervals. Each table is kept as one line of a file, so that the next
run goes on where one was stopped. Tables with cells below 24 pixels are counted apart, and so are
tiles of which a hand, a thing or the picture's edge hides a cell.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from tqdm import tqdm

from engine.lattice import Cell
from engine.setfile import built_in_set
from models.scenes.splits import Split
from models.training.hex_samples import HexTable, hex_table
from vision.hex_cells import CELLS, turned_cell
from vision.hex_models import MANIFEST, TRAINED
from vision.hex_read import read_hex_table
from vision.quality import SMALLEST_PX
from vision.types import TableState

GAMES = ("snekagon", "snekagon5g")
WORST_PX = 1400
Json = dict[str, Any]
Tile = tuple[int, str, tuple[Cell, ...]]
"""Board, name and sorted cells."""


def interval(part: int, whole: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share."""
    if not whole:
        return (0.0, 1.0)
    z, share = 1.96, part / whole
    middle = (share + z * z / (2 * whole)) / (1 + z * z / whole)
    spread = z * sqrt(share * (1 - share) / whole + z * z / (4 * whole**2)) / (1 + z * z / whole)
    return (max(0.0, middle - spread), min(1.0, middle + spread))


def compared(table: HexTable, state: TableState, game: str) -> Json:
    """Return what is right and wrong about one reading."""
    truth = {_tile(entry) for entry in table.truth["tiles"]}
    said_sure = [_tile(entry) for entry in state.tiles]
    said = said_sure + [_tile(entry) for entry in state.unsure]
    place = _placement(table, state, truth, said, game)
    seen = {
        (number, *cell)
        for number, board in enumerate(table.boards)
        for cell in CELLS
        if board.hidden[cell] == 0
    }
    whole = {tile for tile in truth if all((tile[0], *c) in seen for c in tile[2])}
    unclear = {(t[0], *c) for t in truth - whole for c in t[2]}
    found = {_moved(tile, place) for tile in said}
    sure = {_moved(tile, place) for tile in said_sure}
    judged = {
        t for t in found if all((t[0], *c) in seen and (t[0], *c) not in unclear for c in t[2])
    }
    wrong_cells = _wrong_cells(truth, found, seen)
    missed, invented = whole - found, judged - whole
    clay, clay_wrong = _clay(table, state, place, seen)
    return {
        "cells": len(seen), "cells_wrong": wrong_cells, "tiles": len(whole),
        "missed": len(missed), "invented": len(invented), "unsure": len(whole & found - sure),
        "sure_wrong": len(invented & sure), "clay": clay, "clay_wrong": clay_wrong,
        "splits": len(state.splits), "ok": state.quality.ok, "foul": bool(table.truth["foul"]),
        "advice": sorted({advice.what for advice in state.quality.advice}),
        "exact": not missed and not invented and not clay_wrong,
        "hidden_tiles": len(truth - whole), "hidden_right": len((truth - whole) & found),
        "wrong": sorted([list(map(str, t)) for t in missed | invented]),
    }  # fmt: skip


def _tile(entry: Any) -> Tile:
    cells = tuple(sorted((q, r) for q, r in entry["cells"]))
    return (int(entry.get("board") or 0), str(entry["tile"]), cells)


def _placement(
    table: HexTable, state: TableState, truth: set[Tile], said: Sequence[Tile], game: str
) -> tuple[dict[int, int], int]:
    """Return which true board each board is, and by how many sixths it is to be turned."""
    if game == "snekagon":
        turns = range(6)
        same = [len({_moved(t, ({0: 0}, k)) for t in said} & truth) for k in turns]
        return {0: 0}, max(turns, key=lambda k: same[k])
    centres = np.concatenate([board.px(np.zeros((1, 2))) for board in table.boards])
    votes: dict[int, Counter[int]] = {}
    for entry in (*state.tiles, *state.unsure):
        middle = np.mean(entry["outline"], axis=0)
        nearest = int(np.argmin(np.hypot(*(centres - middle).T)))
        votes.setdefault(int(entry["board"]), Counter())[nearest] += 1
    place = {board: vote.most_common(1)[0][0] for board, vote in votes.items()}
    # Tiles of a board out of its turn in the ring count as wrong.
    ring = [place[board] for board in sorted(place)]
    steps = sum(after < before for before, after in zip(ring, [*ring[1:], *ring[:1]], strict=True))
    return (place if len(ring) < 2 or steps == 1 else {}), 0


def _moved(tile: Tile, place: tuple[dict[int, int], int]) -> Tile:
    cells = tuple(sorted(turned_cell(cell, place[1]) for cell in tile[2]))
    return (place[0].get(tile[0], -1), tile[1], cells)


def _wrong_cells(truth: Iterable[Tile], found: Iterable[Tile], seen: set[Any]) -> int:
    def colours(tiles: Iterable[Tile]) -> dict[Any, str]:
        return {(t[0], *c): t[1].partition("/")[0] for t in tiles for c in t[2]}

    true, said = colours(truth), colours(found)
    return sum(true.get(spot) != said.get(spot) for spot in seen)


def _clay(
    table: HexTable, state: TableState, place: tuple[dict[int, int], int], seen: set[Any]
) -> tuple[int, int]:
    def listed(entries: Iterable[Any], boards: dict[int, int] | None) -> set[Any]:
        return {
            (e["board"] if boards is None else boards.get(e["board"], -1), *e["cell"], e["kind"],
             e.get("opens"))
            for e in entries
        }  # fmt: skip

    true = {c for c in listed(table.truth["clay"], None) if c[:3] in seen}
    said = {c for c in listed(state.clay, place[0]) if c[:3] in seen}
    return len(true), len(true ^ said)


def smallest_cell_px(table: HexTable) -> float:
    """Return how wide the narrowest cell with a tile, or else of a board, is in the picture."""
    widths = []
    for board in table.boards:
        middles = np.array([(q + r / 2, r * sqrt(3) / 2) for q, r in CELLS])
        here, right, down = (board.px(middles + np.array(d)) for d in ((0, 0), (0.5, 0), (0, 0.5)))
        a, b = right - here, down - here
        widths.append(2 * np.sqrt(np.abs(a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0])).min())
    return float(min(widths))


def evaluated(seed: int, game: str, split: Split, worst: Path) -> Json:
    """Read one table and say how well."""
    try:
        table = hex_table(seed, game, split, None)
    except KeyError as error:
        return {"seed": seed, "error": f"the scene cannot be drawn: {error}"}
    began = time.perf_counter()
    state = read_hex_table(table.bgr, built_in_set(game), game)
    took = time.perf_counter() - began
    result = {"seed": seed, "ms": round(1000 * took), **compared(table, state, game)}
    result["cell_px"] = round(smallest_cell_px(table), 1)
    result["size"] = [table.bgr.shape[1], table.bgr.shape[0]]
    result["timings"] = {k: round(v) for k, v in state.timings_ms.items()}
    if not result["exact"] and result["cell_px"] >= SMALLEST_PX:
        _write_worst(table, state, worst / f"{game}-{seed:06d}.jpg")
    return result


def _write_worst(table: HexTable, state: TableState, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture = table.bgr.copy()
    thick = max(1, picture.shape[1] // 700)
    for entry in (*state.tiles, *state.unsure):
        colour = (255, 0, 255) if "guesses" in entry else (255, 255, 0)
        corners = np.round(np.array(entry["outline"])).astype(np.int32)
        cv2.polylines(picture, [corners], True, colour, thick)
        at = corners.mean(axis=0).astype(int).tolist()
        cv2.putText(picture, entry["tile"], at, 0, 0.5 * thick, (0, 0, 0), thick)
    scale = min(1.0, WORST_PX / max(picture.shape[:2]))
    cv2.imwrite(str(path), cv2.resize(picture, None, fx=scale, fy=scale))


def report(results: Sequence[Json], game: str) -> str:
    """Return the figures in words."""
    drawn = [r for r in results if "error" not in r]
    lines = [f"{game}: {len(drawn)} held-out tables ({len(results) - len(drawn)} not drawn)"]
    large = [r for r in drawn if r["cell_px"] >= SMALLEST_PX]
    groups = {
        "cells of 24 px or more, picture good enough": [r for r in large if r["ok"]],
        "cells of 24 px or more, called not good enough": [r for r in large if not r["ok"]],
        "smaller cells": [r for r in drawn if r["cell_px"] < SMALLEST_PX],
    }
    for name, group in groups.items():
        lines += [f"  {name}: {len(group)} tables", *_figures(group)]
    lines.append(f"  read in {np.median([r['ms'] for r in drawn]) if drawn else 0:.0f} ms (median)")
    return "\n".join(lines)


def _figures(group: Sequence[Json]) -> list[str]:
    def total(key: str) -> int:
        return sum(int(r[key]) for r in group)

    tiles = total("tiles")
    rows = [
        ("cells wrong", total("cells_wrong"), total("cells")),
        ("tiles missed", total("missed"), tiles), ("tiles invented", total("invented"), tiles),
        ("tiles unsure", total("unsure"), tiles), ("sure and wrong", total("sure_wrong"), tiles),
        ("clay wrong", total("clay_wrong"), total("clay")),
        ("partly hidden tiles right", total("hidden_right"), total("hidden_tiles")),
        ("tables exact", total("exact"), len(group)),
        ("foul tables exact", sum(r["exact"] for r in group if r["foul"]), total("foul")),
        ("tables with several ways to cut", sum(r["splits"] > 0 for r in group), len(group)),
    ]  # fmt: skip
    found = []
    for name, part, whole in rows:
        low, high = interval(part, whole)
        share = 1000 * part / max(whole, 1)
        found.append(f"    {name}: {part} of {whole}, {share:.2f} in 1000 "
                     f"({1000 * low:.2f} to {1000 * high:.2f})")  # fmt: skip
    return found


def kept_results(path: Path, model: str) -> dict[int, Json]:
    """Return what an earlier run with the same networks has found."""
    if not path.exists():
        return {}
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line]
    return {line["seed"]: line for line in lines if line["model"] == model}


def main(arguments: Sequence[str] | None = None) -> int:
    """Evaluate as the command line asks."""
    parser = argparse.ArgumentParser(prog="models.evaluate.hex_tables", description=__doc__)
    parser.add_argument("--game", choices=GAMES, required=True)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--split", choices=("train", "held-out"), default="held-out")
    parser.add_argument("--out", type=Path, default=Path("build/evaluate/hex_tables"))
    asked = parser.parse_args(arguments)
    asked.out.mkdir(parents=True, exist_ok=True)
    model = json.loads((TRAINED / MANIFEST).read_text("utf-8"))["sha256"]["hex_cells"][:12]
    path = asked.out / f"{asked.game}-{asked.split}.jsonl"
    kept = kept_results(path, model)
    seeds = range(asked.seed, asked.seed + asked.count)
    with path.open("a", encoding="utf-8") as file:
        for seed in tqdm([s for s in seeds if s not in kept], unit="table", disable=None):
            kept[seed] = evaluated(seed, asked.game, asked.split, asked.out / "worst")
            file.write(json.dumps({"model": model, **kept[seed]}) + "\n")
            file.flush()
    sys.stdout.write(report([kept[s] for s in seeds], asked.game) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
