"""The counts of all tournaments as a short page."""

from __future__ import annotations

from collections import Counter

HEAD = """# Simulated tournaments

Written by `python -m tests.tournaments`; do not edit. Late arrivals, leavers, rounds sat out,
forfeits and forbidden pairs come about by chance; the same number plays the same tournament.

"""
SEATS = """
A seat is within one when it was had a whole number of times next to the fair share: at tables of
one size nobody had any seat twice more often than another. The federations let a player start
twice more often than he sits second; we do so only where a meeting again or a second bye is the
other way, and pay with the distance in points above.
"""
TWO = {
    "rounds": "two: rounds",
    "tables": "two: tables",
    "players": "two: players",
    "meetings again": "two: meetings again",
    "rounds with a meeting again where new pairs alone were possible": "two: avoidable",
    "byes": "two: byes",
    "second byes while somebody had none": "two: second byes",
    "forbidden pairs met": "two: forbidden",
    "players with every seat within one": "two: every seat within one",
}
COMPARED = {
    "meetings again": "again",
    "sum of the differences in points, in half points": "distance",
    "players whose starts and seconds then differ by more than one": "seats",
}
MORE = {
    "rounds": "more: rounds",
    "tables": "more: tables",
    "short tables": "more: short",
    "players": "more: players",
    "meetings again": "more: meetings again",
    "byes": "more: byes",
    "second byes while somebody had none": "more: second byes",
    "forbidden pairs met": "more: forbidden",
    "seats taken": "more: seats taken",
    "starts among them": "more: starts",
    "players with the start seat within one": "more: start seat within one",
    "players with every seat within one": "more: every seat within one",
}


def report(counts: Counter[str]) -> str:
    """Return the page."""
    spread = counts["more: hundredths of spread"] / 100 / max(1, counts["more: tables"])
    parts = [
        HEAD,
        _table({"tournaments": "tournaments", "of them above 64 players": "above 64"}, counts),
        "\n## Two at a table\n",
        _table(TWO, counts),
        *_comparison(counts),
        SEATS,
        "\n## Three to five at a table\n",
        _table(MORE, counts),
        f"| highest less lowest points at a table, mean | {spread:.2f} |\n",
    ]
    return "".join(parts)


def _table(rows: dict[str, str], counts: Counter[str]) -> str:
    lines = (f"| {label} | {counts[key]:,} |\n" for label, key in rows.items())
    return "| | count |\n|---|---|\n" + "".join(lines)


def _comparison(counts: Counter[str]) -> list[str]:
    if not counts["bbp: rounds"]:
        return ["\nbbpPairings was not there: nothing is compared with it.\n"]
    lines = [
        f"\nThe same {counts['bbp: rounds']:,} rounds given to bbpPairings (Dutch system):\n\n",
        "| | ours | bbpPairings | least possible |\n|---|---|---|---|\n",
    ]
    for label, key in COMPARED.items():
        ours, its, least = (counts[f"bbp: {who} {key}"] for who in ("our", "its", "least"))
        lines.append(f"| {label} | {ours:,} | {its:,} | {least:,} |\n")
    lines.append(
        f"\nFor {counts['bbp: none']:,} more rounds bbpPairings knows no pairing by its rules; "
        f"ours has {counts['bbp: again there']:,} meetings again there.\n"
    )
    return lines
