import cv2
import numpy as np

from companion_app.live.ground import Ground
from companion_app.live.states import Watcher
from vision.core.types import Frame

TILE = [(150, 80), (190, 80), (190, 120), (150, 120)]
RNG = np.random.default_rng(3)
TABLE = np.clip(RNG.normal(110, 4, (180, 320, 3)), 0, 255).astype(np.uint8)


def table(*, tile=False, arm=None, cup=False, light=1.0) -> np.ndarray:
    bgr = TABLE.copy()
    if tile:
        cv2.rectangle(bgr, (150, 80), (190, 120), (40, 60, 230), -1)
    if cup:
        cv2.circle(bgr, (165, 95), 24, (245, 245, 245), -1)
    if arm is not None:
        cv2.line(bgr, (160, 200), arm, (140, 175, 225), 40)
    return np.asarray(np.clip(bgr * light, 0, 255), np.uint8)


def seen(watcher: Watcher, *pictures: np.ndarray, start_s: float = 0.0):
    glimpse = None
    for number, picture in enumerate(pictures):
        glimpse = watcher.see(Frame(picture, start_s + number / 10))
    assert glimpse is not None
    return glimpse


def a_settled_watcher() -> Watcher:
    watcher = Watcher()
    seen(watcher, table(), table())
    watcher.settle()
    return watcher


def test_arm_that_reaches_in_is_a_hand_also_when_it_is_slow():
    glimpse = seen(a_settled_watcher(), table(arm=(160, 90)), table(arm=(162, 90)), start_s=1)

    assert glimpse.hand
    assert not glimpse.still


def test_arm_over_a_table_that_fills_half_of_the_picture_is_a_hand():
    # Carnival 3: the arm moved the middle of all levels from floor to table, and looked like light.
    floor = np.arange(320) < 165
    room, reached_in = table(), table(arm=(160, 60))
    for picture in (room, reached_in):
        picture[:, floor] //= 8
    cv2.line(reached_in, (60, 0), (130, 120), (90, 130, 170), 30)
    watcher = Watcher()
    seen(watcher, room, room)
    watcher.settle()

    glimpse = seen(watcher, reached_in, reached_in, start_s=1)

    assert glimpse.hand
    assert not glimpse.jolt


def test_striped_sleeve_is_one_arm_though_half_of_it_looks_like_the_table():
    striped = table()
    for y in range(64, 180, 12):
        striped[y : y + 8, 140:180] = (60, 60, 60)

    glimpse = seen(a_settled_watcher(), striped, striped, start_s=1)

    assert glimpse.hand


def test_black_sleeve_over_a_black_floor_is_a_part_of_the_arm():
    # Carnival 3: the floor had 12 levels, the sleeve 5 more, and the hand hung in the air.
    room = table()
    room[120:] = 12
    reached_in = room.copy()
    reached_in[110:, 140:180] = 17
    reached_in[60:120, 145:175] = (140, 175, 225)
    watcher = Watcher()
    seen(watcher, room, room)
    watcher.settle()

    assert seen(watcher, reached_in, reached_in, start_s=1).hand


def test_fingers_that_lay_a_tile_at_the_border_are_a_hand():
    # Sssnake 12: less of the hand was in view than a tile is large.
    fingers = table()
    fingers[166:, 150:162] = (140, 175, 225)

    assert seen(a_settled_watcher(), fingers, fingers, start_s=1).hand


def test_hand_is_there_as_long_as_it_trembles_though_its_sleeve_is_not_seen():
    watcher = a_settled_watcher()
    seen(watcher, table(arm=(160, 90)), start_s=1)

    hand = [table() for _ in range(6)]
    for number, picture in enumerate(hand):
        cv2.circle(picture, (160 + number % 2, 90), 36, (140, 175, 225), -1)

    assert seen(watcher, *hand, start_s=1.1).hand
    assert seen(watcher, table(tile=True), table(tile=True), start_s=2).still


def test_table_can_be_looked_at_in_the_first_frame_that_an_arm_has_left():
    watcher = a_settled_watcher()
    seen(watcher, table(arm=(160, 90)), table(arm=(162, 90)), start_s=1)

    assert seen(watcher, table(), start_s=1.2).still


def test_lamp_at_one_side_is_no_hand_also_when_an_arm_came_and_went_since():
    # Carnival 3: what the lamp had lit reached in over the border for a second and a half.
    lamp = 0.7 * np.linspace(0.5, 1.4, 320)[None, :, None] ** 2
    watcher = Watcher()
    seen(watcher, *[table(tile=True, light=0.7)] * 6)
    watcher.settle()

    def lit(picture: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip(picture * lamp, 0, 255), np.uint8)

    assert seen(watcher, *[lit(table(tile=True))] * 2, start_s=1).still
    assert seen(watcher, *[lit(table(tile=True, arm=(160, 60)))] * 3, start_s=1.3).hand
    assert seen(watcher, lit(table(tile=True)), start_s=1.6).still


def test_knocked_camera_is_a_jolt_and_no_hand():
    # Carnival 11: the pattern of the table reached in everywhere, and was taken for a hand.
    pattern = RNG.integers(60, 160, (18, 32, 3)).astype(np.uint8)
    cloth = cv2.resize(pattern, (340, 200), interpolation=cv2.INTER_NEAREST)
    before, after = (np.ascontiguousarray(cloth[d : 180 + d, d : 320 + d]) for d in (0, 5))
    watcher = Watcher()
    seen(watcher, before, before)
    watcher.settle()

    glimpse = seen(watcher, after, after, start_s=1)

    assert glimpse.jolt
    assert glimpse.still


def a_turned_camera(picture: np.ndarray) -> np.ndarray:
    """Return what a camera sees that was knocked: turned and shifted, so no two parts alike."""
    turned = cv2.getRotationMatrix2D((160, 90), 3.5, 1.0)
    turned[:, 2] += (0, 2)
    size = picture.shape[1], picture.shape[0]
    return np.asarray(cv2.warpAffine(picture, turned, size, borderMode=cv2.BORDER_REPLICATE))


def a_table_with_a_floor(*, arm: bool = False) -> np.ndarray:
    """Return a board with rows of tiles, one of them at the border, on a dark floor."""
    room = cv2.GaussianBlur(TABLE, (0, 0), 2.0)
    cv2.fillPoly(room, [np.array([(0, 0), (60, 0), (0, 60)])], (30, 34, 30))
    cv2.fillPoly(room, [np.array([(320, 0), (230, 0), (320, 110)])], (30, 34, 30))
    for number in range(6):
        for x, y in ((90 + 18 * number, 60), (40, 70 + 16 * number), (270, 100 + 15 * number)):
            colour = (200 - 25 * number, 205, 160 + 15 * number)
            cv2.rectangle(room, (x, y), (x + 11, y + 11), colour, -1)
            cv2.rectangle(room, (x + 3, y + 3), (x + 7, y + 7), (60, 40 * number, 90), -1)
    if arm:
        cv2.line(room, (160, 200), (160, 110), (140, 175, 225), 40)
    return room


def test_turned_camera_is_a_jolt_and_no_hand_though_no_two_parts_moved_alike():
    # Carnival 1: the edge of the table and a row of tiles at the border were taken for a hand.
    before = a_table_with_a_floor()
    watcher = Watcher()
    seen(watcher, before, before)
    watcher.settle()

    after = a_turned_camera(before)

    assert seen(watcher, after, after, start_s=1).hand
    glimpses = [watcher.see(Frame(after, 1.2 + number / 10)) for number in range(4)]
    assert any(glimpse.jolt for glimpse in glimpses)
    assert glimpses[-1].still


def test_arm_that_rests_in_view_of_a_turned_camera_is_a_hand():
    before = a_table_with_a_floor()
    watcher = Watcher()
    seen(watcher, before, before)
    watcher.settle()

    after = a_turned_camera(a_table_with_a_floor(arm=True))
    glimpses = [watcher.see(Frame(after, 1 + number / 10)) for number in range(10)]

    assert not any(glimpse.still for glimpse in glimpses)


def test_new_tile_is_a_change_but_no_hand():
    glimpse = seen(a_settled_watcher(), table(tile=True), table(tile=True), start_s=1)

    assert glimpse.still
    assert glimpse.changed


def test_lamp_that_is_switched_is_no_hand():
    for light in (0.5, 0.8, 1.4):
        glimpse = seen(a_settled_watcher(), table(light=light), table(light=light), start_s=1)

        assert glimpse.still


def test_thing_that_lies_at_the_border_is_taken_in_after_a_while():
    still = [table(arm=(160, 90))] * 25
    watcher = a_settled_watcher()

    assert seen(watcher, *still[:8], start_s=1).hand
    assert not seen(watcher, *still, start_s=2).hand
    # And when it goes again, the table looks as it did before.
    assert seen(watcher, table(), table(), start_s=6).still


def test_darkness_is_seen():
    assert seen(Watcher(), table(light=0.05)).dark


def test_tile_that_moves_is_movement():
    glimpse = seen(a_settled_watcher(), table(), table(tile=True), start_s=1)

    assert glimpse.moving


def test_place_where_a_tile_was_lifted_looks_bare():
    ground = Ground()
    ground.learn(Frame(table()), [])
    ground.learn(Frame(table(tile=True)), [TILE])

    assert ground.is_bare(Frame(table()), TILE) is True
    assert ground.is_bare(Frame(table(light=0.7)), TILE) is True
    assert ground.is_bare(Frame(table(tile=True)), TILE) is False
    assert ground.is_bare(Frame(table(cup=True)), TILE) is False


def test_place_that_nobody_saw_bare_is_held_to_the_rest_of_the_table():
    ground = Ground()
    ground.learn(Frame(table(tile=True)), [TILE])

    assert ground.is_bare(Frame(table()), TILE) is True
    assert ground.is_bare(Frame(table(cup=True)), TILE) is False


SEATS = [
    [(x, y), (x + 6, y), (x + 6, y + 6), (x, y + 6)] for y in (80, 86, 92) for x in (151, 157, 163)
]
MIDDLE = 4


def board(*, full: bool) -> np.ndarray:
    """A dark board with small pale seats; tiles lie in all of them, or in all but the middle."""
    bgr = TABLE.copy()
    cv2.rectangle(bgr, (142, 72), (180, 106), (30, 20, 15), -1)
    for number, seat in enumerate(SEATS):
        colour = (40, 60, 230) if full or number != MIDDLE else (200, 215, 220)
        cv2.rectangle(bgr, seat[0], seat[2], colour, -1)
    return bgr


def test_single_cell_between_tiles_looks_bare_when_its_tile_is_lifted():
    ground = Ground()
    around = [seat for number, seat in enumerate(SEATS) if number != MIDDLE]
    ground.learn(Frame(board(full=False)), around)
    ground.learn(Frame(board(full=True)), SEATS)

    assert ground.is_bare(Frame(board(full=False)), SEATS[MIDDLE]) is True
    assert ground.is_bare(Frame(board(full=True)), SEATS[MIDDLE]) is False


def test_place_that_a_moved_tile_has_left_looks_bare_beside_it():
    ground = Ground()
    ground.learn(Frame(table()), [])
    ground.learn(Frame(table(tile=True)), [TILE])
    moved = TABLE.copy()
    cv2.rectangle(moved, (170, 80), (210, 120), (40, 60, 230), -1)
    there = [(x + 20, y) for x, y in TILE]

    assert ground.is_bare(Frame(moved), TILE) is False
    assert ground.is_bare(Frame(moved), TILE, [there]) is True


def test_ground_follows_a_knocked_camera():
    ground = Ground()
    ground.learn(Frame(table()), [])
    by = np.array([[1, 0, 15], [0, 1, 9]], np.float32)
    warped = cv2.warpAffine(table(), by, (320, 180), borderMode=cv2.BORDER_REFLECT)
    moved = np.asarray(warped, np.uint8)
    old = [(10, 10), (300, 10), (300, 170), (10, 170)]
    new = [(x + 15, y + 9) for x, y in old]
    ground.follow(old, new, Frame(moved))

    assert ground.is_bare(Frame(moved), [(x + 15, y + 9) for x, y in TILE]) is True


def test_nothing_is_known_of_a_table_never_seen():
    assert Ground().is_bare(Frame(table()), TILE) is None


def pushed_to(x: int, arm: bool, noise: int) -> np.ndarray:
    bgr = np.random.default_rng(noise).normal(110, 3, (180, 320, 3))
    if arm:
        cv2.line(bgr, (x + 16, 200), (x + 16, 125), (85.0, 90.0, 95.0), 24)
    cv2.rectangle(bgr, (x, 80), (x + 40, 120), (40.0, 60.0, 230.0), -1)
    cv2.circle(bgr, (x + 12, 95), 6, (240.0, 240.0, 240.0), -1)
    return np.asarray(np.clip(bgr, 0, 255), np.uint8)


def test_arm_that_rests_beside_the_tile_it_pushed_is_a_hand_and_no_knock():
    # Schlangennest 6: the arm became the bare table, and the table without it a hand.
    watcher = Watcher()
    seen(watcher, pushed_to(150, arm=False, noise=1), pushed_to(150, arm=False, noise=2))
    watcher.settle()

    arm = seen(watcher, *[pushed_to(158, arm=True, noise=n) for n in range(3, 7)], start_s=1)
    left = seen(watcher, *[pushed_to(158, arm=False, noise=n) for n in range(7, 9)], start_s=1.4)

    assert arm.hand
    assert not arm.jolt
    assert left.still


def test_first_of_an_arm_taken_for_the_table_is_forgotten_when_it_has_left():
    # Snekagon 5G 1: a look fell on the frame in which a dark sleeve began to show.
    watcher = a_settled_watcher()
    begins = table()
    cv2.rectangle(begins, (0, 60), (11, 79), (95, 95, 95), -1)
    glimpse = seen(watcher, begins, begins, start_s=1)
    assert glimpse.still
    watcher.settle()
    assert seen(watcher, table(arm=(160, 90)), table(arm=(162, 90)), start_s=1.2).hand

    assert seen(watcher, *[table(tile=True)] * 4, start_s=1.4).still


def test_black_sleeve_over_a_bright_table_is_a_hand_beside_a_dark_floor():
    # Carnival 7: most dark pixels were the sleeve's own, and what they differed by passed for
    # noise.
    room = table()
    room[:8] = 12
    reached_in = room.copy()
    cv2.line(reached_in, (160, -20), (160, 90), (20, 20, 20), 50)
    watcher = Watcher()
    seen(watcher, room, room)
    watcher.settle()

    glimpse = seen(watcher, reached_in, reached_in, start_s=1)

    assert glimpse.hand


def test_white_card_at_the_border_is_no_hand_when_the_camera_exposes_less():
    # Sssnake 8: white became darker by half as much as the table did while a hand was in view.
    def exposed(light: float, white: int, **what) -> np.ndarray:
        bgr = table(**what, light=light)
        cv2.rectangle(bgr, (266, 168), (278, 180), (white, white, white), -1)
        return bgr

    watcher = Watcher()
    seen(watcher, *[exposed(1.0, 236)] * 2)
    watcher.settle()

    visit = [exposed(0.9, 224, arm=(160, y)) for y in (120, 90, 120, 160)]
    assert seen(watcher, *visit, start_s=1).hand
    assert not seen(watcher, exposed(0.9, 224, tile=True), start_s=1.4).hand
