"""Sheets to print and cut out: tiles, boards, the die, the calibration sheet, instructions."""

from models.sheets.errors import SheetError
from models.sheets.make import make_sheets

__all__ = ["SheetError", "make_sheets"]
