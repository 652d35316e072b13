"""``python -m tests.fuzz.one TARGET``: one slice of fuzzing, in a process that a find may kill.

Guided by coverage where Atheris installs (x86_64), by Hypothesis elsewhere.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from tests.fuzz.targets import TARGETS, Target

FOUND = 77
"""Exit status of a slice that found something, as libFuzzer has it."""
LARGEST = 16_384


def main(arguments: list[str]) -> int:
    """Fuzz one target for some seconds; the last line printed says how often it was called."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.one")
    parser.add_argument("target", choices=TARGETS)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--plain", action="store_true", help="without coverage")
    asked = parser.parse_args(arguments)
    target = TARGETS[asked.target]
    corpus = asked.folder / "corpus"
    corpus.mkdir(parents=True, exist_ok=True)
    (asked.folder / "finds").mkdir(exist_ok=True)
    for number, seed in enumerate(target.seeds()):
        (corpus / f"seed-{number}").write_bytes(seed)
    if asked.plain or find_spec("atheris") is None:
        return _plain(target, asked.seconds, asked.seed, asked.folder)
    atheris: Any = import_module("atheris")
    with atheris.instrument_imports(include=list(target.packages)):
        call = target.ready()
    options = [
        sys.argv[0],
        f"-max_total_time={asked.seconds}",
        f"-seed={asked.seed}",
        f"-max_len={LARGEST}",
        f"-artifact_prefix={asked.folder / 'finds'}{os.sep}",
        "-print_final_stats=1",
        "-timeout=60",
        "-rss_limit_mb=3000",
        str(corpus),
    ]
    atheris.Setup(options, call)
    atheris.Fuzz()
    return 0


def _plain(target: Target, seconds: int, seed: int, folder: Path) -> int:
    """Change sound examples at random places, and let Hypothesis draw the changes."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis import strategies as st

    call = target.ready()
    sound = [path.read_bytes() for path in sorted((folder / "corpus").iterdir())]
    until_s = time.monotonic() + seconds
    done = 0
    edits = st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=24)), max_size=8
    )

    def once(example: bytes, changes: list[tuple[float, int, bytes]]) -> None:
        nonlocal done
        for where, gone, put in changes:
            at = int(where * len(example))
            example = example[:at] + put + example[at + gone :]
        done += 1
        _called(call, example[:LARGEST], folder)

    rounds = random.Random(seed)
    while time.monotonic() < until_s:
        drawn = settings(
            max_examples=300,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        seeded(rounds.randrange(1 << 30))(drawn(given(st.sampled_from(sound), edits)(once)))()
    sys.stdout.write(json.dumps({"executions": done, "guided": False}) + "\n")
    return 0


def _called(call: Callable[[bytes], None], data: bytes, folder: Path) -> None:
    try:
        call(data)
    except Exception:
        (folder / "finds" / f"plain-{abs(hash(data)):x}").write_bytes(data)
        raise


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
