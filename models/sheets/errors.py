"""What can go wrong when sheets are made."""


class SheetError(ValueError):
    """The tiles cannot be printed as asked; the message is for the person who asked."""
