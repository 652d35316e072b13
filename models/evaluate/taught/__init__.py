"""Boxes that are taught a moment ago: drawn, photographed or played with, and how they are read."""
