"""What the page's process loads: nothing that reads pictures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
HEAVY = ("cv2", "numpy", "onnxruntime", "PIL", "sklearn", "reportlab", "companion_app.eye")
LOADED = (
    "import sys; import companion_app.web.app; "
    "print([name for name in sys.argv[1:] if name in sys.modules])"
)


def test_page_starts_without_the_libraries_that_read_pictures():
    found = subprocess.run(
        [sys.executable, "-c", LOADED, *HEAVY],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert found.stdout.strip() == "[]"
