"""What can go wrong in seeing, as a tree.

VisionError
├── ModelError     a trained file is missing, damaged or of another kind; names it
│   └── OutdatedError  a taught box is whole, but must be taught again
└── PictureError   a file is no picture that can be read; names the file and what to do

A picture that is too dark, blurred or small is never an error: its table state says so.
"""


class VisionError(Exception):
    """Something that seeing was given is broken; the message is for the person who gave it."""


class PictureError(VisionError):
    """A file cannot be read as a picture."""


class ModelError(VisionError):
    """A trained model is missing, broken, or not what its manifest says."""


class OutdatedError(ModelError):
    """A taught box was learnt by another version: it is whole, but must be taught again."""
