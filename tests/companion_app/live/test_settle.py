from companion_app.live.places import Belief, Sighting
from companion_app.live.settle import Settler, averaged
from engine.placement import Clay

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


def test_tile_that_every_look_is_sure_of_is_no_doubt():
    found = settled(*(look(share=0.86) for _ in range(3)))

    assert found is not None
    assert found.sure[SPOT][0] == CURVE
    assert not found.doubts


def test_tile_that_one_look_reads_surely_is_not_covered_though_others_miss_it():
    missed = Sighting(covered=frozenset({SPOT}))

    seen_once, never = settled(look(), missed, missed, missed), settled(*[missed] * 4)

    assert seen_once is not None and seen_once.covered == frozenset()
    assert never is not None and never.covered == {SPOT}


def test_tile_that_only_an_earlier_look_shows_as_covered_is_neither_covered_nor_gone_yet():
    # Carnival 35: a log was moved, and the leaving hand seemed to lie where it had been.
    leaving = [Sighting(covered=frozenset({SPOT})), Sighting(), Sighting(), Sighting()]

    soon, later = settled(*leaving), settled(*leaving, Sighting())

    assert soon is not None and (soon.covered, soon.enough_for_gone) == (frozenset(), False)
    assert later is not None and (later.covered, later.enough_for_gone) == (frozenset(), True)


def test_clay_counts_that_most_looks_show():
    steady, rare = Clay(0, (1, 1), "open", "E"), Clay(1, (2, 2), "open")
    looks = [Sighting(clay=frozenset(c)) for c in ((steady,), (steady, rare), (), (steady,))]
    found = settled(*looks)

    assert found is not None
    assert found.last.clay == {steady}
