"""From a picture to the outlines of tiles."""
