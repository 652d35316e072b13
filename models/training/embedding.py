"""Trains a small network that tells prints of any box apart.

``python -m models.training.embedding``.

It sees faces of invented boxes only, of the side that may be trained on. Two looks of the same
print must come to lie near one another, and apart from the other prints and turns of the box.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing
import queue
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from models.scenes.invented import InventedSet, invented_set
from models.scenes.splits import Split, invented_names
from models.teaching.examples import Hardness, cut_example, varied
from models.training.hex_networks import Block, write_onnx
from vision.crop import Patches

Random = np.random.Generator

NUMBERS = 128
"""That a patch is described by."""
CLASSES = 40
"""Prints, each turned some way, that one drawn box gives at a time."""
SHARPNESS = 12.0
"""What cosines are multiplied by before they are compared."""
DRAWN_A_BOX, GROUNDS = 40, 3
HARD = Hardness(
    shift=0.05, size=0.045, turn_deg=3.0, lean=0.04, gain=0.35, channel=0.2, shade=0.25,
    colour=0.5, curve=0.25, veil=0.2, blur_px=1.6, noise=8.0, coarsest_px=18.0,
)  # fmt: skip
WAITING_BATCHES = 24
EXPORT_S = 8.0
SAY_EVERY_S = 20.0
HELD_OUT_BATCHES = 24
KEPT = 0.998


class Embedder(nn.Sequential):  # type: ignore[misc]
    """A patch (blue, green, red; around 0) to numbers; plain convolutions that OpenCV runs."""

    def __init__(self) -> None:
        super().__init__(
            Block(3, 24, 2), Block(24, 48, 2), Block(48, 48), Block(48, 96, 2), Block(96, 96),
            Block(96, 96, 2), nn.Conv2d(96, NUMBERS, 4),
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Pairs:
    """Two looks each of prints that must be told apart."""

    one: Patches
    other: Patches
    prints: NDArray[np.int64]
    """The number of each print; boxes of few prints repeat some."""


# --- Drawing ---


def drawn_pairs(split: Split, rng: Random) -> Iterator[Pairs]:
    """Yield looks of prints without end, some from each box."""
    while True:
        shape = "square" if rng.random() < 0.5 else "hex"
        names = invented_names(split, shape)
        box = invented_set(names[int(rng.integers(len(names)))])
        # Drawing faces takes longer than varying them, so each is put on a few grounds only.
        kept = [{kind: _kept(box, kind, rng) for kind in box.faces} for _ in range(GROUNDS)]
        for _ in range(DRAWN_A_BOX):
            yield _pairs_of(box, kept, rng)


def _pairs_of(box: InventedSet, kept: list[dict[str, Any]], rng: Random) -> Pairs:
    folds = 4 if box.lattice == "square" else 6
    every = [(kind, turn) for kind in box.faces for turn in range(box.periods[kind])]
    prints = rng.permutation(len(every))[:CLASSES]
    prints = np.concatenate([prints, rng.choice(prints, CLASSES - len(prints))])
    picked = [every[int(n)] for n in prints]
    steps = [turn for _, turn in picked]
    sides = []
    for _ in range(2):
        grounds = rng.integers(GROUNDS, size=CLASSES)
        faces = np.stack([kept[g][kind] for (kind, _), g in zip(picked, grounds, strict=True)])
        sides.append(varied(faces, steps, folds, rng, HARD))
    return Pairs(sides[0], sides[1], prints)


def _kept(box: InventedSet, kind: str, rng: Random) -> Any:
    """Return a face on something else, with room around it."""
    face = box.faces[kind]
    bgra = face.levels[0].astype(np.float32)
    cover = bgra[..., 3:] / 255
    names = list(box.faces)
    if rng.random() < 0.6:
        around = face_beside(box, names[int(rng.integers(len(names)))], bgra.shape[:2])
    else:
        around = np.full((*bgra.shape[:2], 3), rng.uniform(10, 245, 3), np.float32)
    whole = np.clip(bgra[..., :3] + (1 - cover) * around, 0, 255).astype(np.uint8)
    corners = face.outline_mm * face.px_per_mm + np.asarray(face.origin_px) - 0.5
    return cut_example(whole, corners)


def face_beside(box: InventedSet, kind: str, size: tuple[int, int]) -> NDArray[np.float32]:
    """Return the colours of another face of the box, as what a tile's neighbours show."""
    colours = box.faces[kind].levels[0][..., :3]
    small = cv2.resize(np.roll(colours, colours.shape[0] // 2, axis=0), size[::-1])
    return np.asarray(small, np.float32)


def _draw(number: int, seed: int, split: Split, out: Any) -> None:
    cv2.setNumThreads(1)
    for pairs in drawn_pairs(split, np.random.default_rng((seed, number))):
        out.put((split, pairs))


# --- Learning ---


def loss_of(one: Tensor, other: Tensor, same: Tensor) -> Tensor:
    """Return how badly looks are told apart, boxes x prints x numbers each.

    Args:
        one: the first looks.
        other: the second looks.
        same: boxes x prints x prints, true where two prints are one.
    """
    likeness = SHARPNESS * one @ other.transpose(1, 2)
    likeness = likeness.masked_fill(same, -1e4)
    wanted = torch.arange(one.shape[1], device=one.device).expand(len(one), -1)
    both = likeness.flatten(0, 1), likeness.transpose(1, 2).flatten(0, 1)
    return sum(nn.functional.cross_entropy(part, wanted.flatten()) for part in both) / 2


def embedded(net: nn.Module, patches: Tensor) -> Tensor:
    """Return patches, boxes x prints x height x width x 3 of bytes, as numbers of length 1."""
    flat = patches.flatten(0, 1).permute(0, 3, 1, 2).float() / 255 - 0.5
    out = net(flat.contiguous()).flatten(1)
    return nn.functional.normalize(out, dim=1).unflatten(0, patches.shape[:2])


def _batch(drawn: list[Pairs], device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    """Return first looks, second looks, and which different ones show the same print."""
    one, other, prints = (
        torch.from_numpy(np.stack([getattr(pairs, side) for pairs in drawn])).to(device)
        for side in ("one", "other", "prints")
    )
    same = prints[:, :, None] == prints[:, None]
    return one, other, same & ~torch.eye(prints.shape[1], dtype=torch.bool, device=device)


def train(options: argparse.Namespace) -> None:
    """Draw and learn until the time is over, then write the network."""
    began = time.monotonic()
    total_s = options.minutes * 60 - EXPORT_S
    folder = Path(options.out)
    folder.mkdir(parents=True, exist_ok=True)
    device = torch.device(options.device or ("cuda" if torch.cuda.is_available() else "cpu"))
    torch.manual_seed(options.seed)
    net, mean = Embedder().to(device), Embedder().to(device)
    mean.load_state_dict(net.state_dict())
    adam = torch.optim.AdamW(net.parameters(), lr=options.rate, weight_decay=1e-4)
    context = multiprocessing.get_context("spawn")
    drawn: Any = context.Queue(WAITING_BATCHES * options.batch)
    workers = [
        context.Process(
            target=_draw, daemon=True,
            args=(n, options.seed, "held-out" if n == 0 else "train", drawn),
        )
        for n in range(options.workers + 1)
    ]  # fmt: skip
    for worker in workers:
        worker.start()
    held: list[Pairs] = []
    steps, said, figures = 0, began, {}
    while (passed := time.monotonic() - began) < total_s:
        batch = _taken(drawn, held, options.batch)
        for group in adam.param_groups:
            group["lr"] = options.rate * (
                0.02 + 0.98 * (1 + math.cos(math.pi * passed / total_s)) / 2
            )
        one, other, same = _batch(batch, device)
        net.train()
        loss = loss_of(embedded(net, one), embedded(net, other), same)
        adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        adam.step()
        steps += 1
        _average(net, mean, min(KEPT, (1 + steps) / (20 + steps)))
        if time.monotonic() - said >= SAY_EVERY_S and held:
            said = time.monotonic()
            figures = {"loss": float(loss.detach()), **_measured(mean, held, device)}
            _say(f"{passed:5.0f} s step {steps} {figures}")
    for worker in workers:
        worker.terminate()
    figures = _measured(mean, held, device) if held else figures
    write_onnx(mean.cpu(), folder / "embedding.onnx")
    last = {"steps": steps, "seed": options.seed, "boxes": steps * options.batch, **figures}
    (folder / "training.json").write_text(json.dumps(last, indent=1) + "\n")
    _say(f"done: {last}")


def _taken(drawn: Any, held: list[Pairs], count: int) -> list[Pairs]:
    out: list[Pairs] = []
    while len(out) < count:
        try:
            split, pairs = drawn.get(timeout=120)
        except queue.Empty:
            raise SystemExit("no process draws prints any more; the lines above say why") from None
        if split == "train":
            out.append(pairs)
        elif len(held) < HELD_OUT_BATCHES * DRAWN_A_BOX:
            held.append(pairs)
    return out


@torch.no_grad()  # type: ignore[untyped-decorator]
def _average(net: nn.Module, mean: nn.Module, kept: float) -> None:
    for own, new in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
        if own.dtype.is_floating_point:
            own.lerp_(new, 1 - kept)
        else:
            own.copy_(new)


@torch.no_grad()  # type: ignore[untyped-decorator]
def _measured(net: nn.Module, held: list[Pairs], device: torch.device) -> dict[str, float]:
    """Return how many prints of held-out boxes lie nearest to their own other look."""
    net.eval()
    chosen = held[:: max(1, len(held) // HELD_OUT_BATCHES)]
    one, other, same = _batch(chosen, device)
    likeness = embedded(net, one) @ embedded(net, other).transpose(1, 2)
    best = likeness.masked_fill(same, -9).argmax(dim=2).cpu()
    right = float((best == torch.arange(best.shape[1])).float().mean())
    return {"held_out_right": round(right, 4), "held_out_prints": float(best.numel())}


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def main() -> None:
    """Read the options and train."""
    parser = argparse.ArgumentParser(description=__doc__, prog="models.training.embedding")
    parser.add_argument("--minutes", type=float, default=60.0, help="how long, all in all")
    parser.add_argument("--out", default="build/embedding", help="folder for the results")
    parser.add_argument("--workers", type=int, default=2, help="processes that draw prints")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--batch", type=int, default=16, help="boxes a step")
    parser.add_argument("--rate", type=float, default=2e-3, help="highest learning rate")
    parser.add_argument("--device", help="cuda or cpu; by default what there is")
    train(parser.parse_args())


if __name__ == "__main__":
    main()
