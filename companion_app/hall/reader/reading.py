"""Reads one photo of the queue in a worker process with limited memory and time."""

from __future__ import annotations

from pathlib import Path

from companion_app.hall.reader.photos import MOST_TRIES, answer, begin
from companion_app.hall.store.hall_store import HallStore
from companion_app.hands.errors import HandsError
from companion_app.hands.pool import Hands
from companion_app.hands.work import PHOTO
from companion_app.home import set_folders
from companion_app.web.lessons.photo_reading import read_photo
from companion_app.web.place import Place
from companion_app.web.scoring import scored_photo
from companion_app.web.serving.errors import WebError
from engine.errors import EngineError
from vision import VisionError


class TryAgainError(Exception):
    """A photo could not be read for a reason that lies outside the photo."""


def read_one(store: HallStore, hands: Hands, number: int) -> None:
    """Read a photo and store what was read.

    Raises:
        TryAgainError: the photo was not read, and an attempt is left.
    """
    photo = begin(store, number)
    if photo is None:
        # Out of attempts, or already answered: an existing answer is not replaced.
        answer(store, number, {"error": "not-read"})
        return
    place = Place(Path(), set_folders())
    box = photo.box or None
    try:
        read = hands.do(
            PHOTO, scored_photo, place, photo.language, read_photo, photo.jpeg, photo.game, box
        )
    except (VisionError, EngineError, WebError):
        answer(store, number, {"error": "no-photo"})
    except HandsError as error:
        if begin_is_over(store, number):
            answer(store, number, {"error": "not-read"})
        else:
            raise TryAgainError(str(error)) from error
    else:
        answer(store, number, read)


def begin_is_over(store: HallStore, number: int) -> bool:
    """Say whether no attempt is left."""
    from sqlalchemy import select

    from companion_app.hall.store.schema import photos

    with store.reading() as line:
        tries = line.execute(select(photos.c.tries).where(photos.c.id == number)).scalar()
    return tries is None or tries >= MOST_TRIES
