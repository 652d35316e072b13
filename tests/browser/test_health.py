"""The health view in a real browser: what is well and what is not."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.browser


def test_guest_sees_every_check_in_his_language(served):
    page = served.open("/checkup?lang=de")
    page.wait("document.querySelectorAll('.checks li').length > 10")

    marks = page.js("[...document.querySelectorAll('.checks .mark')].map((m) => m.ariaLabel)")
    assert all(marks)
