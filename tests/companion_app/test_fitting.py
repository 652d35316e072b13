"""What a JSON value must be like, said as a form."""

import pytest

from companion_app.fitting import LONGEST_TEXT, MOST, by_name, fits, text, whole, yes_no

PERSON = {"name": text, "age": whole(0, 120), "names": [text]}
ANNA = {"name": "Anna", "age": 9, "names": ["Ann"], "more": None}


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (ANNA, PERSON),
        ([ANNA, ANNA], [PERSON]),
        ([], [PERSON]),
        ({"a": "b"}, by_name(text)),
        (True, yes_no),
        ("x" * LONGEST_TEXT, text),
        (-3, whole(-3, 3)),
        (("a", "b"), [text]),
    ],
)
def test_a_value_has_its_form(value, form):
    assert fits(value, form)


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({**ANNA, "age": "9"}, PERSON),
        ({**ANNA, "age": True}, PERSON),
        ({**ANNA, "age": 121}, PERSON),
        ({"name": "Anna"}, PERSON),
        ([ANNA, {}], [PERSON]),
        (None, PERSON),
        ("abc", [text]),
        (["a"] * (MOST + 1), [text]),
        ({"a": 1}, by_name(text)),
        ({"a": "", "b": ""}, by_name(text, 1)),
        (0, yes_no),
        ("x" * (LONGEST_TEXT + 1), text),
        (7, text),
        (1.0, whole(0, 3)),
    ],
)
def test_a_value_of_another_form_is_told(value, form):
    assert not fits(value, form)
