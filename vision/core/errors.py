"""Defines the exceptions of the vision package, as a tree.

VisionError
├── ModelError     a trained file is missing, damaged or of the wrong format; names the file
│   └── OutdatedError  a taught box is intact, but of an earlier version
└── PictureError   a file cannot be read as a picture; names the file and what to do
    └── LargePictureError  it has more bytes or pixels than are read

A picture that is too dark, blurred or small is never an error: its table state says so.
"""


class VisionError(Exception):
    """An input of the vision package is unusable; the message is for the person who gave it."""


class PictureError(VisionError):
    """A file cannot be read as a picture."""


class LargePictureError(PictureError):
    """A picture has more bytes or pixels than are read; a smaller one is."""


class ModelError(VisionError):
    """A trained model is missing, broken, or not what its manifest says."""


class OutdatedError(ModelError):
    """A taught box is intact, but another version learnt it."""
