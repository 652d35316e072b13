"""Rows of cards whose outlines slipped; what places show is made up here, on a sloping table."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from vision.classify.reader import CellGuess, CellReading
from vision.core.outline import Forms
from vision.core.plane import TablePlane
from vision.core.types import Detection, Detections
from vision.detect.slipped import with_rows_laid

SIZE_PX = (800, 600)
ASLANT = TablePlane(np.array([400.0, 300.0]), 500.0, np.array([0.1, -0.5, -3.1, 0.1]))
ORIGIN, BESIDE = ASLANT.on_table(np.array([(200.0, 180.0), (300.0, 190.0)]))
RIGHT = (BESIDE - ORIGIN) / np.linalg.norm(BESIDE - ORIGIN)
DOWN = np.cross([-0.1, 0.5, 1.0], RIGHT) / np.linalg.norm(np.cross([-0.1, 0.5, 1.0], RIGHT))
CARDS = [(x, 0) for x in range(6)] + [(0, y) for y in range(1, 5)] + [(1, 4), (2, 4)]


def outline(x: float, y: float) -> np.ndarray:
    return np.asarray(ASLANT.squares((ORIGIN + x * RIGHT + y * DOWN)[None], RIGHT)[0])


def places_of(detections: Sequence[Detection]) -> np.ndarray:
    off = ASLANT.on_table(np.stack([one.centre_px for one in detections])) - ORIGIN
    return np.stack([off @ RIGHT, off @ DOWN], axis=1)


def look(found: Sequence[Detection]) -> list[CellReading]:
    """Read outlines: whatever lies on a card shows it, the better the nearer."""
    return [reading_at(place) for place in places_of(found)]


def reading_at(place: np.ndarray) -> CellReading:
    off = float(min(np.linalg.norm(place - card) for card in CARDS))
    guess = CellGuess("crossing" if off < 0.2 else "straight", 0, 0, 0.999 if off < 0.6 else 0.01)
    odd, why = off >= 0.4, None if off < 0.6 else "unknown-tile"
    return CellReading((guess,), why, odd=odd, far=min(1.2, 0.05 + 1.8 * off))


def table(places: Sequence[tuple[float, float]]) -> Detections:
    found = tuple(Detection(outline(*place), 0.9) for place in places)
    return Detections(SIZE_PX, "square", found)


def cells(detections: Detections) -> list[tuple[int, int]]:
    places = places_of(detections.found)
    assert np.abs(places - np.round(places)).max() < 0.12
    return sorted((int(x), int(y)) for x, y in np.round(places))


def test_plane_is_found_though_some_outlines_are_wrong():
    right = [Forms.of(outline(*card)[None], "square") for card in CARDS]
    corners = np.stack([outline(*card) for card in CARDS])
    corners[:3] += (corners[:3] - corners[:3].mean(axis=1, keepdims=True)) * 0.3
    plane = TablePlane.of(Forms.of(corners, "square"), np.ones(len(corners)), SIZE_PX)

    off = [np.abs(plane.logs(one.middles) - one.logs).max() for one in right]

    assert max(off) < 0.05


def test_places_on_the_table_lead_back_to_the_picture():
    corners = np.stack([outline(*card) for card in CARDS])
    plane = TablePlane.of(Forms.of(corners, "square"), np.ones(len(corners)), SIZE_PX)

    assert np.allclose(plane.in_picture(plane.on_table(corners[0])), corners[0])


@pytest.mark.parametrize(
    "slipped",
    [
        pytest.param([(1.8, 0), (2.6, 0), (3.4, 0), (4.2, 0)], id="one outline too many"),
        pytest.param([(2.3, 0), (3.6, 0)], id="one outline too few"),
    ],
)
def test_cards_between_two_that_did_not_slip_are_laid_evenly(slipped):
    stay = [card for card in CARDS if card[1] or card[0] in (0, 1, 5)]
    seen = table([*stay, *slipped])

    laid, readings = with_rows_laid(seen, look(seen.found), look)

    assert cells(laid) == sorted(CARDS)
    assert {reading.guesses[0].tile for reading in readings} == {"crossing"}


def test_outline_across_the_last_two_cards_of_a_row_becomes_both():
    seen = table([*(card for card in CARDS if card[1] or card[0] < 4), (4.45, 0)])

    laid, _ = with_rows_laid(seen, look(seen.found), look)

    assert cells(laid) == sorted(CARDS)


def test_outline_between_two_rows_becomes_what_these_expect(monkeypatch):
    monkeypatch.setattr(f"{__name__}.CARDS", [(x, y) for x in range(5) for y in range(2)])
    seen = table([*(card for card in CARDS if card[0] < 4), (4.0, 0.45)])

    laid, _ = with_rows_laid(seen, look(seen.found), look)

    assert cells(laid) == sorted(CARDS)


def test_cards_that_lie_well_stay_as_they_were_found():
    seen = table(CARDS)

    laid, readings = with_rows_laid(seen, look(seen.found), look)

    assert laid is seen
    assert all(reading.guesses[0].tile == "crossing" for reading in readings)


def test_too_few_cards_say_nothing_about_the_table():
    seen = table([(0, 0), (1, 0), (2.45, 0)])

    assert with_rows_laid(seen, look(seen.found), look)[0] is seen


def test_last_card_of_a_row_that_hides_another_is_laid_with_it():
    seen = table([*(card for card in CARDS if card[1] or card[0] < 4), (4.18, 0)])

    laid, _ = with_rows_laid(seen, look(seen.found), look)

    assert cells(laid) == sorted(CARDS)


def test_outlines_beneath_a_row_that_is_laid_anew_are_gone():
    stay = [card for card in CARDS if card[1] or card[0] < 3]
    seen = table([*stay, (3.3, 0), (4.3, 0), (4.9, 0.05)])

    laid, _ = with_rows_laid(seen, look(seen.found), look)

    assert cells(laid) == sorted(CARDS)
