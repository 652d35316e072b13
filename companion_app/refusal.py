"""Refusals: an HTTP status, a code for which the page has a sentence, and details.

A refusal can be sent between processes as plain data.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from companion_app.hands.errors import HandsError
from companion_app.live.errors import LiveError, StoreError
from engine.errors import EngineError
from vision import LargePictureError, ModelError, VisionError


class Refusal(Exception):  # noqa: N818 - an answer to whoever asked, in its own words
    """A request that is refused, and why."""

    status = 400
    code = "bad-request"

    def __init__(
        self, detail: str = "", *, code: str = "", status: int = 0, retry_after_s: int | None = None
    ) -> None:
        super().__init__(detail or code or self.code)
        self.detail = detail
        """What exactly is wrong; empty if the code says it all."""
        self.retry_after_s = retry_after_s
        if code:
            self.code = code
        if status:
            self.status = status

    def to_json(self) -> dict[str, Any]:
        """Return the refusal as plain data."""
        return {
            "status": self.status,
            "code": self.code,
            "detail": self.detail,
            "retry_after_s": self.retry_after_s,
        }


def read_refusal(said: Mapping[str, Any]) -> Refusal:
    """Return a refusal from plain data."""
    return Refusal(
        said["detail"],
        code=said["code"],
        status=said["status"],
        retry_after_s=said["retry_after_s"],
    )


def refusal_of(error: Exception) -> Refusal | None:
    """Return an exception as a refusal; ``None`` if it is a fault of the program."""
    match error:
        case Refusal():
            return error
        case HandsError():
            return Refusal(code=error.code, status=error.status, retry_after_s=error.retry_after_s)
        case StoreError():
            return Refusal(str(error), code="not-kept", status=507)
        case VisionError() if not isinstance(error, ModelError):
            # The error's text is left out: it names files of this machine, and is in English.
            code, status = "no-photo", 422
            if isinstance(error, LargePictureError):
                code, status = "too-large", 413
            return Refusal(code=code, status=status)
        case LiveError() | EngineError():
            # What has a sentence of its own needs no detail in English.
            code = getattr(error, "code", "cannot-be")
            detail = str(error) if code == "cannot-be" else ""
            return Refusal(detail, code=code, status=409)
        case _:
            return None
