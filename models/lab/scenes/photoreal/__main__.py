"""``python -m models.lab.scenes.photoreal``: the same positions through a photoreal renderer.

The renderer is a separate tool: its folder is given, and the Python of an environment that has its
requirements; its labels come back as table states. Tables that exist already are not rendered
again, so a long run can be interrupted and resumed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import cv2
from tqdm import tqdm

from engine.setfile import built_in_set
from models.lab.scenes.photoreal.scene import PhotorealError, as_table, read_manifest, scene_file
from models.lab.scenes.settings import GAMES
from models.lab.scenes.splits import SPLITS
from models.sheets import make_sheets

AT_A_TIME = 8
"""Pictures per run of the renderer: starting it takes as long as one picture."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Render tables as the command line asks."""
    asked = _parser().parse_args(arguments)
    try:
        render_tables(asked)
    except PhotorealError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def render_tables(asked: argparse.Namespace) -> None:
    """Write scene files, render them, and turn the labels into truths.

    Tables whose truth exists already are not rendered again.
    """
    renderer = asked.renderer.resolve()
    if not (renderer / "render_scene.py").is_file():
        raise PhotorealError(
            f"there is no render_scene.py in {renderer}; give the renderer's folder"
        )
    out = asked.out.resolve()
    scenes = out / "scenes"
    scenes.mkdir(parents=True, exist_ok=True)
    prints = asked.prints.resolve() if asked.prints else out / "print"
    if not asked.prints:
        make_sheets(built_in_set(asked.game), prints)
    box, files = read_manifest(prints)
    size = tuple(int(side) for side in asked.size.split("x")) if asked.size else None
    truths = {}
    for seed in range(asked.seed, asked.seed + asked.count):
        name = f"{asked.game}-{asked.split}-{seed:06d}"
        if (out / f"{name}.json").is_file():
            continue
        scene, truth = scene_file(
            seed, asked.split, asked.game, box, files, renderer, scenes, size, asked.least
        )
        scene["render"]["spp"] = asked.samples
        (scenes / f"{name}.json").write_text(json.dumps(scene), "utf-8")
        truths[name] = truth
    if not truths:
        return
    command = [str(asked.python), str(renderer / "render_scene.py")]
    for name in _render(command, [scenes / f"{name}.json" for name in truths], out):
        labels = json.loads((out / f"{name}.labels.json").read_text("utf-8"))
        numbers = out / f"{name}.ids.png"
        ids = cv2.imread(str(numbers), cv2.IMREAD_UNCHANGED)
        table = as_table(truths[name], labels, f"{name}.jpg", ids)
        (out / f"{name}.json").write_text(json.dumps(table), "utf-8")
        numbers.unlink(missing_ok=True)


def _render(command: Sequence[str], scenes: Sequence[Path], out: Path) -> Iterator[str]:
    """Render scenes in batches, and yield the name of each that is finished."""
    for first in tqdm(range(0, len(scenes), AT_A_TIME), unit=f"{AT_A_TIME} pictures"):
        some = scenes[first : first + AT_A_TIME]
        done = subprocess.run(
            [*command, *map(str, some), "--out", str(out), "--format", "jpg", "--ids"],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            env={**_newest_llvm(), **os.environ},
        )
        if done.returncode:
            sys.stderr.write(done.stdout)
            llvm = "llvm" in done.stdout.lower()
            advice = "; install LLVM, Debian's libllvm15 or newer" if llvm else ""
            raise PhotorealError(f"the renderer stopped with the words above{advice}")
        yield from (scene.stem for scene in some)


def _newest_llvm() -> dict[str, str]:
    """Return an environment that names the newest LLVM: the renderer would take the oldest.

    LLVM 15 and 16 stop with "Cannot select: fminimum" on processors with AVX-512.
    """
    found = {
        int(path.name.removeprefix("libLLVM.so.").removeprefix("libLLVM-").split(".")[0]): path
        for folder in Path("/usr/lib").glob("*-linux-gnu")
        for path in (*folder.glob("libLLVM-[0-9]*"), *folder.glob("libLLVM.so.[0-9]*"))
    }
    return {"DRJIT_LIBLLVM_PATH": str(found[max(found)])} if found else {}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m models.lab.scenes.photoreal", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--renderer", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--game", choices=GAMES, required=True)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--seed", type=int, default=0, help="of the first table")
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--size", metavar="WxH", help="pixels; drawn for each table if missing")
    larger = "larger pictures where tiles or cells would be narrower"
    parser.add_argument("--least", type=float, default=0.0, metavar="PX", help=larger)
    parser.add_argument("--samples", type=int, default=8, help="of light for each pixel")
    parser.add_argument("--prints", type=Path, metavar="DIR", help="what 'snake-eye print' wrote")
    parser.add_argument(
        "--python", type=Path, default=sys.executable, help="that has the renderer's requirements"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
