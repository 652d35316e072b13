"""What `doctor` found, as sentences: of codes and their values, in a language."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from companion_app.doctor_machine import AS_WRITTEN, Finding
from companion_app.web.speech import Speech, catalogue
from engine.wording import in_form


def report(checks: Sequence[Finding], language: str = "en") -> dict[str, Any]:
    """Return the answer of ``doctor --json``, with its sentences in a language."""
    lines = [
        {
            "name": check.name,
            "ok": check.ok,
            "code": check.code,
            "text": _sentence(check.code, check, language),
            "fix": _sentence(check.fix, check, language),
        }
        for check in checks
    ]
    return {"ok": not any(check.ok is False for check in checks), "checks": lines}


def title(name: str, language: str) -> str:
    """Return the title of a check, by its name."""
    kind, _, rest = name.partition(" ")
    return f"{Speech(language).page(f'check-{kind}')} {rest}".strip()


def _sentence(code: str, check: Finding, language: str) -> str:
    """Return a sentence by its code; values that are lists hold codes of their own."""
    if not code:
        return ""
    words = catalogue(language)["doctor"]
    names = {
        name: value
        if isinstance(value, str)
        else f" {Speech(language).page('list-and')} ".join(words[part] for part in value)
        for name, value in check.values.items()
    }
    if code == AS_WRITTEN:
        return names["text"]
    return in_form(words[code], language, names).format(**names)
