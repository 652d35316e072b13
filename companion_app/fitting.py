"""Validates the form of JSON values: files may come from elsewhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.given import is_whole

MOST = 4000
LONGEST_TEXT = 260
Form = dict[str, Any] | list[Any] | Callable[[Any], bool]
"""Forms of an object's values by key, a list with the form of its items, or a predicate."""


def fits(value: Any, form: Form) -> bool:
    """Say whether a value has a form; an object may have other keys too."""
    if isinstance(form, dict):
        return isinstance(value, dict) and all(fits(value.get(k), one) for k, one in form.items())
    if isinstance(form, list):
        few = isinstance(value, list | tuple) and len(value) <= MOST
        return few and all(fits(one, form[0]) for one in value)
    return form(value)


def text(value: Any) -> bool:
    """Say whether a value is a text of at most ``LONGEST_TEXT`` characters."""
    return isinstance(value, str) and len(value) <= LONGEST_TEXT


def yes_no(value: Any) -> bool:
    """Say whether a value is true or false."""
    return isinstance(value, bool)


def whole(least: int, most: int) -> Callable[[Any], bool]:
    """Return a predicate for whole numbers from ``least`` to ``most``."""
    return lambda value: is_whole(value) and least <= value <= most


def by_name(form: Form, most: int = MOST) -> Callable[[Any], bool]:
    """Return a predicate for objects with at most ``most`` keys and all values of one form."""
    return lambda value: (
        isinstance(value, dict)
        and len(value) <= most
        and all(fits(one, form) for one in value.values())
    )
