"""Follows one table over many frames."""
