"""The health view in a real browser: what is well, an update by the host."""

from __future__ import annotations

import pytest

from companion_app.web.views.upkeep import PLACES

pytestmark = pytest.mark.browser


def test_guest_sees_every_check_in_his_language(served):
    page = served.open("/checkup?lang=de")
    page.wait("document.querySelectorAll('.checks li').length > 10")

    marks = page.js("[...document.querySelectorAll('.checks .mark')].map((m) => m.ariaLabel)")
    assert all(marks)


def test_host_asks_for_an_update_and_sees_that_it_runs(served, tmp_path):
    (tmp_path / "current").mkdir()
    (tmp_path / "snake-eye-9.9.9.tar.gz").touch()
    served.app.extensions[PLACES] = (tmp_path, (tmp_path,))
    page = served.open("/checkup", host=True)
    page.wait("document.querySelector('section.card button.primary')")

    page.click("section.card button.primary")
    page.wait("document.querySelector('dialog[open] button.primary')")
    page.click("dialog[open] button.primary")
    page.wait("!document.querySelector('section.card button.primary')")

    assert (served.store.path.parent / "update/wanted").exists()
