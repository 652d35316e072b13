"""A stroke font of letters and digits, so that a face looks the same on screen and paper."""

from __future__ import annotations

from engine.draw.display import Path, Point, polyline, stroked

# Coordinates on a grid 4 wide and 6 high: a point is two digits, bars separate strokes.
STROKES = {
    "0": "10 30 41 45 36 16 05 01 10",
    "1": "01 20 26",
    "2": "01 10 30 41 42 06 46",
    "3": "00 40 22 33 44 45 36 16 05",
    "4": "36 30 04 44",
    "5": "40 00 02 32 43 45 36 06",
    "6": "30 10 02 05 16 36 45 44 33 03",
    "7": "00 40 16",
    "8": "13 02 01 10 30 41 42 33 13 04 05 16 36 45 44 33",
    "9": "16 36 44 41 30 10 01 02 13 43",
    "+": "03 43|21 25",
    "-": "03 43",
    "/": "40 06",
    "?": "01 10 30 41 42 23 24|26 26",
    "A": "06 20 46|14 34",
    "B": "06 00 30 41 42 33 03|33 44 45 36 06",
    "C": "41 30 10 01 05 16 36 45",
    "D": "06 00 20 42 44 26 06",
    "E": "40 00 06 46|03 33",
    "F": "40 00 06|03 33",
    "G": "41 30 10 01 05 16 36 45 43 23",
    "H": "00 06|40 46|03 43",
    "I": "20 26",
    "J": "40 45 36 16 05",
    "K": "00 06|40 03 46",
    "L": "00 06 46",
    "M": "06 00 23 40 46",
    "N": "06 00 46 40",
    "O": "10 30 41 45 36 16 05 01 10",
    "P": "06 00 30 41 42 33 03",
    "Q": "10 30 41 45 36 16 05 01 10|24 46",
    "R": "06 00 30 41 42 33 03|23 46",
    "S": "41 30 10 01 02 13 33 44 45 36 16 05",
    "T": "00 40|20 26",
    "U": "00 05 16 36 45 40",
    "V": "00 26 40",
    "W": "00 16 23 36 40",
    "X": "00 46|40 06",
    "Y": "00 23 40|23 26",
    "Z": "00 40 06 46",
}
ADVANCE = 5.6


def words(text: str, centre: Point, height: float, colour: str, weight: float = 0.17) -> Path:
    """Return a line of capitals around a centre; unknown letters become ``?``.

    Args:
        text: the words.
        centre: the middle of the line.
        height: the height of a capital.
        colour: the colour of the strokes.
        weight: the width of a stroke as a share of the height.
    """
    unit = height / 6
    wide = (len(text) - 1) * ADVANCE + 4
    left, top = centre[0] - wide * unit / 2, centre[1] - height / 2
    contours = []
    for i, letter in enumerate(text.upper()):
        if letter == " ":
            continue
        for stroke in STROKES.get(letter, STROKES["?"]).split("|"):
            points = [(int(p[0]) + i * ADVANCE, int(p[1])) for p in stroke.split()]
            contours.append(polyline([(left + x * unit, top + y * unit) for x, y in points]))
    return stroked(colour, height * weight, *contours)


def words_width(text: str, height: float) -> float:
    """Return the width of a line of capitals that ``words`` draws with this height."""
    return ((len(text) - 1) * ADVANCE + 4) * height / 6
