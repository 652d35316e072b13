"""The log of a game, and the one replay that makes the game from it."""
