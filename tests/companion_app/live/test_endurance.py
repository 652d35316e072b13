from tests.live_games.endurance import spend

MOST_GROWN_MB = 12.0
"""What the log's cache and OpenCV's buffers may take; a kept frame a second would be 30."""


def test_evening_needs_no_more_memory_at_its_end_than_at_its_beginning():
    evening = spend(45.0, "schlangennest", ((640, 360),))

    assert evening.frames == 450
    assert evening.verdicts >= 4
    assert evening.taken_back >= 3
    assert evening.grown_mb < MOST_GROWN_MB
