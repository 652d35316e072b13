"""Hands: a low-priority worker process that does guests' heavy work, apart from the game."""
