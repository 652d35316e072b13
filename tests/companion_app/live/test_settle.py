from companion_app.live.places import Belief, Sighting
from companion_app.live.settle import Settler, averaged

SPOT = (0, 0, 0)
CURVE, TAIL = ("blue/curve", 0), ("blue/tail", 0)


def look(content=CURVE, share=0.99, sure=True) -> Sighting:
    other = TAIL if content == CURVE else CURVE
    guesses = ((content, share), (other, round(1 - share, 3)))
    return Sighting({SPOT: Belief(guesses, sure, None if sure else "blur")})


def settled(*looks: Sighting):
    settler = Settler()
    for one in looks:
        settler.add(one)
    return settler.settled()


def test_two_looks_are_too_few():
    assert settled(look(), look()) is None


def test_three_looks_that_agree_are_enough():
    found = settled(look(), look(), look())

    assert found is not None
    assert found.sure[SPOT][0] == CURVE


def test_one_look_that_differs_among_many_is_outvoted():
    found = settled(look(), look(), look(TAIL, 0.6, sure=False), look(), look())

    assert found is not None
    assert found.sure[SPOT][0] == CURVE


def test_looks_that_never_agree_are_a_doubt():
    found = settled(*(look(CURVE if i % 2 else TAIL) for i in range(6)))

    assert found is not None
    assert SPOT in found.doubts
    assert {content for content, _ in found.doubts[SPOT].guesses} == {CURVE, TAIL}


def test_ten_looks_at_the_same_glare_are_no_surer_than_one():
    one = look(share=0.7, sure=False).beliefs[SPOT]
    many = averaged([one] * 10)

    assert abs(many.guesses[0][1] - 0.7) < 1e-9


def test_tile_seen_once_flickers():
    found = settled(Sighting(), Sighting(), Sighting(), look())

    assert found is not None
    assert found.flickering == {SPOT}


def test_movement_forgets_all_looks():
    settler = Settler()
    for _ in range(5):
        settler.add(look())
    settler.moved()

    assert settler.settled() is None


def test_tile_is_gone_only_after_four_looks_without_it():
    three, four = settled(*[Sighting()] * 3), settled(*[Sighting()] * 4)

    assert three is not None and not three.enough_for_gone
    assert four is not None and four.enough_for_gone
