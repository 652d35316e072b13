"""What somebody gives is checked as a table is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.asked import check_table, parse_given
from engine.errors import RecordError
from engine.game import Json
from engine.games import GAMES
from engine.record import parse_record
from engine.setfile import built_in_set
from engine.setroles import LATTICES


def given(game: str, players: list[str], **more: Json) -> dict[str, Any]:
    return {"game": game, "players": players, "moves": []} | more


def lying(tile: str, count: int, y: int = 0) -> list[Json]:
    return [{"tile": tile, "at": [x, y], "turns": 0} for x in range(count)]


def frame(*gaps: tuple[int, int]) -> list[Json]:
    """Return a ring of 4 x 4 cards in two colours, without some of them."""
    ring = [(x, y) for y in range(4) for x in range(4) if x in (0, 3) or y in (0, 3)]
    kinds = ["yellow/straight"] * 6 + ["green/straight"] * 6
    return [
        {"tile": tile, "at": list(at), "turns": 0}
        for tile, at in zip(kinds, ring, strict=True)
        if at not in gaps
    ]


SSSNAKE = ["Ann", "Ben"]
CARNIVAL = ["yellow", "black"]
NEST = ["blue", "red"]
REFUSED = json.loads((Path(__file__).parent / "refusals.json").read_text("utf-8"))
TAKEN_SILENTLY: dict[str, tuple[dict[str, Any], str]] = REFUSED["given, and no table holds it"]


@pytest.mark.parametrize("what", TAKEN_SILENTLY)
def test_what_no_table_holds_is_refused_where_it_is_given(what):
    record, said = TAKEN_SILENTLY[what]

    with pytest.raises(RecordError) as error:
        parse_given(json.loads(json.dumps(record)))
    assert said in str(error.value)


def test_a_record_without_moves_is_refused():
    record = given("schlangennest", NEST)
    del record["moves"]

    with pytest.raises(RecordError, match=r"^moves: must be a list, but is missing"):
        parse_given(record)
    assert parse_record(record).moves == ()


def test_a_table_says_its_tiles_even_if_it_has_none():
    with pytest.raises(RecordError, match=r"^tiles: is missing"):
        check_table({})
    check_table({"tiles": []})


@pytest.mark.parametrize(
    "record",
    [
        given("schlangennest", NEST, options={"frame": True}, setup=frame()),
        given("schlangennest", NEST, options={"border": "fixed"}, setup=lying("green/straight", 3)),
        given("sssnake", ["Ann", "Anna", "Ann B", "👩\u200d🌾"], out={"curve": 48}),
        given("carnival", ["black", "yellow"], tokens={"yellow": 8}),
        given("carnival", ["violet", "red"], options={"snakes": 1}),
        given("carnival", ["yellow", "violet", "black"]),
    ],
)
def test_what_a_table_holds_is_taken(record):
    assert parse_given(record).start.players


def test_the_lattice_of_each_game_is_that_of_its_box():
    assert {name: built_in_set(name).lattice for name in GAMES} == LATTICES
