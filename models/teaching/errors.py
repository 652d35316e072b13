"""What can go wrong in teaching."""


class TeachingError(Exception):
    """Photos or labels cannot be learnt from; the message is for the person who gave them."""
