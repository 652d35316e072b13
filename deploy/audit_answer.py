"""Prints what pip-audit found; run by ``audit.sh`` with the file of pip-audit's JSON answer.

A library that could not be looked up does not count as clean, though pip-audit lets it pass.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

CLEAN, WEAK, NOT_ASKED = 0, 1, 2


def main(lock: str, service: str, file: str) -> int:
    """Print what is known of one lock; return the exit status of ``audit.sh``."""
    try:
        listed = json.loads(Path(file).read_text(encoding="utf-8"))["dependencies"]
    except (OSError, ValueError, KeyError):
        sys.stderr.write(f"{Path(lock).name}: {service} gives no answer\n")
        return NOT_ASKED
    weak = [one for one in listed if one.get("vulns")]
    for one in weak:
        for found in one["vulns"]:
            fixed = ", ".join(found.get("fix_versions", ())) or "no version yet"
            sys.stdout.write(f"{one['name']} {one['version']}: {found['id']}, fixed in {fixed}\n")
    unasked = [one["name"] for one in listed if "skip_reason" in one]
    if weak:
        return WEAK
    if unasked or not listed:
        told = f"{len(unasked)} of {len(listed)} libraries"
        sys.stderr.write(f"{Path(lock).name}: {service} knows nothing of {told}\n")
        return NOT_ASKED
    sys.stdout.write(f"{Path(lock).name}: {len(listed)} libraries, no weakness is known.\n")
    return CLEAN


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
