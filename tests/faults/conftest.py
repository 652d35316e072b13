"""The desk of the page's tests, here for the page's faults."""

from tests.companion_app.web.conftest import played, script

__all__ = ["played", "script"]
