"""Lets mutmut 3.8 run under pytest 9, which renamed an attribute that mutmut reads."""

from __future__ import annotations

import pytest

pytest.Item._nodeid = property(lambda self: self.nodeid)  # type: ignore[attr-defined]
