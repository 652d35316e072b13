"""The exceptions that refuse a request; the guest reads the reason in the page's language.

WebError
├── NotHost        only the host may do that
├── NotSeated      only a guest with a seat at the table may do that
├── NotYours       the request does not come from our own page
├── TooOften       too many requests; says how long to wait
├── TooLarge       the request body is too large
├── FullHouse      more phones listen than can be served
├── NotFound       there is no such game, move or picture
└── BadRequest     what was sent cannot be used
"""

from __future__ import annotations

from companion_app.refusal import Refusal


class WebError(Refusal):
    """A request that is refused."""


class NotHost(WebError):  # noqa: N818 - each is an answer to a guest, in its own words
    """Only the host may do that."""

    status, code = 403, "not-host"


class NotSeated(WebError):  # noqa: N818
    """Only a guest with a seat at the table may do that."""

    status, code = 403, "not-seated"


class NotYours(WebError):  # noqa: N818
    """The request does not come from our own page."""

    status, code = 403, "not-yours"


class TooOften(WebError):  # noqa: N818
    """Too many requests."""

    status, code = 429, "too-often"


class TooLarge(WebError):  # noqa: N818
    """The request body is too large."""

    status, code = 413, "too-large"


class FullHouse(WebError):  # noqa: N818
    """More phones listen than can be served."""

    status, code = 503, "full-house"


class NotFound(WebError):  # noqa: N818
    """The requested resource does not exist."""

    status, code = 404, "not-found"


class BadRequest(WebError):  # noqa: N818
    """The request is malformed, or holds invalid values."""
