"""How closely pictures are looked at for tiles, and how sure these must be."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DetectSettings:
    """How closely to look and how sure to be."""

    first_long_px: int = 640
    """Long side of the picture at the first look."""
    longest_px: int = 2560
    """Where nothing is found, larger looks are taken up to this."""
    least_wide_px: float = 30.0
    """Tiles narrower than that at the first look are looked at again."""
    wanted_wide_px: float = 44.0
    most_unlike: float = 2.0
    """Where a tenth of the tiles are narrower than the usual one by more, they say how closely to
    look: at the far end of a steep view."""
    most_wide_px: float = 140.0
    """No look makes tiles wider: dice beside two large cards would ask for it, and the network
    learnt from none."""
    most_enlarged: float = 1.5
    most_net_px: float = 1.7e6
    """Pixels of the network's picture, which time and memory follow."""
    least_agreed: float = 0.35
    """Share of a tile's area that must vote for it to count at the first look."""
    least_confidence: float = 0.5
    """Below that a tile is not taken, unless it lies on a grid of others."""
    least_on_grid: float = 0.3
    least_faint: float = 0.2
    """Below that a tile is not even looked at by whoever knows the box."""
    least_doubt: float = 0.1
    most_doubtful: float = 1.4
    few_doubtful: float = 2.0
    """Where doubtful cells outnumber the sure ones by so much, nothing is a tile: on chessboards
    they do 1.8 times and more, on 60 held-out tables never."""
    surely: float = 0.9
    enough_sure: int = 2
    """Unless so many are quite sure; on chessboards none was."""
    most_change: float = 0.3
    """Tiles that are larger or smaller than the others around them by more, as a natural
    logarithm, are none."""
    most_change_faint: float = 0.5
    """The same of such as are only looked at by whoever knows the box, at the others' size."""
    two_sizes: bool = False
    """Whether slabs of a table may be among what is found: a reader of the box tells these."""
    careful: bool = False
    """Looks four times, in mirrors: corners are a fifth closer, and it takes four times as long."""
    doubtful_share: float = 1.0
    hardly_doubtful: float = 0.7
    doubtful_wide_px: float = 46.0
    """Where more than this share of tiles is less sure than that, all are looked at so closely."""
    among_slabs_px: float = 64.0
    """How wide tiles among larger slabs or bricks are looked at: from afar their outlines lean with
    the bricks."""
    few_seen: int = 4
    few_doubted: float = 0.8
    """The same where so few are seen at all: what is missed then is a large part of them."""
    seams_wide_px: float = 60.0
    seams_wanted_px: float = 84.0
    """Hexes narrower than the first are looked at once more, as wide as the second, for their
    seams."""
    least_short_px: float = 0.0
    wanted_short_px: float = 26.0
    """Tiles whose shorter side is less at the end of a steep view are looked at again, so that it
    is as long as the second; of 30 tables that were read exactly none but such of small tiles had
    less than 18.9 at their far end, one that was not had 17.4."""
    margin: float = 1.5
    """Room around the tiles at the second look, in tiles."""
    beyond: float = 4.0
    """What is added to it where tiles reach its end, likewise."""
    known_wide_px: float = 44.0
    """Where it is known how wide tiles are, one look is enough, at which they are so wide."""
    least_known_px: float = 20.0
    """Unless they turn out to be narrower: the camera hangs higher now, or the view is steep."""
    quick_at_once: bool = False
    """Whether that look is taken by the quick copy of the network. Of 123 held-out tables with a
    profile it read the same 121 exactly."""
    most_at_once_px: float = 6e5
    """If that look would be larger, a first one says where tiles lie; there is no third."""


DEFAULT = DetectSettings()
QUICK = DetectSettings(
    least_wide_px=25.0, wanted_wide_px=33.0, most_unlike=1.3, doubtful_share=0.08,
    known_wide_px=30.0, quick_at_once=True, two_sizes=True,
    least_short_px=18.5,
)  # fmt: skip
"""For boxes that the network learnt from: as many held-out tables are read exactly, and a look
takes little more than half as long. Of 13 tables the two that went wrong so had more than 15 in
100 doubtful tiles, the others up to 10. On photographs of a box that the network never saw two of
20 layouts more went wrong."""
