"""Kept pictures: small, and good enough to be read again after a correction."""

from dataclasses import replace

import numpy as np

from companion_app.live.keepsake import packed, unpacked
from companion_app.live.places import contents
from companion_app.live.reading import make_reader
from companion_app.live.referee import Referee
from engine.game import Move
from engine.games import game_named
from engine.placement import Layout
from engine.record import find_set, move_to_json
from models.lab.scenes.games.positions import Played, played
from tests.companion_app.live.tabletop import Tabletop, said
from tests.live_games.tables import FilmTable
from vision.core.types import Frame


def square(size_px):
    return ((0.0, 0.0), (size_px, 0.0), (size_px, size_px), (0.0, size_px))


def frame_of(width, height):
    return Frame(np.full((height, width, 3), 90, np.uint8), 0.0)


def kept_width(frame, outlines):
    return seen_again(frame, outlines).shape[1]


def seen_again(frame, outlines):
    kept = packed(frame, outlines)
    assert kept is not None
    bgr = unpacked(kept)
    assert bgr is not None
    return bgr


def test_kept_picture_is_as_small_as_its_tiles_allow():
    frame = frame_of(1920, 1080)

    assert kept_width(frame, []) == 960
    assert kept_width(frame, [square(60.0)]) == 960
    assert kept_width(frame, [square(60.0), square(45.0)]) == 1280
    assert kept_width(frame, [square(30.0)]) == 1920
    assert kept_width(frame_of(640, 360), [square(30.0)]) == 640
    # Two hexes of one tile share an outline.
    assert kept_width(frame, [square(60.0), square(60.0)]) == 1280


def test_bytes_that_are_no_picture_are_not_read():
    assert unpacked(b"") is None
    assert unpacked(b"jpeg") is None


def test_kept_picture_of_a_filmed_table_reads_as_the_table():
    game = game_named("schlangennest")
    box = find_set(game, None)
    whole = played("schlangennest", "held-out", "greedy", 1)
    one = Played(whole.players, whole.moves[6:7], whole.layouts[6:8], whole.positions[6:8])
    table = FilmTable(game, box, one, "held-out", 1)
    frame = next(table.quiet(0.1))
    side = frame.bgr.shape[1] / 12

    state = make_reader(game, box).again(seen_again(frame, [square(side)]))

    assert state is not None
    assert sorted(tile["tile"] for tile in state.tiles) == sorted(
        card.tile for card in one.layouts[0].cards
    )


def other_story(table: Tabletop) -> tuple[list[Move], list[Move], Layout]:
    """Return two moves as they were, two as they were taken for, and the true table.

    Only the true second move is legal after the true first one.
    """
    game, position = table.match.game, table.match.position
    for first in game.legal_moves(position):
        for taken_for in game.legal_moves(position):
            same_place = taken_for.at == first.at and taken_for.player == first.player
            if first.do != "place" or not same_place or taken_for == first:
                continue
            true, wrong = game.apply(position, first), game.apply(position, taken_for)
            for second in game.legal_moves(true):
                for also in game.legal_moves(wrong):
                    placed = second.do == also.do == "place" and also.at == second.at
                    if placed and also.at != first.at and not game.judge(true, also).legal:
                        after = game.layout(game.apply(true, second))
                        return [first, second], [taken_for, also], after
    raise AssertionError("no such story in this game")


def test_correction_reads_the_pictures_of_later_moves_again(tmp_path):
    table = Tabletop(tmp_path, "schlangennest", ("blue", "red"))
    pictures = []

    def look_again(jpeg):
        pictures.append(jpeg)
        return table.state(after)

    table.referee = Referee(table.match, table.events.append, look_again=look_again)
    table.referee.start(0.0)
    truth, taken_for, after = other_story(table)
    for move in taken_for:
        table.match.accept([move], b"picture", 0.0)
    table.events.clear()

    events = table.tell(
        {
            "correct": 1,
            "move": {k: v for k, v in move_to_json(truth[0]).items() if k in ("tile", "turns")},
        }
    )

    assert pictures == [b"picture"]
    assert [one.move for one in table.match.accepted[:2]] == truth
    assert [e["legal"] for e in said(events, "verdict")[:2]] == [True, True]
    assert contents(table.match.layout) == contents(after)
    resumed = type(table.match).resume(table.store, table.match.key)
    assert [one.move for one in resumed.accepted[:2]] == truth
    table.close()


def test_later_move_stays_as_it_was_when_its_picture_shows_nothing_better(tmp_path):
    table = Tabletop(tmp_path, "schlangennest", ("blue", "red"))
    truth, taken_for, after = other_story(table)
    table.referee = Referee(
        table.match,
        table.events.append,
        look_again=lambda jpeg: replace(table.state(after), tiles=()),
    )
    table.referee.start(0.0)
    for move in taken_for:
        table.match.accept([move], b"picture", 0.0)

    table.tell({"correct": 1, "move": {"tile": truth[0].tile, "turns": truth[0].turns}})

    assert [one.move for one in table.match.accepted[:2]] == [truth[0], taken_for[1]]
    assert table.match.accepted[1].violations
    table.close()
