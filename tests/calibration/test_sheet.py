from calibration import sheet
from models.sheets.single import calibration_facts


def test_sheet_that_is_looked_for_is_the_one_that_is_printed():
    facts = calibration_facts("calibration.pdf")

    assert tuple(facts["squares"]) == sheet.SQUARES
    assert facts["square_mm"] == sheet.SQUARE_MM
    assert facts["marker_mm"] == sheet.MARKER_MM
    assert facts["dictionary"] == sheet.DICTIONARY


def test_white_places_lie_on_white_squares():
    board = sheet.charuco_board().generateImage((500, 700))

    for x, y in sheet.white_squares_mm() * 100 / sheet.SQUARE_MM:
        assert board[int(y), int(x)] == 255
