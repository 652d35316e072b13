"""Simulated tournaments: ``python -m tests.tournaments``."""
