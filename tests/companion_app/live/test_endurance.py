"""A short evening before the referee, in a process of its own: others' memory is not counted."""

import json
import subprocess
import sys

MOST_GROWN_MB = 5.0
"""What the log's cache may take; a frame kept every second takes 6 and more."""
SPEND = """
# What is loaded once, late or early, is loaded before the evening that counts.
import json
from dataclasses import asdict
from tests.live_games.endurance import spend

spend(6.5, "schlangennest", ((640, 360),))
evening = spend(14.0, "schlangennest", ((640, 360),))
print(json.dumps(asdict(evening) | {"grown_mb": evening.grown_mb}))
"""


def test_evening_needs_no_more_memory_at_its_end_than_at_its_beginning():
    done = subprocess.run([sys.executable, "-c", SPEND], capture_output=True, text=True, check=True)
    evening = json.loads(done.stdout)

    assert evening["frames"] == 140
    assert evening["verdicts"] >= 2
    assert evening["taken_back"] >= 2
    assert evening["grown_mb"] < MOST_GROWN_MB
