"""Splits players into tables: as few byes as possible, then close to the wanted size."""

from __future__ import annotations

from functools import cache


@cache
def table_sizes(players: int, wanted: int, fewest: int, most: int) -> tuple[int, ...]:
    """Return the sizes of the tables, largest first; players without a seat have a bye.

    Minimized are byes, then seats away from the wanted size, then tables of another size.
    """
    if not 2 <= fewest <= wanted <= most:
        raise ValueError(f"a table of {wanted} is not between {fewest} and {most}")
    for seated in range(players, 0, -1):
        found = _split(seated, wanted, fewest, most)
        if found is not None:
            return tuple(sorted(found, reverse=True))
    return ()


def _split(players: int, wanted: int, fewest: int, most: int) -> tuple[int, ...] | None:
    best: list[tuple[tuple[int, int], tuple[int, ...]] | None] = [((0, 0), ())]
    for count in range(1, players + 1):
        options = []
        for size in range(fewest, min(most, count) + 1):
            before = best[count - size]
            if before is not None:
                away, odd = before[0]
                cost = (away + abs(size - wanted), odd + (size != wanted))
                options.append((cost, (*before[1], size)))
        best.append(min(options) if options else None)
    last = best[players]
    return last[1] if last else None
