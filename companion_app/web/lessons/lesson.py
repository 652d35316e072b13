"""A lesson that the page prepares: photos, the tiles found in them, groups and their names.

There is one lesson at a time, stored in a folder, so that a phone that goes to sleep loses
nothing. The hands do the heavy work: finding tiles in photos, and training.
"""

from __future__ import annotations

import json
import logging
import shutil
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta

from companion_app.aside import Turn
from companion_app.hands.errors import HandsError
from companion_app.hands.pool import Hands
from companion_app.hands.work import FIND, LEARN, LOOK
from companion_app.web.lessons.board_lesson import (
    BOARD,
    add_board,
    board_labels,
    change_boards,
    empty_board_lesson,
    shown_boards,
    swatch,
    view_file,
)
from companion_app.web.lessons.lesson_form import has_form, is_lesson
from companion_app.web.serving.errors import BadRequest, NotFound, WebError
from companion_app.whole_file import write_whole
from engine.errors import RecordError
from engine.given import read_json, without_hidden

log = logging.getLogger(__name__)
Doc = dict[str, Any]
Share = Annotated[float, Meta(ge=0, le=1)]
Shape = Literal["square", "hex"]
LessonShape = Literal["square", "hex", "board"]

FILE, PATCHES, PROGRESS = "lesson.json", "patches.npy", "progress.txt"
MOST_PHOTOS, MOST_TILES = 12, 400
PATCH = (112, 112, 3)
LONGEST_NAME = 60
SHOWN_PX = 1600
LEAST_SHARE = 0.005
"""The least width and height of a marked tile, as a share of its photo."""


@dataclass(frozen=True, slots=True)
class Wish:
    """The settings for learning a lesson."""

    name: str
    """The name of the box and its files."""
    title: str
    """The title of the box on the page."""
    game: str | None
    ups: bool
    """Whether the orientation of tiles matters."""
    anew: bool
    corrections: Path


@dataclass(frozen=True, slots=True)
class LessonFolder:
    """The folder of a lesson; its files are replaced atomically, so that reading needs no lock."""

    folder: Path
    sets: Path
    """The owner's folder of sets."""

    def read(self) -> Doc | None:
        """Return the lesson; ``None`` before the first photo."""
        try:
            lesson = read_json(self.folder / FILE)
        except (OSError, RecordError):
            return None
        return lesson if is_lesson(lesson) else None

    def begun(self) -> Doc:
        """Return the lesson; raise ``NotFound`` before the first photo."""
        if (lesson := self.read()) is None:
            raise NotFound
        return lesson

    def write(self, lesson: Doc) -> None:
        """Store the lesson."""
        write_whole(self.folder / FILE, json.dumps(lesson))

    def patches(self) -> Any:
        """Return the image patches of the tiles, in the order of the tiles."""
        import numpy as np

        with suppress(OSError, ValueError, EOFError, MemoryError, AttributeError):
            patches = np.load(self.folder / PATCHES, allow_pickle=False)
            if patches.shape[1:] == PATCH and patches.dtype == np.uint8:
                return patches
        return np.zeros((0, *PATCH), np.uint8)

    def picture(self, part: str, number: int) -> bytes:
        """Return as JPEG a cell of a sort, a tile turned like its group, or a reduced photo."""
        import cv2

        lesson = self.read()
        if lesson is None or not 0 <= number < len(lesson.get(part, ())):
            raise NotFound
        shows = {"sorts": self._sort, "tiles": self._tile, "photos": self._photo}
        return bytes(cv2.imencode(".jpg", shows[part](lesson, number))[1].tobytes())

    def _sort(self, lesson: Doc, number: int) -> Any:
        return swatch(lesson, self.folder, number)

    def _tile(self, lesson: Doc, number: int) -> Any:
        from models.teaching.examples import plain

        patches, tile = self.patches(), lesson["tiles"][number]
        if number >= len(patches):
            raise NotFound
        up = lesson["up"].get(str(tile["group"]), 0)
        folds = _folds(lesson)
        return plain(patches[number][None], [(tile["steps"] + up) % folds], folds)[0]

    def _photo(self, lesson: Doc, number: int) -> Any:
        import cv2

        from vision import load_picture

        bgr = load_picture(self.folder / lesson["photos"][number]).bgr
        scale = min(1.0, SHOWN_PX / max(bgr.shape[:2]))
        return cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)

    def add_photo(self, lesson: Doc, jpeg: bytes) -> None:
        """Find the tiles in one more photo, and put them into groups."""
        self.folder.mkdir(parents=True, exist_ok=True)
        name = f"photo-{len(lesson['photos']) + 1:02d}.jpg"
        (self.folder / name).write_bytes(jpeg)
        try:
            if lesson["shape"] == BOARD:
                add_board(lesson, self.folder, name, self.sets)
            else:
                from models.teaching.found import find_tiles

                # Keep a photo without any detection: the owner can mark tiles in it.
                lesson["photos"].append(name)
                self._add_found(lesson, name, find_tiles(self.folder / name, lesson["shape"]))
        except Exception:
            (self.folder / name).unlink(missing_ok=True)
            raise
        self.write(lesson)

    def mark(self, lesson: Doc, name: str, shares: list[list[float]]) -> None:
        """Add a tile that the owner marked in a photo by its corners."""
        import numpy as np

        from models.teaching.found import marked_tile

        marked = marked_tile(self.folder / name, lesson["shape"], np.asarray(shares))
        self._add_found(lesson, name, marked)
        self.write(lesson)

    def move(self, lesson: Doc, numbers: list[int], group: int) -> None:
        """Move tiles to a group, turned like the tiles that are in it, or leave them out."""
        from models.teaching.found import aligning_turns

        tiles, patches, moved = lesson["tiles"], self.patches(), [*dict.fromkeys(numbers)]
        staying = [n for n, tile in enumerate(tiles) if tile["group"] == group and n not in moved]
        example = (staying or moved)[0]
        others = [n for n in moved if n != example]
        # The patches may be lost with a damaged disk; the names are not.
        if group >= 0 and others and len(patches) >= len(tiles):
            turns = aligning_turns(patches, lesson["shape"], example, others)
            for number, turn in zip(others, turns, strict=True):
                tiles[number]["steps"] = (tiles[example]["steps"] + turn) % _folds(lesson)
        for number in moved:
            tiles[number]["group"] = group
        self.write(lesson)

    def _add_found(self, lesson: Doc, name: str, found: Any) -> None:
        """Add the tiles of a photo to the lesson, and put them into groups."""
        import numpy as np

        # A killed worker may have left patches of tiles that the lesson does not list.
        known = self.patches()[: len(lesson["tiles"])]
        patches = np.concatenate([known, found.patches])[:MOST_TILES]
        lesson["tiles"] += [
            {"photo": name, "outline": np.round(outline, 1).tolist(), "group": -1, "steps": 0}
            for outline in found.outlines_px
        ]
        del lesson["tiles"][MOST_TILES:]
        packed = BytesIO()
        np.save(packed, patches)
        write_whole(self.folder / PATCHES, packed.getvalue())
        _group_tiles(lesson, patches)

    def progress(self) -> str:
        """Return the last progress text of learning, or an empty one."""
        with suppress(OSError):
            return (self.folder / PROGRESS).read_text(encoding="utf-8")
        return ""

    def task(self, lesson: Doc, wish: Wish) -> Any:
        """Return a lesson in the form that training takes.

        Raises:
            TeachingError: the lesson cannot be learnt as it is.
        """
        from models.teaching.errors import TeachingError
        from models.teaching.labels import parse_labels
        from models.teaching.teach import Lesson

        shape: Shape = "hex" if lesson["shape"] == BOARD else lesson["shape"]
        game = wish.game
        if lesson["shape"] == BOARD:
            said, game = board_labels(lesson, wish.name), lesson["game"]
        else:
            said = _tile_labels(lesson, wish.name, ups=wish.ups or game is not None)
        if not said["photos"]:
            code = "teach-needs" if lesson["shape"] == BOARD else "teach-few-kinds"
            raise TeachingError("nothing has a name yet", code=code)
        return Lesson(
            wish.name,
            shape,
            self.folder,
            parse_labels(said, shape),
            game,
            replace=wish.anew,
            corrections=wish.corrections,
        )

    def check(self, lesson: Doc, wish: Wish) -> None:
        """Check whether a lesson can be learnt.

        Raises:
            TeachingError: the lesson cannot be learnt; says why.
        """
        from models.teaching.teach import check_name

        check_name(wish.name)
        self.task(lesson, wish)

    def learnt(self, lesson: Doc, wish: Wish) -> Doc:
        """Learn a lesson and return the report; ``progress`` tells the progress meanwhile."""
        from models.teaching.shelf import give_title
        from models.teaching.teach import teach

        report = dict(teach(self.task(lesson, wish), self.sets, self._say))
        give_title(self.sets, wish.name, wish.title)
        return report | {"title": wish.title}

    def _say(self, text: str) -> None:
        with suppress(OSError):
            write_whole(self.folder / PROGRESS, text)


class LessonDraft:
    """The lesson that an owner prepares, with its changes and its learning."""

    def __init__(self, folder: Path, sets: Path, corrections: Path, hands: Hands) -> None:
        self._files, self._corrections = LessonFolder(folder, sets), corrections
        self._hands = hands
        self._lock = Turn()
        """Held while the lesson is changed; reading needs no lock."""
        self._learning: threading.Thread | None = None
        self._said: Doc = {"state": "idle"}

    # --- what the page shows -----------------------------------------------------------------

    def shown(self) -> Doc:
        """Return the lesson for the page (``None`` before the first photo), and the learning."""
        lesson, said = self._files.read(), dict(self._said)
        if lesson is not None and lesson["shape"] == BOARD:
            lesson = shown_boards(lesson)
        if said["state"] == "learning":
            said["text"] = self._files.progress()
        return {"lesson": lesson, "learning": said}

    def picture(self, part: str, number: int) -> bytes:
        """Return a picture of the lesson: of its ``boards``, ``sorts``, ``tiles`` or ``photos``."""
        if part != "boards":
            return self._hands.do(LOOK, self._files.picture, part, number)
        try:
            return (self._files.folder / view_file(number)).read_bytes()
        except OSError:
            raise NotFound from None

    # --- preparing ---------------------------------------------------------------------------

    def add_photo(self, jpeg: bytes, shape: LessonShape, game: str, taught: str | None) -> None:
        """Find the tiles in one more photo, and put them into groups.

        Args:
            jpeg: the photo.
            shape: the shape of the tiles, or ``board``.
            game: the game of the board.
            taught: a taught box with such a board, if there is one.
        """
        with self._lock.within():
            lesson = self._files.read() or _empty(shape, game, taught)
            if lesson["shape"] != shape or lesson.get("game", "") != game:
                raise BadRequest("the lesson has tiles of another shape or game")
            if len(lesson["photos"]) >= MOST_PHOTOS:
                raise WebError(code="teach-many")
            self._hands.do(FIND, self._files.add_photo, lesson, jpeg)

    def mark(self, number: int, shares: Any) -> None:
        """Add a tile that the owner marked in a photo, its corners as shares of the picture."""
        with self._lock.within():
            lesson = self._files.begun()
            if lesson["shape"] == BOARD:
                raise NotFound
            corners = _folds(lesson)
            if not 0 <= number < len(lesson["photos"]) or not _are_shares(shares, corners):
                raise BadRequest(f"send a photo's number and {corners} corners from 0 to 1")
            if len(lesson["tiles"]) >= MOST_TILES:
                raise WebError(code="teach-many")
            self._hands.do(FIND, self._files.mark, lesson, lesson["photos"][number], shares)

    def change(self, sent: Mapping[str, Any]) -> None:
        """Name groups, turn them, move tiles from group to group, leave tiles out."""
        with self._lock.within():
            lesson = self._files.begun()
            if lesson["shape"] == BOARD:
                change_boards(lesson, sent)
                self._files.write(lesson)
                return
            names, up, tiles = sent.get("names"), sent.get("up"), sent.get("tiles")
            last = len(lesson["tiles"]) - 1
            for given, form, problem in (
                (names, dict[str, str], "names are text, by group"),
                (up, dict[str, int], "up is a number of steps, by group"),
                (tiles, list[Annotated[int, Meta(ge=0, le=last)]], "tiles are numbers of tiles"),
            ):
                if given is not None and not has_form(given, form):
                    raise BadRequest(problem)
            lesson["names"] |= {
                k: without_hidden(name)[:LONGEST_NAME] for k, name in (names or {}).items()
            }
            lesson["up"] |= {key: steps % _folds(lesson) for key, steps in (up or {}).items()}
            if tiles:
                into = _target(lesson, sent.get("into", -1))
                self._hands.do(LOOK, self._files.move, lesson, tiles, into)
            else:
                self._files.write(lesson)

    def forget(self) -> None:
        """Delete the lesson."""
        with self._lock.within():
            shutil.rmtree(self._files.folder, ignore_errors=True)
            self._said = {"state": "idle"}

    # --- learning ----------------------------------------------------------------------------

    def learn(self, title: str, game: str | None, *, ups: bool, anew: bool) -> None:
        """Start learning the named groups in the background; ``shown`` tells the progress.

        Args:
            title: the title of the box, in any script; a safe file name is derived from it.
            game: the game whose tiles the groups are named after, if any; a lesson about a board
                has its own.
            ups: whether the orientation of tiles matters.
            anew: whether to replace what was taught under that name.
        """
        from models.teaching.shelf import name_for

        name = name_for(self._files.sets, title)
        wish = Wish(name, title, game, ups, anew, self._corrections)
        with self._lock.within():
            lesson = self._files.begun()
            if self._learning is not None and self._learning.is_alive():
                raise WebError(code="teach-busy")
            self._hands.do(LOOK, self._files.check, lesson, wish)
            (self._files.folder / PROGRESS).unlink(missing_ok=True)
            self._said = {"state": "learning", "text": ""}
            self._learning = threading.Thread(target=self._run, args=(lesson, wish), daemon=True)
            self._learning.start()

    def _run(self, lesson: Doc, wish: Wish) -> None:
        from models.teaching.errors import TeachingError

        try:
            report = self._hands.do(LEARN, self._files.learnt, lesson, wish)
        except HandsError as error:
            self._said = {"state": "failed", "text": "", "code": error.code}
        except TeachingError as error:
            said = {"text": error.about, "code": error.code} if error.code else {"text": str(error)}
            self._said = {"state": "failed", **said}
        except Exception as error:
            # Top level of the thread: nothing above would report the error.
            log.exception("a lesson was not learnt")
            code = "not-kept" if isinstance(error, OSError) else "broken"
            self._said = {"state": "failed", "text": "", "code": code}
        else:
            self._said = {"state": "learnt", "text": "", "report": report}

    def wait(self, seconds: float) -> None:
        """Wait until learning has ended, at most ``seconds``."""
        if self._learning is not None:
            self._learning.join(seconds)


def _empty(shape: LessonShape, game: str, taught: str | None) -> Doc:
    if shape == BOARD:
        return empty_board_lesson(game, taught)
    return {"shape": shape, "photos": [], "tiles": [], "names": {}, "up": {}}


def _folds(lesson: Doc) -> int:
    return 4 if lesson["shape"] == "square" else 6


def _target(lesson: Doc, into: Any) -> int:
    """Return the group that tiles move to: a known one, -2 for left out, or a new one."""
    groups: set[int] = {tile["group"] for tile in lesson["tiles"]}
    if into == "new":
        return 1 + max(-1, *groups)
    if into == "out":
        return -2
    if type(into) is not int or into not in groups:
        raise BadRequest("into is a group, new or out")
    return into


def _are_shares(value: Any, count: int) -> bool:
    """Say whether a value is a list of ``count`` corners in 0 to 1 that span an area."""
    return (
        has_form(value, list[tuple[Share, Share]])
        and len(value) == count
        and all(max(p[i] for p in value) - min(p[i] for p in value) > LEAST_SHARE for i in (0, 1))
    )


# --- groups of tiles -----------------------------------------------------------------------------


def _group_tiles(lesson: Doc, patches: Any) -> None:
    """Put ungrouped tiles into groups; tiles that already have a group keep it."""
    from models.teaching.found import grouped

    made = grouped(patches, lesson["shape"])
    found = list(zip(lesson["tiles"], made.groups.tolist(), made.steps.tolist(), strict=True))
    # By group found: the lesson's group, and the steps by which its tiles are turned further.
    own: dict[int, tuple[int, int]] = {}
    for tile, group, steps in found:
        if tile["group"] >= 0:
            own.setdefault(group, (tile["group"], tile["steps"] - steps))
    free = max((tile["group"] for tile in lesson["tiles"]), default=-1) + 1
    for tile, group, steps in found:
        if tile["group"] == -1:
            if group not in own:
                own[group], free = (free, 0), free + 1
            tile["group"], further = own[group]
            tile["steps"] = (steps + further) % _folds(lesson)


def _tile_labels(lesson: Doc, name: str, *, ups: bool) -> Doc:
    """Return the named tiles as labels for teaching."""
    folds = _folds(lesson)
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
