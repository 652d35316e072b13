"""The desk of the page's tests."""

from tests.companion_app.web.conftest import played, script

__all__ = ["played", "script"]
