from calibration import sheet
from models.sheets import calibration as printed


def test_sheet_that_is_looked_for_is_the_one_that_is_printed():
    assert sheet.SQUARES == printed.SQUARES
    assert sheet.SQUARE_MM == printed.SQUARE_MM
    assert sheet.MARKER_MM == printed.MARKER_MM
    assert sheet.DICTIONARY == printed.DICTIONARY


def test_white_places_lie_on_white_squares():
    board = sheet.charuco_board().generateImage((500, 700))

    for x, y in sheet.white_squares_mm() * 100 / sheet.SQUARE_MM:
        assert board[int(y), int(x)] == 255
