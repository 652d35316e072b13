"""What becomes of a player's message: whom it concerns, what it overrules, what it leads to."""

from __future__ import annotations

import pytest

from companion_app.live.errors import StoreFull
from companion_app.live.explain import Row
from companion_app.live.questions import Question, asked_of
from engine.placement import Layout
from tests.companion_app.live.tabletop import Tabletop
from tests.companion_app.live.test_judging import NEST, table_of
from tests.companion_app.live.test_referee import accepted
from tests.companion_app.live.test_store import FailingDisk
from tests.engine.playing import variants

ASKS = next(v for v in variants() if v.options == {"hands": "ask"})
nest, asking = table_of(NEST), table_of(ASKS)


# --- hands and passes ----------------------------------------------------------------------------

GROWN = (
    "house@0,0 yellow/straight@0,-1^1 black/straight@0,1^1 red/straight@-1,0 violet/straight@1,0"
)
HEADS = f"{GROWN} yellow/head@0,-2^3 red/head@-2,0^2"


@pytest.fixture
def two_heads(tmp_path):
    """Return a last round in which Yellow has laid two heads before a look."""
    table = Tabletop(tmp_path, "carnival", ("yellow", "black"))
    table.shows("house@0,0")
    lying = GROWN.split()
    for count in range(2, 6):
        table.shows(" ".join(lying[:count]))
    table.tell({"finale": True})
    table.shows(HEADS)
    yield table
    table.close()


def the_question(table: Tabletop) -> Question:
    (question,) = table.referee.doubts.questions.values()
    return question


def test_hand_is_asked_of_who_declares(asking):
    match = asking.match
    own = next(m for m in match.game.legal_moves(match.position) if not m.declares)
    after = match.game.apply(match.position, own)
    other = next(m for m in match.game.legal_moves(after) if m.declares)
    row = Row((own, other), match.game.apply(after, other))
    choices = {"no-own-tile": row, "own-tile": Layout()}
    assert other.player != own.player

    assert asked_of(Question(1, "hand", "", (), choices=choices), match) == [other.player]


# --- a full disk ---------------------------------------------------------------------------------


def test_question_stays_open_when_its_answer_cannot_be_kept(two_heads):
    question, disk = the_question(two_heads), ["full"]
    FailingDisk(two_heads.store, lambda statement: bool(disk) and "INSERT" in statement)
    with pytest.raises(StoreFull):
        two_heads.tell({"answer": question.id, "value": "pass"})

    assert the_question(two_heads) is question

    disk.clear()
    two_heads.tell({"answer": question.id, "value": "pass"})
    assert [move.do for move in accepted(two_heads)[-3:]] == ["place", "pass", "place"]
