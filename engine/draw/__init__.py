"""Drawings of tiles and of positions, as vectors; standard library only."""

from engine.draw.face import Face
from engine.draw.faces import all_faces, face
from engine.draw.position import Drawing, layout_drawing
from engine.draw.svg import svg

__all__ = ["Drawing", "Face", "all_faces", "face", "layout_drawing", "svg"]
