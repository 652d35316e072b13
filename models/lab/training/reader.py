"""Trains the network that names the tiles of any box.

``python -m models.lab.training.reader``.

A box is its prints. Each step embeds prototypes, which are the prints of some boxes in all turns as
print or a photograph shows them, and looks at tiles of these boxes: cut out of drawn tables, or
prints in any light, covered, blurred and small. A look must lie nearest to its own prototype. A
small score learns beside it whether what is nearest is right, whether the look is of the box at
all, and whether the whole of it is seen; it also meets tiles that the box was not taught, tiles of
other boxes, and whatever else lies on tables. Built-in boxes are boxes like any other.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from torch import Tensor, nn

from engine.setfile import built_in_set
from models.art import faces
from models.lab.evaluate.harness import say
from models.lab.scenes.settings import SQUARE_GAMES
from models.lab.scenes.splits import Split, rng_of
from models.lab.training.drills import cell_outlines, drill_crops
from models.lab.training.harness import timed_parser
from models.lab.training.learning import Bank, Block, Learner, Training, train, write_sequential
from models.lab.training.looks import covered, drawn, lit, noisy, overexposed, softened
from models.lab.training.print_drawing import PRINTS_A_LAND, Prints, drawn_boxes
from models.lab.training.prints import PrintBank, alone, beside, placed
from models.lab.training.shipped_reader import write_reader
from models.lab.training.strangers import collage_patches, picture_patches, scene_patches
from models.teaching.examples import Hardness, cut_example
from vision.classify.embedding import LAND_NUMBERS, PRINT_NUMBERS
from vision.classify.reader import ARRAYS, NETWORK
from vision.core.crop import Patches
from vision.core.files import TRAINED
from vision.core.types import BACK, QUARTERS, period_of

HIDDEN = 64, 32
"""Sizes of the score's hidden layers."""
RIGHT, OURS, WHOLE = range(3)
"""What the score says: the nearest prototype is right; it is of the box; all of it is seen."""
LOSS_OF = (1.0, 0.5, 0.25)
WIDEST_PX = 64.0
SHARPNESS, SHARPEST = 12.0, 40.0
"""Factor on cosines before the cross-entropy, at first and at most."""
MASKED = -1e4
MOST_FOLDS = 6

BOXES, LANDS = 12, 4
"""Invented boxes of a step, and boxes of lands."""
TAUGHT, UNTAUGHT, LOOKS, STRANGE_LOOKS = 10, 5, 24, 10
"""Prints of a box that are taught and that are not, and looks at either."""
TAUGHT_LANDS, EXAMPLES = 6, 2
"""Lands of a box that are taught, and photographs of each print and land."""
OWN_LOOKS, CUT_LOOKS, STRANGERS = 224, 448, 512
"""Looks at prints of the built-in boxes, at tiles of drawn tables, and at strangers."""
OTHER_WEIGHT, STRANGER_WEIGHT = 0.3, 2.5
"""How much a tile held against another box, and a stranger, weighs in the score's loss."""

PRINTED = Hardness(shift=0.006, size=0.008, turn_deg=0.4, lean=0.006, beside=0.3)
PHOTOGRAPHED = Hardness(shift=0.02, size=0.02, turn_deg=1.2, lean=0.015, beside=0.9)
SEEN = Hardness(shift=0.05, size=0.045, turn_deg=3.0, lean=0.04, beside=0.8)
PRINT_LIGHT, PHOTO_LIGHT = 0.12, 0.4
"""How much light changes prototypes, relative to looks."""
COVERED_SHARE, LEAST_SEEN, STRANGERS_COVERED = 0.34, 0.2, 0.15
SPOTS, BURNT, FARTHER, PROTOTYPE_BLUR = 0.15, 0.1, 0.35, 1.6
WHOLLY = 0.85
"""Visible share from which a tile counts as seen whole."""

CALLS = {"tables": 0.20, "scenes": 0.07, "collages": 0.24, "pictures": 0.24, "prints": 0.25}
"""How often each kind of sample is drawn; a table takes ten times as long as a picture."""
HELD_TABLES, HELD_SCENES = 6, 24
LEAST_TILES, LEAST_STRANGERS = 600, 300
MISSES = (0.5, 2.2)
SURE, SMALL_PX, HALF = 0.9, 24.0, 0.6


# --- The network and its score ---


class Reader(nn.Module):  # type: ignore[misc]
    """The network from a patch to its print and state, and the score of what is nearest."""

    def __init__(self) -> None:
        super().__init__()
        self.net = nn.Sequential(
            Block(3, 32, 2),
            Block(32, 64, 2),
            Block(64, 64),
            Block(64, 128, 2),
            Block(128, 128),
            Block(128, 128, 2),
            nn.Conv2d(128, PRINT_NUMBERS + LAND_NUMBERS, 4),
        )
        self.score = nn.Sequential(
            nn.Linear(4 + 3 * LAND_NUMBERS, HIDDEN[0]),
            nn.ReLU(),
            nn.Linear(HIDDEN[0], HIDDEN[1]),
            nn.ReLU(),
            nn.Linear(HIDDEN[1], 3),
        )
        self.sharpness = nn.Parameter(torch.tensor(SHARPNESS))

    def forward(self, patches: Tensor) -> tuple[Tensor, Tensor]:
        """Return print (unit length) and state (-1 to 1) of patches from 0 to 255."""
        with torch.autocast(patches.device.type, torch.bfloat16, enabled=patches.is_cuda):
            x = (patches / 255 - 0.5).contiguous(memory_format=torch.channels_last)
            out = self.net(x).flatten(1)
        out = out.float()
        prints = nn.functional.normalize(out[:, :PRINT_NUMBERS], dim=1)
        return prints, torch.tanh(out[:, PRINT_NUMBERS:])

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def take_up(self, path: Path, patches: Tensor) -> None:
        """Take the weights of a network that ``write_sequential`` wrote, to go on from there."""
        from onnx import load, numpy_helper

        kept = {
            one.name: torch.from_numpy(numpy_helper.to_array(one).copy()).to(patches.device)
            for one in load(str(path)).graph.initializer
        }
        x = patches / 255 - 0.5
        for number, layer in enumerate(self.net):
            weight, bias = (kept[f"step.{number}.{part}"] for part in "wb")
            if isinstance(layer, Block):
                x = layer.unfold(weight, bias, x)
            else:
                layer.weight.copy_(weight)
                layer.bias.copy_(bias)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def take_score(self, path: Path) -> None:
        """Take the score of an earlier training."""
        with np.load(path) as arrays:
            self.sharpness.copy_(torch.tensor(float(arrays["sharpness"])))
            for name, own in self.score.named_parameters():
                own.copy_(torch.from_numpy(arrays[f"score.{name}"].astype(np.float32)))


@dataclass(frozen=True)
class Box:
    """Prototypes of one or several boxes, embedded."""

    prints: Tensor
    states: Tensor
    keys: Tensor
    """Prototypes with one key mean the same."""
    boxes: Tensor
    rivals: Tensor
    """Cosine of each prototype and the next one of its box that means something else."""

    @classmethod
    def of(cls, embedded: tuple[Tensor, Tensor], keys: Tensor, boxes: Tensor) -> Box:
        """Return the prototypes with their rivals."""
        prints, states = embedded
        other = (boxes[:, None] == boxes) & (keys[:, None] != keys)
        alike = (prints @ prints.T).detach().masked_fill(~other, -1.0)
        return cls(prints, states, keys, boxes, alike.max(dim=1).values)


def weighed(
    score: nn.Module, box: Box, alike: Tensor, states: Tensor, across_px: Tensor
) -> tuple[Tensor, Tensor]:
    """Return what the score says of looks, N x 3 log-odds, and the nearest prototype of each.

    Args:
        score: the score.
        box: the prototypes.
        alike: cosines of N looks and all prototypes, -1 for those of other boxes.
        states: the state of each look.
        across_px: the width of each tile in its picture.
    """
    best, near = alike.max(dim=1)
    second = alike.masked_fill(box.keys[near][:, None] == box.keys, -1.0).max(dim=1).values
    wide = torch.log(across_px.clamp(max=WIDEST_PX) / SMALL_PX)
    own = box.states[near]
    first = torch.stack([best, best - second, box.rivals[near], wide], 1)
    return score(torch.cat([first, states, own, states * own], 1)), near


# --- What is drawn by other processes ---


@cache
def built_in_prints(set_name: str) -> tuple[dict[tuple[str, int], int], Prints]:
    """Return the number of each cell of each card of a box, and their prints."""
    tile_set = built_in_set(set_name)
    book = faces(tile_set)
    first = next(kind.name for kind in tile_set.kinds.values() if len(kind.cells) == 1)
    fronts = {kind.name: (book[kind.name], len(kind.cells)) for kind in tile_set.kinds.values()}
    numbers: dict[tuple[str, int], int] = {}
    patches: list[Patches] = []
    for name, (face, count) in {**fronts, BACK: (book[f"{first}:back"], 1)}.items():
        corners = np.array(face.outline_mm) * face.px_per_mm - 0.5
        for cell, outline in enumerate(cell_outlines(corners, count)):
            numbers[name, cell] = len(patches)
            patches.append(cut_example(np.asarray(face.bgr), outline))
    periods = np.array([period_of(tile_set, tile) for tile, _ in numbers])
    every = np.arange(len(patches))
    return numbers, Prints(np.stack(patches), every, periods, QUARTERS, lands=False)


def table_sample(set_name: str, seed: int, split: Split) -> dict[str, Any]:
    """Return the tiles of a drawn table, covered ones included."""
    rng = rng_of("one reader", set_name, split, seed)
    amount = float(rng.uniform(*MISSES))
    crops = drill_crops(set_name, seed, split, amount, LEAST_SEEN)
    numbers, prints = built_in_prints(set_name)
    which = [numbers[look.tile, look.cell] for look in crops.looks]
    turns = [
        look.turns % int(prints.periods[n]) for n, look in zip(which, crops.looks, strict=True)
    ]
    box = SQUARE_GAMES.index(set_name)
    return {
        "patches": crops.patches,
        "keys": key_of(box, np.array(which, np.int64), np.array(turns, np.int64)),
        "boxes": np.full(len(which), box),
        "visible": crops.visible.astype(np.float32),
        "across": crops.across_px.astype(np.float32),
    }


def key_of(box: int, prints: Any, turns: Any) -> Any:
    """Return a number that is the same for looks of one box that mean the same."""
    return (box * 1000 + prints) * MOST_FOLDS + turns


def stranger_sample(draw: Callable[..., Any], seed: int, split: Split) -> dict[str, Any]:
    """Return patches that are no tiles."""
    patches, across = draw(seed, split)
    return {"patches": patches, "across": np.asarray(across, np.float32)}


STRANGE = {"scenes": scene_patches, "collages": collage_patches, "pictures": picture_patches}


def sources(processes: int, seed: int) -> list[Callable[[], Iterator[tuple[str, Any]]]]:
    """Return a source for each process; the first one draws what is measured with, first of all."""
    return [partial(_samples, number, processes, seed) for number in range(processes)]


def _samples(first: int, step: int, seed: int) -> Iterator[tuple[str, Any]]:
    if first == 0:
        yield from _held_out()
    rng = rng_of("one reader source", seed, first)
    boxes = drawn_boxes("train", first, step, seed)
    names, shares = list(CALLS), list(CALLS.values())
    number = seed * 10_000_000 + first * 100_000
    for turn in range(100_000):
        # Prints first: nothing can be learnt without some boxes.
        what = "prints" if turn < 4 else str(rng.choice(names, p=shares))
        try:
            if what == "prints":
                yield "prints", next(boxes)
            elif what == "tables":
                game = SQUARE_GAMES[(turn + first) % len(SQUARE_GAMES)]
                yield "tables", table_sample(game, number + turn, "train")
            else:
                yield "strangers", stranger_sample(STRANGE[what], number + turn, "train")
        except StopIteration:
            names, shares = names[:-1], [s / sum(shares[:-1]) for s in shares[:-1]]
        except (ValueError, IndexError, KeyError, ArithmeticError, cv2.error) as error:
            # One table in a million that cannot be drawn must not end the training.
            say(f"{what} {number + turn}: {error!r}")


def _held_out() -> Iterator[tuple[str, Any]]:
    for seed in range(HELD_SCENES):
        draw = list(STRANGE.values())[seed % len(STRANGE)]
        yield "held strangers", stranger_sample(draw, seed, "held-out")
        if seed < HELD_TABLES:
            game = SQUARE_GAMES[seed % len(SQUARE_GAMES)]
            yield "held tables", table_sample(game, seed, "held-out")


# --- What a step learns from ---


@dataclass(frozen=True)
class Picks:
    """Prints of the bank in some turn, as prototypes or as looks."""

    places: Tensor
    turns: Tensor
    folds: Tensor
    keys: Tensor
    """-1 for a print that the box was not taught."""
    boxes: Tensor

    @classmethod
    def of(cls, rows: Sequence[tuple[Any, ...]], device: torch.device) -> Picks:
        """Return the rows of several boxes in one."""
        parts = (np.concatenate([np.atleast_1d(row[k]) for row in rows]) for k in range(5))
        return cls(*(torch.from_numpy(part).to(device) for part in parts))


def picked(
    box: int, first: int, prints: Prints, rng: np.random.Generator
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the prototypes of a box of prints, and looks at prints that it was taught or not."""
    order = rng.permutation(len(prints.periods))
    taught, others = order[:TAUGHT], order[TAUGHT : TAUGHT + UNTAUGHT]
    shown = np.repeat(taught, EXAMPLES)
    print_of = np.repeat(shown, prints.periods[shown])
    turn_of = np.concatenate([np.arange(count) for count in prints.periods[shown]])
    looked = rng.choice(taught, LOOKS)
    strange = rng.choice(others, STRANGE_LOOKS) if len(others) else looked[:0]
    every = np.concatenate([looked, strange])
    turns = rng.integers(prints.folds, size=len(every))
    keys = key_of(box, every, turns % prints.periods[every])
    keys[len(looked) :] = -1
    return (
        _rows(box, first + print_of, turn_of, prints.folds, key_of(box, print_of, turn_of)),
        _rows(box, first + every, turns, prints.folds, keys),
    )


def picked_lands(
    box: int, first: int, prints: Prints, rng: np.random.Generator
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return the prototypes of a box of lands, and looks at other prints of these and others."""
    kinds = rng.permutation(int(prints.kinds.max()) + 1)
    taught = kinds[: max(2, min(TAUGHT_LANDS, len(kinds) - 1))]
    examples = rng.permutation(PRINTS_A_LAND)
    shown = (taught[:, None] * PRINTS_A_LAND + examples[None, :EXAMPLES]).ravel()
    print_of = np.repeat(shown, prints.folds)
    turn_of = np.tile(np.arange(prints.folds), len(shown))
    looked = rng.choice(kinds, LOOKS + STRANGE_LOOKS)
    every = looked * PRINTS_A_LAND + rng.choice(examples[EXAMPLES:], len(looked))
    keys = np.where(np.isin(looked, taught), key_of(box, looked, 0), -1)
    turns = rng.integers(prints.folds, size=len(every))
    own = key_of(box, prints.kinds[print_of], 0)
    return (
        _rows(box, first + print_of, turn_of, prints.folds, own),
        _rows(box, first + every, turns, prints.folds, keys),
    )


def _rows(box: int, places: Any, turns: Any, folds: int, keys: Any) -> tuple[Any, ...]:
    every = (np.full(len(places), number) for number in (folds, box))
    folds_of, box_of = every
    return places, turns, folds_of, keys, box_of


@dataclass(frozen=True)
class Looks:
    """Looks at tiles and strangers, 0 to 255, and what is known of them."""

    patches: Tensor
    folds: Tensor
    keys: Tensor
    boxes: Tensor
    """-1 for strangers."""
    visible: Tensor
    across: Tensor

    def joined(self, *others: Looks) -> Looks:
        """Return the looks of all."""
        every = (self, *others)
        return Looks(*(torch.cat([getattr(o, n) for o in every]) for n in vars(self)))


def spoilt(looks: Looks, amount: Tensor) -> Looks:
    """Return the looks as they come: some are covered, burnt, blurred, small and dark."""
    count, device = len(looks.patches), looks.patches.device
    share = torch.where(looks.boxes < 0, STRANGERS_COVERED, COVERED_SHARE)
    hidden = torch.rand(count, device=device) < share
    seen = torch.where(hidden, LEAST_SEEN + (1 - LEAST_SEEN) * torch.rand(count, device=device), 1)
    patches = overexposed(lit(covered(looks.patches, seen), amount), SPOTS, BURNT)
    patches, across = softened(patches, looks.across, FARTHER)
    patches = alone(noisy(patches, amount), looks.folds)
    return replace(looks, patches=patches, visible=looks.visible * seen, across=across)


class ReaderTraining(Training):
    """The reader, its boxes, tiles of drawn tables and strangers."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__(options)
        # Batches differ in size, and timing every size anew would take longer than learning.
        torch.backends.cudnn.benchmark = False
        self.rng = np.random.default_rng(options.seed)
        self.prints = PrintBank(options.room, self.device)
        self.own = [built_in_prints(game)[1] for game in SQUARE_GAMES]
        for prints in self.own:
            self.prints.add(prints)
        self.own_boxes, self.prints.boxes[False] = self.prints.boxes[False], []
        self.cut, self.strange = (
            Bank(options.room * 2, self.device),
            Bank(options.room, self.device),
        )
        self.held: dict[str, list[dict[str, Any]]] = {"held tables": [], "held strangers": []}
        self.learner = Learner(self._made, self.device, options.rate)
        self.losses: dict[str, Tensor] = {}
        self.drawn = dict.fromkeys(("tables", "strangers", "prints"), 0)

    def _made(self) -> Reader:
        """Return the network to start from: an earlier one, or the one that tells prints apart."""
        made: Reader = Reader().to(self.device)
        own = self._prototypes(self._own_prototypes(), PRINTED, PRINT_LIGHT)
        if self.options.start:
            made.take_up(self.options.start / NETWORK, own)
            made.take_score(self.options.start / ARRAYS)
        else:
            made.take_up(TRAINED / "embedding.onnx", own)
        return made

    def take(self, split: str, sample: Any) -> None:
        """Add a sample, by its name."""
        if split in self.held:
            self.held[split].append(sample)
            return
        self.drawn[split] += 1
        if split == "prints":
            self.prints.add(sample)
        else:
            (self.cut if split == "tables" else self.strange).add(sample)

    def is_ready(self) -> bool:
        """Say whether there is enough of everything."""
        enough = self.cut.count >= LEAST_TILES and self.strange.count >= LEAST_STRANGERS
        return enough and self.prints.ready()

    # --- a step ---

    def step(self, rate: float) -> None:
        """Learn from one batch."""
        model = self.learner.net.train()
        invented, seen = self._invented()
        own = self._own_prototypes()
        patches = [
            self._prototypes(own, PRINTED, PRINT_LIGHT),
            self._prototypes(invented, PHOTOGRAPHED, PHOTO_LIGHT),
        ]
        looks = self._looks(seen)
        sizes = [len(part) for part in patches]
        prints, states = model(torch.cat([*patches, looks.patches]))
        count = sum(sizes)
        box = Box.of(
            (prints[:count], states[:count]),
            torch.cat([own.keys, invented.keys]),
            torch.cat([own.boxes, invented.boxes]),
        )
        alike = prints[count:] @ box.prints.T
        self.losses = self._losses(model, box, looks, alike, states[count:])
        total = self.losses["naming"]
        for weight, name in zip(LOSS_OF, ("right", "ours", "whole"), strict=True):
            total = total + weight * self.losses[name]
        self.learner.learn(total, rate)
        self.losses = {name: one.detach() for name, one in self.losses.items()}

    def _losses(
        self, model: Reader, box: Box, looks: Looks, alike: Tensor, states: Tensor
    ) -> dict[str, Tensor]:
        among = looks.boxes[:, None] == box.boxes
        taught = looks.keys >= 0
        sharp = model.sharpness.clamp(1.0, SHARPEST)
        logits = (sharp * alike).masked_fill(~among, MASKED)[taught]
        own = looks.keys[taught][:, None] == box.keys
        naming = logits.logsumexp(1) - logits.masked_fill(~own, MASKED).logsumexp(1)
        which, against, weight = self._pairs(looks, int(box.boxes.max()) + 1)
        rows = alike[which].masked_fill(against[:, None] != box.boxes, -1.0)
        said, near = weighed(model.score, box, rows, states[which], looks.across[which])
        ours = (looks.boxes[which] == against) & taught[which]
        right = ours & (box.keys[near] == looks.keys[which])
        whole = looks.visible[which] >= WHOLLY
        loss = nn.functional.binary_cross_entropy_with_logits
        return {
            "naming": naming.mean(),
            "right": loss(said[:, RIGHT], right.float(), weight),
            "ours": loss(said[:, OURS], ours.float(), weight),
            "whole": loss(said[:, WHOLE], whole.float(), weight * ours),
        }

    def _pairs(self, looks: Looks, boxes: int) -> tuple[Tensor, Tensor, Tensor]:
        """Return looks and the boxes that they are held against, and each pair's weight."""
        device = looks.boxes.device
        every, tile = torch.arange(len(looks.boxes), device=device), looks.boxes >= 0
        other = torch.randint(len(SQUARE_GAMES), (len(every),), device=device)
        others = tile & (other != looks.boxes)
        strange = every[~tile]
        parts = [
            (every[tile], looks.boxes[tile], 1.0),
            (every[others], other[others], OTHER_WEIGHT),
            *(
                (strange, torch.full_like(strange, number), STRANGER_WEIGHT)
                for number in range(len(SQUARE_GAMES))
            ),
            (strange, torch.randint(boxes, (len(strange),), device=device), STRANGER_WEIGHT),
        ]
        weights = [torch.full((len(part),), weight, device=device) for part, _, weight in parts]
        return (
            torch.cat([p[0] for p in parts]),
            torch.cat([p[1] for p in parts]),
            torch.cat(weights),
        )

    def _own_prototypes(self) -> Picks:
        """Return every print of the built-in boxes in every turn."""
        rows = []
        for number, (first, prints) in enumerate(self.own_boxes):
            print_of = np.repeat(np.arange(len(prints.periods)), prints.periods)
            turn_of = np.concatenate([np.arange(count) for count in prints.periods])
            keys = key_of(number, print_of, turn_of)
            rows.append(_rows(number, first + print_of, turn_of, QUARTERS, keys))
        return Picks.of(rows, self.device)

    def _invented(self) -> tuple[Picks, Picks]:
        """Return prototypes of invented boxes, and looks at their prints and those of our boxes."""
        known, seen = [], []
        for number in range(BOXES + LANDS):
            lands = number >= BOXES
            boxes = self.prints.boxes[lands]
            first, prints = boxes[int(self.rng.integers(len(boxes)))]
            pick = picked_lands if lands else picked
            both = pick(len(SQUARE_GAMES) + number, first, prints, self.rng)
            known.append(both[0])
            seen.append(both[1])
        for number, (first, prints) in enumerate(self.own_boxes):
            count = OWN_LOOKS // len(self.own_boxes)
            which = self.rng.integers(len(prints.periods), size=count)
            turns = self.rng.integers(QUARTERS, size=count)
            keys = key_of(number, which, turns % prints.periods[which])
            seen.append(_rows(number, first + which, turns, QUARTERS, keys))
        return Picks.of(known, self.device), Picks.of(seen, self.device)

    def _placed(self, picks: Picks, hardness: Hardness) -> Tensor:
        pictures = self.prints.patches[picks.places].permute(0, 3, 1, 2).float()
        pictures = beside(pictures, picks.folds, hardness)
        return placed(pictures, picks.turns, picks.folds, hardness)

    def _prototypes(self, picks: Picks, hardness: Hardness, light: float) -> Tensor:
        looks = self._placed(picks, hardness)
        amount = torch.full((len(looks),), light, device=self.device)
        looks, _ = softened(lit(looks, amount), 1e3 * torch.ones_like(amount), 0.0, PROTOTYPE_BLUR)
        return alone(noisy(looks, amount), picks.folds)

    def _looks(self, seen: Picks) -> Looks:
        """Return looks at prints, at tiles cut from drawn tables, and at strangers."""
        wide = torch.full((len(seen.keys),), 150.0, device=self.device)
        of_prints = Looks(
            self._placed(seen, SEEN), seen.folds, seen.keys, seen.boxes, torch.ones_like(wide), wide
        )
        of_tables = self._from(self.cut, CUT_LOOKS, strange=False)
        strangers = self._from(self.strange, STRANGERS, strange=True)
        looks = of_prints.joined(of_tables, strangers)
        amount = torch.ones(len(looks.keys), device=self.device)
        amount[len(wide) :] = 0.6 * torch.rand(len(amount) - len(wide), device=self.device)
        return spoilt(looks, amount)

    def _from(self, bank: Bank, count: int, *, strange: bool) -> Looks:
        picks = torch.randint(bank.filled, (count,), device=self.device)
        patches = bank["patches"][picks].permute(0, 3, 1, 2).float()
        four = torch.full_like(picks, QUARTERS)
        none = torch.full_like(picks, -1)
        if strange:
            mirrored = drawn(patches) > 0
            patches = torch.where(mirrored, patches.flip(3), patches)
            return Looks(patches, four, none, none, none + 2.0, bank["across"][picks])
        keys, boxes, visible, across = (
            bank[name][picks] for name in ("keys", "boxes", "visible", "across")
        )
        return Looks(patches, four, keys, boxes, visible, across)

    # --- figures and files ---

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def measured(self) -> dict[str, Any]:
        """Return how held-out tiles and strangers are read, as counts."""
        model = self.learner.mean.eval()
        own = self._own_prototypes()
        box = Box.of(
            model(self._prototypes(own, replace(PRINTED, beside=0.0), 0.0)), own.keys, own.boxes
        )
        counts: dict[str, int] = {}
        for sample in self.held["held tables"]:
            for name, hits in self._tiles_read(model, box, sample).items():
                counts[name] = counts.get(name, 0) + hits
        counts["strangers"] = counts["strangers claimed"] = 0
        for sample in self.held["held strangers"]:
            for number in range(len(SQUARE_GAMES)):
                said, _ = self._said(model, box, sample, number)
                counts["strangers"] += len(said)
                counts["strangers claimed"] += int((said[:, RIGHT] >= SURE).sum())
        return counts

    def _said(
        self, model: Reader, box: Box, sample: Mapping[str, Any], number: int
    ) -> tuple[Tensor, Tensor]:
        patches = torch.from_numpy(sample["patches"]).to(self.device).permute(0, 3, 1, 2).float()
        prints, states = model(patches)
        alike = (prints @ box.prints.T).masked_fill(box.boxes != number, -1.0)
        across = torch.from_numpy(sample["across"]).to(self.device)
        said, near = weighed(model.score, box, alike, states, across)
        return torch.sigmoid(said), box.keys[near]

    def _tiles_read(self, model: Reader, box: Box, sample: Mapping[str, Any]) -> dict[str, int]:
        said, keys = self._said(model, box, sample, int(sample["boxes"][0]))
        right = (keys == torch.from_numpy(sample["keys"]).to(self.device)).cpu().numpy()
        sure = (said[:, RIGHT] >= SURE).cpu().numpy()
        small, seen = sample["across"] < SMALL_PX, sample["visible"]
        kinds = {
            "full": ~small & (seen >= WHOLLY),
            "covered": ~small & (seen < HALF),
            "small": small,
        }
        counts = {}
        for name, some in kinds.items():
            counts[name] = int(some.sum())
            counts[f"{name} right"] = int((some & right).sum())
            counts[f"{name} sure"] = int((some & right & sure).sum())
            counts[f"{name} sure and wrong"] = int((some & ~right & sure).sum())
        return counts

    def report(self) -> dict[str, Any]:
        """Print and return the losses and the figures on held-out tiles and strangers."""
        last = {
            "steps": self.learner.steps,
            "seed": self.options.seed,
            "drawn": dict(self.drawn),
            "tiles": self.cut.count,
            "strangers": self.strange.count,
            "prints": self.prints.filled,
            "sharpness": round(self.learner.net.sharpness.item(), 2),
            "losses": {name: round(float(one), 4) for name, one in self.losses.items()},
            "held_out": self.measured(),
        }
        say(str(last))
        return last

    def save(self, last: Mapping[str, Any]) -> None:
        """Write the network, its score and prototypes, as play loads them."""
        mean = self.learner.mean
        write_sequential(mean.net, self.options.out / NETWORK, halves=True)
        score = {f"score.{name}": own for name, own in mean.score.state_dict().items()}
        score["sharpness"] = mean.sharpness
        arrays = {name: own.detach().cpu().numpy() for name, own in score.items()}
        write_reader(arrays, self.options.out, last)


def main() -> None:
    """Read the options and train."""
    parser = timed_parser("reader", __doc__, "build/reader", 100_000)
    parser.add_argument("--start", type=Path, help="folder of the network to go on from")
    options = parser.parse_args()
    train(ReaderTraining, sources(options.workers, options.seed), options)


if __name__ == "__main__":
    main()
