"""What ``make soak`` does: every fault in full count, in parts that can be taken up again."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults import (
    block_cut,
    budgets,
    crowd,
    damage,
    day,
    demo,
    full_disk,
    hall,
    io_errors,
    kills,
    load,
    luck,
    one_by_one,
    overruns,
    power_cut,
    watched,
)
from tests.faults.scripted import written_game

Counts = dict[str, Any]
GAMES = (
    "recorded",
    "carnival_evening_on_trust",
    "sssnake_evening",
    "snekagon_seven_turns",
    "snekagon5g_five_players",
)
FILMED = ("schlangennest", "carnival", "snekagon")


@dataclass(frozen=True)
class Part:
    """One fault; its units can be done one by one, in any order."""

    name: str
    about: str
    units: int
    do: Callable[[int], Counts]
    why_not: Callable[[], str] = lambda: ""
    """Why it cannot be done on this machine; empty where it can."""
    table: Callable[[Iterable[Counts]], list[str]] = lambda _: []
    """More to say of what its units came to."""


def _killed(unit: int) -> Counts:
    with tempfile.TemporaryDirectory() as folder:
        table = kills.Table(Path(folder) / "home", seed=unit)
        for number in range(10):
            table.live_and_be_killed(number)
    return counts(table.tally) | {"notes": table.notes}


def _killed_alone(who: str) -> Callable[[int], Counts]:
    """Return what kills one process five times, in one life or, where it is all, in five."""

    def do(unit: int) -> Counts:
        with tempfile.TemporaryDirectory() as folder:
            table = one_by_one.Killing(Path(folder) / "home", who, seed=unit)
            for life in range(one_by_one.KILLS if who == "supervisor" else 1):
                table.live(life)
        return counts(table.tally) | {"notes": table.notes}

    return do


def _io_errors(unit: int) -> Counts:
    done = io_errors.fail_at_calls(GAMES[unit], moves=8)
    return {
        "tried": done.tried,
        "accepted": done.accepted,
        "lost": done.lost,
        "calls of the store": done.calls,
        "refused in words": done.refused,
        "notes": sorted(set(done.wrong)),
    }


def _overrun(unit: int) -> Counts:
    done = overruns.overrun(unit, 20)
    return {"tried": done.tried, "accepted": done.tried, "lost": 0, "notes": done.wrong}


def _killed_while_watching(unit: int) -> Counts:
    return counts(watched.kill_while_watching(FILMED[unit % len(FILMED)], unit + 1, lives=8))


def _power_cut(unit: int) -> Counts:
    ops = power_cut.played_on_a_forgetful_disk(written_game(GAMES[unit]), 9000, 24)
    return counts(power_cut.cut_everywhere(ops)) | {"writes": sum(o.what == "write" for o in ops)}


def _power_cut_on_a_device(unit: int) -> Counts:
    return counts(block_cut.cut_under_a_running_game(unit, 10))


def _disk_full(unit: int) -> Counts:
    space = full_disk.own_space()
    assert space is not None
    done = full_disk.play_on_a_full_disk(space, GAMES[unit])
    notes = [done.said_wrongly] if done.said_wrongly else []
    return {"tried": done.refused, "accepted": done.accepted, "lost": done.lost, "notes": notes}


def _demo_killed(unit: int) -> Counts:
    with tempfile.TemporaryDirectory() as folder:
        notes = demo.go_on_after_a_kill(Path(folder) / "home")
    return {"tried": 1, "accepted": 1 - len(notes), "lost": 0, "notes": notes}


def _demo_full(unit: int) -> Counts:
    space = full_disk.own_space()
    assert space is not None
    notes = demo.go_on_after_a_full_disk(space)
    return {"tried": 1, "accepted": 1 - len(notes), "lost": 0, "notes": notes}


def _luck(unit: int) -> Counts:
    del unit
    notes = luck.luck_that_does_not_centre()
    return {"tried": luck.GAMES_PLAYED, "accepted": luck.GAMES_PLAYED, "lost": 0, "notes": notes}


def _damaged(unit: int) -> Counts:
    with damage.played_home(GAMES[unit]) as (home, announced):
        done = damage.damage_again_and_again(home, announced, range(90 * unit, 90 * (unit + 1)))
    return counts(done) | {"not as before": done.changed, "not put aside": done.not_kept}


def _full_house(unit: int) -> Counts:
    with tempfile.TemporaryDirectory() as folder:
        done = load.full_house(Path(folder), seconds=30.0)
    return {
        "tried": done.phones,
        "accepted": done.due,
        "lost": done.unheard,
        "verdicts": done.verdicts,
        "turned away": done.turned_away,
        "slowest answer in ms": done.slowest_ms if unit == 0 else 0,
        "requests not answered": done.unanswered,
    }


def _crowd(unit: int) -> Counts:
    del unit  # every round plays the same game
    return crowd.counted(crowd.a_round())


def _long_run(unit: int) -> Counts:
    del unit
    lived = day.live_a_day()
    notes = [
        f"moves laid: {lived.laid}, announced: {lived.accepted}",
        f"memory after each game, MB: {lived.memory_mb}",
        f"threads: {lived.threads}",
        f"open files: {lived.files}",
        f"grown since the third game: {lived.grown_mb():.1f} MB",
    ]
    return {
        "tried": len(lived.memory_mb),
        "accepted": lived.accepted,
        "lost": lived.lost,
        "notes": notes,
    }


def counts(tally: power_cut.Tally) -> Counts:
    """Return a tally as the report keeps it."""
    return {"tried": tally.tried, "accepted": tally.accepted, "lost": tally.lost}


def _no_device() -> str:
    return "" if block_cut.can_mount() else "wants root and a loop device"


def _no_space() -> str:
    return "" if full_disk.own_space() else "wants root, or name spaces for everybody"


PARTS = (
    Part(
        "kill", "kill -9 of `snake-eye run` at random moments, half of them at a write", 20, _killed
    ),
    Part(
        "power-cut",
        "power cut after every operation on the logs, in four ways, with any index",
        len(GAMES),
        _power_cut,
    ),
    Part(
        "device-cut",
        "power cut on a real ext4 under a running `snake-eye run`",
        6,
        _power_cut_on_a_device,
        _no_device,
    ),
    Part("disk-full", "disk full at every page that is written", len(GAMES), _disk_full, _no_space),
    Part("demo-killed", "kill -9 of the eye between two rounds of the demo", 2, _demo_killed),
    Part("demo-full", "a disk that is full for 20 s under the demo", 2, _demo_full, _no_space),
    Part("luck", "luck of 200 games of random moves of Sssnake, looked over", 1, _luck),
    Part("damage", "a log, or the index, damaged in nine ways", len(GAMES), _damaged),
    Part(
        "full-house",
        "200 phones, deaf ones, half-open lines and garbage at a running game: "
        "verdicts to hear and not heard",
        1,
        _full_house,
    ),
    Part(
        "crowd",
        "crowds of every kind at a running game, the product on one core, in turn with "
        "an idle page: games and their verdicts",
        7,
        _crowd,
        table=crowd.told,
    ),
    Part(
        "long-run", "24 simulated hours, a dozen filmed games, an idle table between", 1, _long_run
    ),
    Part(
        "kill-watching",
        "kill -9 of `snake-eye watch` while it reads a filmed game",
        3,
        _killed_while_watching,
    ),
    *(
        Part(f"kill-{who}", f"kill -9 of {name} alone; the others go on", 40, _killed_alone(who))
        for who, name in (
            ("eye", "the eye"),
            ("page", "the page"),
            ("hands", "workers at work"),
            ("supervisor", "the supervisor"),
        )
    ),
    Part(
        "io-errors",
        "an I/O error at every call of the store to its disk: once, for a while, for good",
        len(GAMES),
        _io_errors,
        io_errors.why_not,
    ),
    Part(
        "hands",
        "work of the hands that never ends, takes all memory or dies: the next is done",
        10,
        _overrun,
    ),
    Part(
        "uploads",
        "two dozen photos of 23 MB sent at once: memory of all processes",
        1,
        budgets.uploads,
        budgets.why_not,
    ),
    Part(
        "demo-memory",
        "an hour of the endless demo with its page: memory of all processes",
        1,
        budgets.demo_memory,
    ),
    Part(
        "hall",
        "500 tables and three hall processes while database, hall processes and tables are "
        "killed or cut off, half an hour a part: lines of logs",
        4,
        hall.soak,
        hall.why_not,
    ),
)


def added(units: dict[str, Counts]) -> Counts:
    """Return the sum of what the units of a part came to."""
    total: Counter[str] = Counter()
    notes: list[str] = []
    for done in units.values():
        notes += done.get("notes", [])
        total.update({key: value for key, value in done.items() if isinstance(value, int)})
    return {**total, "notes": notes}


def chosen(names: list[str]) -> Iterator[Part]:
    """Yield the parts of some names, or all."""
    for part in PARTS:
        if not names or part.name in names:
            yield part
