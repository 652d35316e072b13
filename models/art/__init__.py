"""Faces of tiles as pictures, from the same vectors that the page and the print sheets show."""

from models.art.faces import PaintedFace, faces
from models.art.paint import paint

__all__ = ["PaintedFace", "faces", "paint"]
