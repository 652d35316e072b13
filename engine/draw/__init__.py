"""Drawings of tiles and of positions, as vectors; standard library only."""

from engine.draw.face import Face
from engine.draw.faces import all_faces, face
from engine.draw.position import draw_layout
from engine.draw.svg import svg

__all__ = ["Face", "all_faces", "draw_layout", "face", "svg"]
