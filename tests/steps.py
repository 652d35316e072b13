"""Faults of modules that are rewritten: each has its test now, and the step that turns it."""

from __future__ import annotations

import pytest

STEPS = {
    "log": "one game log with one replay, for table, page, statistics and hall",
    "referee": "a pure referee, and a desk that one thread owns",
    "demo": "the flat demo, without the laboratory",
    "looks": "one path for partial looks and whole ones",
}
"""The steps of the rewriting, in the words of the architecture."""


def comes_with(step: str) -> pytest.MarkDecorator:
    """Mark a test that fails until a step of the rewriting is done, and must hold from then on."""
    return pytest.mark.xfail(reason=f"comes with: {STEPS[step]}", strict=True)
