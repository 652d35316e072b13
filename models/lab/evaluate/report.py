"""One page of all figures, with the worst pictures: ``python -m models.lab.evaluate.report``.

Made from what the parts of the evaluation have kept; nothing is read anew. A release has it without
the pictures, and ``--readme`` puts its short table into the README.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from models.lab.evaluate.figures import BAD, EXACT
from models.lab.evaluate.harness import Figure, kept_rows, parser_of, reader_mark
from models.lab.evaluate.parts import PARTS, Subject, subjects
from models.lab.evaluate.sealed import openings
from models.lab.scenes.settings import GAMES

TEXTS = {
    "play": "The machine against its rivals",
    "live": "The live referee over whole simulated games",
    "machine": "The machine's moves, laid wrongly and right",
}
"""Parts whose printed text is kept."""
CLAIMS = {"tiles in play": "squares", "strangers": "strangers", "spots of light": "spots"}
"""Claims that are held against how often they are right, and the part whose rows have them."""
BINS = (0.5, 0.7, 0.9, 0.99)
FEWEST = 200
"""Least number of claims; fewer say little, and the report says so."""
NOT_COUNTED = "–"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
HEAD = """# How well Snake Eye sees

Written by `python -m models.lab.evaluate.report` from what `make evaluate` counted; not by hand.
Shares stand with their 95 % intervals after Wilson.
Tiles count as the table of the games has them: an unsure tile by its first guess, tiles of which
less than 60 % is seen not at all, pictures called not good enough apart.
"""


def summary(counted: Sequence[Subject]) -> list[str]:
    """Return a short table: each game's mistakes and exact tables, drawn and rendered."""
    lines = [
        "| game | held-out tables | tiles wrong | tables exact | renders | tiles wrong "
        "| tables exact |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for game in GAMES:
        own = [subject for subject in counted if subject.name == game]
        cells = [
            cell for parts in (("squares", "hexes"), ("photoreal",)) for cell in _short(own, parts)
        ]
        if any(cell != NOT_COUNTED for cell in cells):
            lines.append(f"| {' | '.join([game, *cells])} |")
    return lines


def _short(own: Sequence[Subject], parts: Sequence[str]) -> list[str]:
    """Return tables, share of wrong tiles and share of exact tables."""
    figures = {figure.name: figure for s in own if s.part in parts for figure in s.figures}
    bad, exact = figures.get(BAD), figures.get(EXACT)
    if bad is None or exact is None or not exact.count:
        return [NOT_COUNTED] * 3
    low, high = exact.interval
    return [
        str(exact.count),
        f"{bad.share:.2f} ‰ (at most {bad.interval[1]:.1f})",
        f"{exact.share:.1f} % ({low:.1f} to {high:.1f})",
    ]


def with_summary(readme: str, lines: Sequence[str]) -> str:
    """Return a document with the short table between its two marks.

    Raises:
        ValueError: it has no such marks.
    """
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"there are no marks {BEGIN} and {END}")
    return "\n".join([before + begin, *lines, end + after])


def page(counted: Sequence[Subject], texts: Mapping[str, str]) -> str:
    """Return the whole page: all figures, what was printed by its title, the worst pictures."""
    lines = [HEAD, *summary(counted), ""]
    if {mark for subject in counted for mark in subject.marks} - {reader_mark()}:
        lines.append("Some of this was counted with an earlier state of the code or the models.\n")
    for name, part in PARTS.items():
        own = [subject for subject in counted if subject.part == name]
        if own:
            lines += [f"## {part.title}\n", *_table(own), ""]
            lines += [*openings(), ""] if name == "sealed" else []
            lines += _pictures(own)
    for title, text in texts.items():
        lines += [f"## {title}\n", "```text", text.strip(), "```", ""]
    return "\n".join(lines)


def _table(own: Sequence[Subject]) -> Iterator[str]:
    yield "| of | what | counted | share (95 %) | wanted |"
    yield "|---|---|--:|--:|---|"
    for subject in own:
        yield from (_row(subject.name, figure) for figure in subject.figures if figure.count)


def _row(name: str, figure: Figure) -> str:
    counted = f"{figure.hits} of {figure.count}"
    return f"| {name} | {figure.name} | {counted} | {figure.told()} | {figure.wanted()} |"


def _pictures(own: Sequence[Subject]) -> Iterator[str]:
    for subject in own:
        if subject.worst:
            yield f"### {subject.name}: not wholly right\n"
            yield from (f"![{path}]({path})" for path in subject.worst)
            yield ""


def claim_lines(results: Path) -> Iterator[str]:
    """Yield the mean confidence of claims, and how often they are right, by bins."""
    for name, part in CLAIMS.items():
        rows = [row for path in sorted((results / part).glob("*.jsonl")) for row in kept_rows(path)]
        claims = [(float(s), bool(r)) for row in rows for s, r in row.get("confidences", ())]
        inside = [claim for claim in claims if BINS[0] <= claim[0] < BINS[-1]]
        few = "" if len(inside) >= FEWEST else f" (fewer than {FEWEST}: says little)"
        if rows:
            yield f"{name}: {len(inside)} claims between {BINS[0]} and {BINS[-1]}{few}"
        for low, high in (*pairwise(BINS), (BINS[0], BINS[-1])):
            some = [claim for claim in inside if low <= claim[0] < high]
            if some:
                says = 100 * sum(sure for sure, _ in some) / len(some)
                right = 100 * sum(right for _, right in some) / len(some)
                yield (
                    f"  {low} to {high}: says {says:.1f} %, right {right:.1f} % "
                    f"of {len(some)}, off by {right - says:+.1f}"
                )


def keep_text(results: Path, part: str, text: str) -> None:
    """Keep the printed text of a part without figures."""
    path = results / "texts" / f"{part}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def write_report(results: Path) -> Path:
    """Write the page and return where it is."""
    path = results / "REPORT.md"
    kept = {title: results / "texts" / f"{part}.txt" for part, title in TEXTS.items()}
    claims = "\n".join(claim_lines(results))
    texts = {"What confidences say, and how often they are right": claims} if claims else {}
    texts |= {title: file.read_text("utf-8") for title, file in kept.items() if file.exists()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(list(subjects(results)), texts), "utf-8")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, and the short table where the command line asks for it."""
    parser = parser_of("report", __doc__)
    parser.add_argument("--readme", type=Path, metavar="FILE", help="gets the short table")
    asked = parser.parse_args(arguments)
    counted = list(subjects(asked.out))
    if not counted:
        sys.stderr.write(f"there are no results in {asked.out}; run 'make evaluate' first\n")
        return 2
    sys.stdout.write(f"{write_report(asked.out)}\n")
    if asked.readme is not None:
        text = asked.readme.read_text("utf-8")
        asked.readme.write_text(with_summary(text, summary(counted)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
