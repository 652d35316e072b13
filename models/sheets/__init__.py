"""Sheets to print and cut out: tiles, boards, the die, the calibration sheet, instructions."""

from models.sheets.make import make_sheets
from models.sheets.paper import SheetError

__all__ = ["SheetError", "make_sheets"]
