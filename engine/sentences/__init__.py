"""What the referees say: the rules of each game as sentences, with where they are printed."""

from __future__ import annotations

from types import ModuleType

from engine.game import Rule


def rules_in(sentences: ModuleType) -> tuple[Rule, ...]:
    """Return the rules that a module of sentences holds, in its order."""
    return tuple(value for value in vars(sentences).values() if isinstance(value, Rule))
