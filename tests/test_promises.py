"""Every promise has its test, and every test that a promise names is there."""

import pytest

from tests.promises import missing_tests, promises


@pytest.fixture(scope="module")
def found():
    return promises()


def test_every_promise_has_a_test(found):
    assert {one.page for one in found} == {"SECURITY", "INTERFACE", "faults"}
    assert [f"{one.page}: {one.text}" for one in found if not one.tests] == []
    assert len({(one.page, one.text) for one in found}) == len(found), "none is made twice"


def test_every_test_that_a_promise_names_is_there(found):
    assert missing_tests(found) == []
