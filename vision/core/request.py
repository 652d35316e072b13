"""What a picture is to be read as: which box or shape, on which grid, seen by which camera."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.profile import Profile
from engine.tiles import TileSet
from vision.core.types import Shape


@dataclass(frozen=True, eq=False)
class ReadRequest:
    """What the reader is told before it looks."""

    shape: Shape
    tile_set: TileSet | None = None
    """The box whose tiles may lie there; ``None`` for tiles of any box, all named ``unknown``."""
    grid: tuple[int, int] | None = None
    """Columns and rows where the whole picture is one grid of squares."""
    profile: Profile | None = None
    """The camera; to be asked for the picture's size with ``for_size``."""

    @property
    def game(self) -> str | None:
        """The rule book of the box; none for tiles that were taught without one."""
        return (self.tile_set.game or None) if self.tile_set is not None else None

    @property
    def set_name(self) -> str | None:
        """The name of the box."""
        return self.tile_set.name if self.tile_set is not None else None

    @property
    def needs_colours(self) -> bool:
        """Whether tiles of the box differ by colour."""
        return self.tile_set is not None and len(self.tile_set.colours) > 1
