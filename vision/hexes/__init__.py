"""Hex games on their printed boards."""
