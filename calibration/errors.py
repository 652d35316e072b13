"""What can go wrong in calibration, as a tree.

CalibrationError
├── ProfileError   a saved profile cannot be read or used; names the file and what to do
└── PatternError   a pattern is not known, or was not seen well enough
"""


class CalibrationError(Exception):
    """The input of a calibration is unusable; the message is for the person who gave it."""


class ProfileError(CalibrationError):
    """A saved profile is missing, damaged, of another kind, or cannot be written."""


class PatternError(CalibrationError):
    """A pattern is not known, or too few pictures show it to learn a lens from."""
