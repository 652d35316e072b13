"""Every way in takes its sound examples, and what fuzzing once found, without breaking."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz.targets import TARGETS

FOUND = Path(__file__).parent / "found"
"""What broke a way in once, by its name: small files, made by the fuzzer."""


@pytest.mark.parametrize("name", TARGETS)
def test_a_way_in_takes_its_examples_and_what_was_found_before(name: str) -> None:
    call = TARGETS[name].ready()
    for data in TARGETS[name].seeds():
        call(data)
    for path in sorted((FOUND / name).glob("*")):
        call(path.read_bytes())
