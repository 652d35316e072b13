"""Answers that every phone asks for at once are made once, and never old."""

from __future__ import annotations

import gzip

from companion_app.web.serving.shared import MOST_PACKED, Packer, SharedAnswers


def test_an_answer_is_made_once_until_something_happens():
    shared = SharedAnswers()
    made: list[int] = []

    def make():
        made.append(len(made))
        return f"answer {len(made)}"

    answers = [shared.answer(version, "state", make) for version in (1, 1, 2, 2)]

    assert answers == ["answer 1", "answer 1", "answer 2", "answer 2"]


def test_different_questions_have_answers_of_their_own():
    shared = SharedAnswers()

    assert shared.answer(1, ("state", "en"), lambda: "hello") == "hello"
    assert shared.answer(1, ("state", "de"), lambda: "hallo") == "hallo"


def test_what_is_fetched_often_is_packed_once_and_old_answers_are_forgotten():
    packer = Packer()
    first = packer.packed(b"table" * 500)

    again = packer.packed(b"table" * 500)
    for number in range(MOST_PACKED):
        packer.packed(b"%d" % number * 500)

    assert again is first
    assert gzip.decompress(first) == b"table" * 500
    assert packer.packed(b"table" * 500) is not first


def test_phones_see_every_move_at_once(played, script):
    played.begin(script.record)
    one, two = played.guest(), played.guest()

    for move in script.record.moves[:4]:
        played.lay(move)
        assert one.get("/api/state") == two.get("/api/state")
        assert one.get("/api/state")["moves"][-1]["move"]["player"] == move.player
        drawn = one.client.get("/api/table.svg").data
        assert drawn.count(b"data-tile") == len(played.desk.match.layout.cards)
