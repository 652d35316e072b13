"""The referee writes and says what it did when the transcripts were taken, step by step.

`python -m tests.kit.transcripts tests/transcripts TEST.py` takes those of tests anew, and
`python -m tests.live_games --transcripts FOLDER` those of films.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.kit.transcripts import first_difference, read

TRANSCRIPTS = sorted((Path(__file__).parents[2] / "transcripts").glob("*.xz"))


@pytest.mark.parametrize("file", TRANSCRIPTS, ids=lambda file: file.stem)
def test_referee_does_what_its_transcript_says(tmp_path, file):
    sessions = read(file)

    assert sum(len(session.steps) for session in sessions) > 0
    assert first_difference(sessions, tmp_path) is None


def test_first_difference_is_named(tmp_path):
    sessions = read(TRANSCRIPTS[0])
    step = next(step for step in sessions[0].steps if step.events)
    step.events[0]["event"] = "something else"

    found = first_difference(sessions, tmp_path)

    assert found is not None
    assert found.step == sessions[0].steps.index(step)
    assert found.what == "events"
