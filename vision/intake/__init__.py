"""Turns a file of any kind into an upright BGR picture, or one clear error message."""
