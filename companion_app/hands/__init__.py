"""Hands: worker processes at low priority that do the heavy work of guests, apart from the game."""
