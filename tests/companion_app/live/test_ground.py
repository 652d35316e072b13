"""The bare table under tiles: remembered in the light it was last seen in."""

import numpy as np

from companion_app.live.ground import Ground
from vision.core.types import Frame

FIRST = [(200.0, 100.0), (260.0, 100.0), (260.0, 160.0), (200.0, 160.0)]
SECOND = [(262.0, 100.0), (322.0, 100.0), (322.0, 160.0), (262.0, 160.0)]


def shot(light=1.0, tiles=(), cup=None):
    """Return a table a part of which a lamp lights more or less."""
    bgr = np.full((270, 480, 3), 90, np.float32)
    bgr[:, 240:340] *= light
    for outline in tiles:
        (left, top), (right, bottom) = outline[0], outline[2]
        bgr[int(top) : int(bottom), int(left) : int(right)] = (40, 60, 200)
    if cup:
        bgr[int(cup[1]) - 40 : int(cup[1]) + 40, int(cup[0]) - 40 : int(cup[0]) + 40] = 235
    return Frame(bgr.astype(np.uint8), 0.0)


def ground_after_a_lamp_was_switched_on() -> Ground:
    ground = Ground()
    ground.learn(shot(), [])
    ground.learn(shot(tiles=[FIRST]), [FIRST])
    ground.learn(shot(1.5, [FIRST]), [FIRST])
    return ground


def test_place_beside_a_tile_is_bare_again_in_another_light_too():
    ground = ground_after_a_lamp_was_switched_on()
    narrow = [(260.0, 100.0), (271.0, 100.0), (271.0, 160.0), (260.0, 160.0)]

    assert ground.is_bare(shot(1.5, [FIRST]), narrow, [FIRST]) is True
    assert ground.is_bare(shot(1.5, [FIRST]), SECOND, [FIRST]) is True


def test_noise_in_a_colour_that_the_cloth_has_not_covers_nothing():
    # Carnival 35: on purple cloth one level more of green hid that a card had been lifted.
    cloth = np.full((270, 480, 3), (76, 2, 77), np.uint8)
    ground = Ground()
    ground.learn(Frame(cloth, 0.0), [])

    def with_green(level: int) -> Frame:
        bgr = cloth.copy()
        bgr[100:160, 200:260, 1] = level
        return Frame(bgr, 1.0)

    assert ground.is_bare(with_green(3), FIRST) is True
    assert ground.is_bare(with_green(60), FIRST) is False


def test_cup_over_a_place_is_not_the_bare_table():
    ground = ground_after_a_lamp_was_switched_on()

    assert ground.is_bare(shot(1.5, [FIRST], cup=(292, 130)), SECOND, [FIRST]) is False
    assert ground.is_bare(shot(1.5, [FIRST, SECOND]), SECOND, [FIRST]) is False


def test_thing_as_bright_as_the_table_is_told_by_its_colour():
    ground = Ground()
    cream, white = (171, 195, 207), (187, 190, 208)
    table = np.full((270, 480, 3), cream, np.uint8)
    ground.learn(Frame(table, 0.0), [])
    shaded, cup = table.copy(), table.copy()
    shaded[80:180, 180:280] = np.array(cream) * 0.92
    cup[80:180, 180:280] = white

    assert ground.is_bare(Frame(shaded, 1.0), FIRST) is True
    assert ground.is_bare(Frame(cup, 1.0), FIRST) is False


def test_cup_on_a_checked_cloth_is_not_the_cloth_though_nobody_saw_that_place_bare():
    ground = Ground()
    cloth = np.full((270, 480, 3), (220, 180, 235), np.uint8)
    cloth[:, (np.arange(480) // 12) % 2 == 0] = (20, 45, 40)
    ground.learn(Frame(cloth, 0.0), [FIRST])
    cup = cloth.copy()
    cup[90:170, 190:270] = (205, 208, 215)

    assert ground.is_bare(Frame(cloth, 1.0), FIRST) is True
    assert ground.is_bare(Frame(cup, 1.0), FIRST) is False
