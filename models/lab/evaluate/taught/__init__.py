"""Evaluation of taught boxes: drawn, photographed or played with, and then read."""
