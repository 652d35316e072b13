"""Pictures of a phone as frames: single photos stand, live ones fall silent."""

from __future__ import annotations

from itertools import islice

import cv2
import numpy as np
import pytest

from companion_app.eye import phone
from companion_app.eye.phone import PhoneInbox, PhoneSource
from vision.core.errors import PictureError


def picture(level: int = 120) -> bytes:
    return cv2.imencode(".png", np.full((48, 64, 3), level, np.uint8))[1].tobytes()


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(phone, "SHOWN_EVERY_S", 0.001)
    monkeypatch.setattr(phone, "SILENCE_S", 0.001)


def test_single_photo_is_shown_often_enough_to_settle():
    inbox = PhoneInbox()
    inbox.push(picture(), still=True)
    frames = inbox.source().frames()

    shown = [frame for frame in islice(frames, 6) if frame is not None]

    assert [frame.bgr[0, 0, 0] for frame in shown] == [120] * 6
    times = [frame.taken_at_s for frame in shown]
    assert times == sorted(set(times))


class Sequel(PhoneInbox):
    """An inbox that gets another photo, and is closed, whenever nothing new is in it."""

    def __init__(self, now: list[float], photos: list[bytes]) -> None:
        super().__init__(lambda: now[0])
        self._photos = photos
        self.shows: PhoneSource | None = None

    def is_quiet(self) -> bool:
        if self._photos:
            self.push(self._photos.pop(0), still=True)
        elif self.shows is not None:
            self.shows.close()
        return super().is_quiet()


@pytest.mark.parametrize(("age_s", "levels"), [(1.0, {10, 200}), (phone.GONE_S + 1, {200})])
def test_old_photo_is_not_shown_to_a_game_that_begins_later(age_s, levels):
    now = [0.0]
    inbox = Sequel(now, [picture(200)])
    inbox.push(picture(10), still=True)
    now[0] = age_s
    inbox.shows = inbox.source()

    shown = [frame.bgr[0, 0, 0] for frame in inbox.shows.frames() if frame is not None]

    assert set(shown) == levels
    assert shown.count(200) == phone.SHOWN_TIMES


def test_old_picture_of_a_live_phone_is_not_shown_to_a_game_that_begins_later():
    now = [0.0]
    inbox = PhoneInbox(lambda: now[0])
    inbox.push(picture())
    now[0] = phone.GONE_S + 1

    assert next(inbox.source().frames()) is None


def test_live_phone_that_falls_silent_is_lost():
    inbox = PhoneInbox()
    inbox.push(picture())
    frames = inbox.source().frames()

    assert next(frames) is not None
    assert next(frames) is None


def test_only_the_newest_picture_is_shown():
    inbox = PhoneInbox()
    inbox.push(picture(10))
    inbox.push(picture(200))

    newest = next(inbox.source().frames())

    assert newest is not None
    assert newest.bgr[0, 0, 0] == 200


def test_silent_live_phone_shows_nothing_but_a_photo_stays():
    now = [0.0]
    inbox = PhoneInbox(lambda: now[0])
    inbox.push(picture())
    now[0] = 60.0

    assert inbox.newest is None
    inbox.push(picture(), still=True)
    now[0] = 9000.0
    assert inbox.newest is not None


def test_what_is_no_picture_is_refused():
    with pytest.raises(PictureError):
        PhoneInbox().push(b"GIF89a nothing")


def test_closed_source_ends():
    inbox = PhoneInbox()
    source = inbox.source()
    source.close()

    assert list(source.frames()) == []
