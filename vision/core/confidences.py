"""How sure is sure: the confidences that stages accept, one meaning each."""

LIKELIER = 0.5
"""What is surer is likelier than not."""
TOLD = 0.8
"""Tiles that are less sure are told to be unsure."""
EXPECTED = 0.8
"""How sure it is that a card lies where it was only expected, once it is read there."""
SURE = 0.9
"""Readings as sure say something about others: where they lie, and what the light does."""
CLEAR = 0.98
"""So surely a card is read whose outline alone would not be taken."""
BEYOND_DOUBT = 0.99
"""Readings that nothing else can outvote."""
