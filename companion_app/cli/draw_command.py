"""The command ``draw``: the position at the end of a record, as a drawing or a picture."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from companion_app.answers import ANSWERED, InputError, answer, shown_name, writing
from companion_app.boxes import box_on_the_table
from companion_app.cli.arguments import Commands, add_command
from companion_app.cli.record_commands import RECORD, named, record_from
from engine import referee as judging
from engine.draw import Drawing, layout_drawing
from engine.draw.display import moved, placed
from engine.game import Move, Place
from engine.record import Record

LONGEST_SIDE_PX = 2000
"""The longest side of a PNG: cards are sharp on any screen, and the file fits into a message."""
MOST_PX_PER_MM = 8.0


def add_draw_command(commands: Commands) -> None:
    """Add ``draw`` to the commands of ``snake-eye``."""
    parser = add_command(
        commands,
        "draw",
        draw,
        ["draw game.json --out position.svg", "draw game.json --out position.png"],
    )
    parser.add_argument("record", metavar="RECORD", help=RECORD)
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="what to write: a .svg drawing or a .png"
    )


def draw(arguments: Namespace) -> int:
    """Draw the position at the end of a record; the cells of a foul are marked."""
    out = Path(arguments.out)
    ending = out.suffix.lower()
    if ending not in (".svg", ".png"):
        raise InputError(f"--out {shown_name(arguments.out)}: a drawing ends with .svg or .png")
    with named(arguments.record):
        drawing = _drawing(record_from(arguments.record))
    content = drawing.svg().encode()
    if ending == ".png":
        content = png(drawing)
    with writing(arguments.out):
        out.write_bytes(content)
    answer(arguments, {"file": str(out), "bytes": len(content)}, [f"{out} written"])
    return ANSWERED


def png(drawing: Drawing) -> bytes:
    """Return a drawing as a PNG file."""
    import cv2

    from models.art import paint

    left, top, width, height = drawing.box
    px_per_mm = min(MOST_PX_PER_MM, LONGEST_SIDE_PX / max(width, height))
    shapes = placed(drawing.items, moved(-left, -top))
    _, data = cv2.imencode(".png", paint([shapes], (width, height), px_per_mm))
    return data.tobytes()


def _drawing(record: Record) -> Drawing:
    played = judging.replay(record)
    fouls = [violation for broken in played.verdicts for violation in broken or ()]
    legal = [
        move for move, broken in zip(record.moves, played.verdicts, strict=True) if broken == ()
    ]
    return layout_drawing(
        box_on_the_table(record),
        record.game.layout(played.position),
        marked=[cell for foul in fouls for cell in _drawn(foul.cells, foul.snake, record)],
        last=_last_cells(legal[-1], record) if legal else (),
        players=record.start.players,
        title=record.game.facts.title,
    )


def _drawn(cells: Iterable[Place], snake: str | None, record: Record) -> list[Place]:
    """Return cells as drawings name them: those of a snake with its field's number in front."""
    if snake is None:
        return list(cells)
    field = record.start.players.index(snake)
    return [(field, *cell) for cell in cells]


def _last_cells(move: Move, record: Record) -> list[Place]:
    if move.cells is not None:
        board = () if move.board is None else (move.board,)
        return [(*board, *cell) for cell in move.cells]
    if move.at is None:
        return []
    return _drawn([move.at], move.snake if record.game.facts.several_fields else None, record)
