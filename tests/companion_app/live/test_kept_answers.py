"""What people have said about the table holds when the game is taken up again."""

from engine.game import Move
from engine.placement import Layout
from tests.companion_app.live.tabletop import Tabletop, said
from tests.companion_app.live.test_referee import PLAIN, a_table, accepted, play

NEST = PLAIN["schlangennest"]


def put_right(table: Tabletop, n: int) -> tuple[Layout, Move]:
    """Put the nth move right; return the table as the camera reads it, and the right move."""
    read, one = table.match.layout, accepted(table)[n - 1]
    assert one.tile is not None
    colour, _, shape = one.tile.partition("/")
    other = f"{colour}/{'straight' if shape == 'curve' else 'curve'}"
    table.tell({"correct": n, "move": {"tile": other}})
    assert read != table.match.layout
    return read, accepted(table)[n - 1]


def test_corrected_tile_stays_corrected_when_the_game_is_taken_up_again(tmp_path):
    for n in (6, 3):
        folder = tmp_path / str(n)
        with a_table(folder, NEST) as table:
            play(table, NEST, 5, 6)
            read, right = put_right(table, n)
            before, key = accepted(table), table.match.key

        with a_table(folder, NEST, resume=key) as table:
            events = table.shows(read, looks=60)

            assert said(events, "verdict") == said(events, "question") == []
            assert accepted(table) == before
            assert right in before
