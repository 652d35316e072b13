"""Print sheets are turned back into pictures and measured."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2
import pytest

from calibration.sheet import SQUARE_MM, SQUARES, charuco_board
from engine.setfile import built_in_names, built_in_set, parse_set
from engine.tiles import TileSet
from models.art import faces
from models.sheets import SheetError, make_sheets
from models.sheets.make import printed_pitch_mm, write_sheets
from models.sheets.paper import MARGIN_MM, sheet_of

PX = 3
"""Pixels a millimetre of the pictures that pages are turned into."""


@dataclass
class Printed:
    """A set's sheets, and its pages as pictures."""

    folder: Path
    tile_set: TileSet
    pitch: float
    index: list[dict[str, Any]]
    pages: dict[tuple[str, int], Any]

    def of(self, side, file="tiles.pdf"):
        return [e for e in self.index if e["file"] == file and e["side"] == side]

    def page(self, entry):
        return self.pages[entry["file"], entry["page"]]


def pictures(path, px=PX):
    with pypdfium2.PdfDocument(path) as document:
        return [picture(page, px) for page in document]


def picture(page, px):
    """Return a page at exactly ``px`` a millimetre; pdfium stretches to whole pixels."""
    width, height = (side / 72 * 25.4 * px for side in page.get_size())
    drawn = page.render(scale=px * 25.4 / 72).to_numpy()
    stretch = np.array([[width / drawn.shape[1], 0, 0], [0, height / drawn.shape[0], 0]])
    size = (drawn.shape[1], drawn.shape[0])
    return cv2.warpAffine(drawn, stretch, size, borderMode=cv2.BORDER_REPLICATE)


def printed(folder, tile_set, paper="a4", size_mm=None):
    sheet = sheet_of(paper)
    pitch = printed_pitch_mm(tile_set, sheet, size_mm)
    index = write_sheets(tile_set, folder, sheet, pitch)
    pages = {
        (path.name, number): page
        for path in folder.glob("*.pdf")
        for number, page in enumerate(pictures(path), 1)
    }
    return Printed(folder, tile_set, pitch, index, pages)


@pytest.fixture(scope="module", params=built_in_names())
def sheets(request, tmp_path_factory):
    paper = "letter" if request.param in ("carnival", "snekagon") else "a4"
    folder = tmp_path_factory.mktemp(request.param)
    return printed(folder, built_in_set(request.param), paper)


def test_every_page_is_listed(sheets):
    assert {(e["file"], e["page"]) for e in sheets.index} == set(sheets.pages)


def test_the_bar_on_every_sheet_is_50_mm(sheets):
    # Every page coarsely, the first of each file finely.
    for entry in sheets.index:
        x, y = entry["bar_mm"]
        page = sheets.page(entry)
        row = page[round((y + 0.4) * PX), :, 0] < 128
        dark = np.flatnonzero(row[round((x - 1) * PX) : round((x + 52) * PX)])
        assert dark.size / PX == pytest.approx(50, abs=0.5)
    for path in sorted(sheets.folder.glob("*.pdf")):
        entry = next(e for e in sheets.index if e["file"] == path.name)
        x, y = entry["bar_mm"]
        with pypdfium2.PdfDocument(path) as document:
            below = document[0].get_height() - 20 / 25.4 * 72
            page = document[0].render(scale=20 * 25.4 / 72, crop=(0, below, 0, 0)).to_numpy()
        dark = np.flatnonzero(page[round((y + 0.4) * 20), round((x - 1) * 20) :, 0] < 128)
        assert (dark[-1] - dark[0] + 1) / 20 == pytest.approx(50, abs=0.1)


def test_nothing_lies_in_the_printers_margin(sheets):
    edge = int(MARGIN_MM * PX) - 1
    for page in sheets.pages.values():
        inside = page.copy()
        inside[edge:-edge, edge:-edge] = 255
        assert inside.min() > 250


def test_every_tile_is_on_the_sheets_in_its_count(sheets):
    for side in ("front", "back"):
        on_paper = Counter(one["tile"] for e in sheets.of(side) for one in e["placed"])
        for kind in sheets.tile_set.kinds.values():
            assert on_paper[kind.name] == kind.count


def test_every_face_is_where_it_should_be_in_its_size(sheets):
    painted = faces(sheets.tile_set, float(PX), sheets.pitch)
    for side in ("front", "back"):
        for entry in sheets.of(side):
            page = sheets.page(entry)
            for one in entry["placed"]:
                key = one["tile"] if side == "front" else f"{one['tile']}:back"
                assert one["turned_deg"] == 0
                assert difference(page, painted[key], one["at_mm"]) < 14, one


def difference(page, face, at_mm):
    """Return the mean difference between a face and what is printed at its place."""
    height, width = face.alpha.shape
    place = np.array([[1, 0, -at_mm[0] * PX], [0, 1, -at_mm[1] * PX]])
    moved = cv2.warpAffine(page, place, (width, height))
    inside = cv2.erode(face.alpha, np.ones((3, 3), np.uint8)) == 255
    return np.abs(moved.astype(float) - face.bgr)[inside].mean()


def test_a_face_is_not_found_where_it_does_not_lie(sheets):
    painted = faces(sheets.tile_set, float(PX), sheets.pitch)
    entry = sheets.of("front")[0]
    one = entry["placed"][0]
    at = (one["at_mm"][0] + 2.5, one["at_mm"][1] + 2.5)

    assert difference(sheets.page(entry), painted[one["tile"]], at) > 14


def test_fronts_and_backs_meet_when_the_paper_is_flipped_along_its_long_edge(sheets):
    for front, back in zip(sheets.of("front"), sheets.of("back"), strict=True):
        assert back["page"] == front["page"] + 1
        one_side, other_side = (silhouette(sheets.page(e)) for e in (front, back))
        other_side = other_side[:, ::-1]
        assert (one_side & other_side).sum() > 0.98 * (one_side | other_side).sum() > 0
        for one, other in zip(front["placed"], back["placed"], strict=True):
            width = faces(sheets.tile_set, float(PX), sheets.pitch)[one["tile"]].size_mm[0]
            assert other["tile"] == one["tile"]
            assert other["at_mm"][1] == one["at_mm"][1]
            mirrored = front["size_mm"][0] - one["at_mm"][0] - width
            assert other["at_mm"][0] == pytest.approx(mirrored, abs=0.01)


def silhouette(page):
    """Return where tiles lie, holes filled, below the heading."""
    ink = (page[17 * PX :].min(axis=2) < 250).astype(np.uint8)
    contours, _ = cv2.findContours(ink, cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    return cv2.drawContours(np.zeros_like(ink), contours, -1, 1, cv2.FILLED) > 0


def test_there_is_colour_beyond_the_line_to_cut(sheets):
    entry = sheets.of("front")[0]
    page = sheets.page(entry)
    for one in entry["placed"][:4]:
        face = faces(sheets.tile_set, float(PX), sheets.pitch)[one["tile"]]
        for x, y in face.outline_mm[:2]:
            outer = (one["at_mm"][0] + x, one["at_mm"][1] + y - 0.7)
            assert page[round(outer[1] * PX), round(outer[0] * PX)].min() < 240


def test_boards_fit_the_paper_and_the_tiles_fit_the_board(sheets):
    boards = sheets.of("front", "boards.pdf")
    if sheets.tile_set.lattice == "square":
        assert boards == []
        return
    expected = 5 if sheets.tile_set.name == "snekagon5g" else 1
    assert len(boards) == expected
    face = faces(sheets.tile_set, float(PX), sheets.pitch)["board"]
    page = sheets.page(boards[0])
    upright = np.rot90(page, 1)
    x, y = boards[0]["placed"][0]["at_mm"]
    # Turned back a quarter, the board's left edge is what was at the top of the page.
    place = (y, boards[0]["size_mm"][0] - x - face.size_mm[1])
    assert difference(np.ascontiguousarray(upright), face, place) < 14


def test_the_calibration_sheet_is_found_and_true_to_size(sheets):
    page = pictures(sheets.folder / "calibration.pdf", 8)[0]
    corners, ids, _, _ = cv2.aruco.CharucoDetector(charuco_board()).detectBoard(page)

    assert len(ids) == (SQUARES[0] - 1) * (SQUARES[1] - 1)
    first, last = corners[ids.reshape(-1).argsort()].reshape(-1, 2)[[0, SQUARES[0] - 2]] / 8
    assert np.linalg.norm(last - first) == pytest.approx((SQUARES[0] - 2) * SQUARE_MM, abs=0.1)


def test_print_gives_pictures_and_a_manifest_and_the_same_bytes_each_time(tmp_path):
    tile_set = built_in_set("sssnake")
    manifest = make_sheets(tile_set, tmp_path / "one", "a4", 20)
    make_sheets(tile_set, tmp_path / "two", "a4", 20)

    assert json.loads((tmp_path / "one" / "manifest.json").read_text("utf-8")) == manifest
    for path in (tmp_path / "one").iterdir():
        assert path.read_bytes() == (tmp_path / "two" / path.name).read_bytes(), path.name
    assert manifest["set"] == "sssnake"
    assert manifest["lattice"] == "square"
    assert manifest["pitch_mm"] == 20
    assert manifest["boards"] == []
    assert (tmp_path / "one" / "die.pdf").is_file()
    entries = {(e["tile"], e["side"]): e for e in manifest["faces"]}
    assert {tile for tile, _ in entries} == set(tile_set.kinds)
    big = entries["big/1", "front"]
    assert big["size_mm"] == [40, 20]
    assert big["outline_mm"] == [[0, 0], [40, 0], [40, 20], [0, 20]]
    assert big["origin_mm"] == [10, 10]
    assert (big["count"], big["thickness_mm"], big["px_per_mm"]) == (1, 2, 12)
    assert big["cells"] == [[0, 0], [1, 0]]
    for entry in manifest["faces"]:
        face = read_png(tmp_path / "one" / entry["file"])
        assert face.shape[:2] == tuple(round(s * 12) for s in reversed(entry["size_mm"]))


def read_png(path):
    data = cv2.imread(str(path), cv2.IMREAD_UNCHANGED)
    assert data is not None
    return data


def test_hex_pictures_are_clear_outside_their_outline(tmp_path):
    manifest = make_sheets(built_in_set("snekagon"), tmp_path, "letter", 10)
    entry = next(e for e in manifest["faces"] if e["tile"] == "red/3/+" and e["side"] == "back")
    face = read_png(tmp_path / entry["file"])
    board = manifest["boards"][0]

    assert face.shape[2] == 4
    assert face[0, 0, 3] == 0
    for q, r in entry["cells"]:
        x = entry["origin_mm"][0] + 10 * (q + r / 2)
        y = entry["origin_mm"][1] + 10 * r * 3**0.5 / 2
        assert face[round(y * 12), round(x * 12), 3] == 255
    assert board["cell_width_mm"] == 10
    assert board["centre_mm"] == pytest.approx([s / 2 for s in board["size_mm"]], abs=0.001)


def test_a_board_larger_than_the_paper_is_split(tmp_path):
    split = printed(tmp_path, built_in_set("snekagon"), "a4", 30)
    parts = split.of("front", "boards.pdf")
    edge = int(MARGIN_MM * PX) - 1

    assert len(parts) == 4
    for entry in parts:
        page = split.page(entry).copy()
        assert page.min() < 100
        page[edge:-edge, edge:-edge] = 255
        assert page.min() > 250


@pytest.mark.parametrize(
    ("paper", "size", "words"),
    [("a5", None, "a4, letter"), ("a4", 300, "smaller --size"), ("a4", 5, "10 to 400")],
)
def test_what_cannot_be_printed_is_refused_in_a_sentence(tmp_path, paper, size, words):
    with pytest.raises(SheetError, match=words):
        make_sheets(built_in_set("sssnake"), tmp_path, paper, size)


OWN = """
format = 1
name = "attic"
game = "none-we-know"
lattice = "LATTICE"
pitch_mm = 30
colours = ["mauve", "teal"]
[[tile]]
name = "thing"
colours = "each"
count = 3
[[tile]]
name = "pair"
count = 2
cells = [[0, 0], [1, 0]]
"""


@pytest.mark.parametrize("lattice", ["square", "hex"])
def test_an_owners_own_set_prints_too(tmp_path, lattice):
    own = parse_set(OWN.replace("LATTICE", lattice), "attic.toml")
    manifest = make_sheets(own, tmp_path)

    counts = {(e["tile"], e["side"]): e["count"] for e in manifest["faces"]}
    assert counts["mauve/thing", "front"] == 3
    assert counts["pair", "back"] == 2
    assert manifest["pitch_mm"] == 30
