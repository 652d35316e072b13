"""Reads a table repeatedly and incrementally: only the changed parts of a picture are read again.

Once consecutive looks at a table agree, the picture is kept as the reference. Later pictures are
compared with it, in the same light. Where they differ, tiles are detected and read at every look,
until the looks agree and their picture becomes the reference. The whole picture is read if the
camera has moved, if much has changed, and periodically.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import cv2
import numpy as np

from vision.core.request import ReadRequest
from vision.core.tables import TableState
from vision.core.types import Bgr, Points
from vision.live.follow import (
    MOVED_SHARE,
    Mask,
    Small,
    changed_between,
    follower_for,
    in_its_light,
    painted_on,
    shrunk,
)

ALIKE, ALIKE_PARTS = 2, 4
"""Consecutive equal looks before the picture becomes the reference: whole looks, and looks at a
part. The latter is one more than a move needs to count."""
VERIFY_S = 10.0
"""Interval after which the whole picture is read again."""
DRIFT = 0.1
"""Weight of a new picture in the reference's moving average, which follows the light."""


class TrackedTable:
    """Tracks the table under one camera."""

    def __init__(self, request: ReadRequest) -> None:
        self.wholes = self.parts = self.repeats = 0
        """Numbers of looks that read the whole picture, a part, or nothing."""
        self._request = request
        self._follower = follower_for(request)
        self._known: TableState | None = None
        self._picture: Small | None = None
        self._verified_s = float("-inf")
        self._last: Hashable = None
        self._alike = 0
        self._doubted = False

    def forget(self) -> None:
        """Drop what was read, since the camera was moved; tiles to ignore stay ignored."""
        self._known = self._picture = self._last = None
        self._follower.forget()

    def doubt(self) -> None:
        """Read every tile again at the next look: a hand was over the table.

        The hand may have replaced a tile by a similar one, which is no visible change: in
        washed-out light the colours of two snakes are as near as noise.
        """
        self._doubted = True

    def leave_out(self, outlines: Sequence[Points]) -> None:
        """Ignore tiles at these places from now on if they touch no other: stocks, piles."""
        self._known = self._picture = self._last = None
        self._follower.leave_out(outlines)

    def read(self, bgr: Bgr, t_s: float) -> TableState:
        """Return what lies on the table; ``t_s`` is the time of the picture, in seconds."""
        small = shrunk(bgr)
        if self._known is None or self._picture is None or self._picture.shape != small.shape:
            return self._whole(bgr, small, t_s)
        changed = changed_between(self._picture, small)
        if self._has_moved(bgr, changed):
            self.forget()
            return self._whole(bgr, small, t_s)
        doubtful = [np.asarray(entry["outline"]) for entry in self._known.unsure]
        looked_at = changed | painted_on(doubtful, changed.shape, small.shape[1] / bgr.shape[1])
        due = t_s - self._verified_s > VERIFY_S
        # Noise shows a faint change at one look and hides it at the next: the last look was right.
        otherwise = self._last != self._known.contents()
        if (due or self._doubted or otherwise) and not changed.any():
            return self._whole(bgr, small, t_s)
        if not looked_at.any():
            self.repeats += 1
            self._follow_light(small)
            return self._known
        state = self._follower.part(bgr, looked_at, self._doubted)
        if state is None:
            return self._whole(bgr, small, t_s)
        self.parts += 1
        if self._doubted:
            self._alike = 0
        self._doubted = False
        self._agree(state, small, ALIKE_PARTS)
        return state

    def again(self, bgr: Bgr) -> TableState:
        """Return a full reading of another picture, independent of the tracked state."""
        return follower_for(self._request).whole(bgr)

    def _has_moved(self, bgr: Bgr, changed: Mask) -> bool:
        share = float(changed.mean())
        return share > MOVED_SHARE or (share > 0 and self._follower.moved(bgr, changed))

    def _whole(self, bgr: Bgr, small: Small, t_s: float) -> TableState:
        self.wholes += 1
        self._doubted = False
        state = self._follower.whole(bgr)
        if self._agree(state, small, ALIKE):
            self._verified_s = t_s
        else:
            self._known = None
        return state

    def _agree(self, state: TableState, small: Small, wanted: int) -> bool:
        """Keep a table and its picture once ``wanted`` consecutive looks agree; say whether."""
        shown = state.contents()
        self._alike = self._alike + 1 if shown == self._last else 1
        self._last = shown
        if self._alike < wanted:
            return False
        self._follower.keep()
        self._known, self._picture = state, small
        return True

    def _follow_light(self, small: Small) -> None:
        assert self._picture is not None
        lit = in_its_light(self._picture, small)
        self._picture = np.asarray(cv2.addWeighted(lit, 1 - DRIFT, small, DRIFT, 0), np.float32)
