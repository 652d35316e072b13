"""One page of all figures: ``python -m models.lab.evaluate.report [--to FILE] [--readme FILE]``.

Made from what the parts of the evaluation have kept; nothing is read anew. Without ``--to`` it is
``REPORT.md`` in the folder of results, with the worst pictures. With ``--to`` it is figures alone,
as a release has them, and ``--readme`` puts the same short table into the README.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from models.lab.evaluate.figures import BAD, EXACT
from models.lab.evaluate.harness import (
    Figure,
    Subject,
    kept_rows,
    parser_of,
    reader_mark,
    told_subjects,
)
from models.lab.evaluate.sealed import openings
from models.lab.scenes.settings import GAMES
from models.lab.scenes.world.arrays import Json

REPORT = "REPORT.md"
TITLES = {
    "squares": "Held-out tables of the square games",
    "close": "The same with stocks, hands and other fields 10 to 40 mm off",
    "misread": "Held-out tables that were once misread, each for another cause",
    "hexes": "Held-out tables of the hex games",
    "sealed": "The sealed split: lights, surfaces and games that nothing was chosen with",
    "small": "The same with tiles below 24 pixels",
    "photoreal": "Photoreal renders, of lights, surfaces and seeds never trained on",
    "photographs": "Photographs of boxes that training never saw",
    "strangers": "Photographs on which no tile lies",
    "spots": "Tables with spots of light",
    "teaching": "Boxes that an owner teaches",
}
"""The parts in the order of the page."""
TEXTS = {
    "play": "The machine against its rivals",
    "live": "The live referee over whole simulated games",
    "machine": "The machine's moves, laid wrongly and right",
}
"""Parts whose printed text is kept."""
CLAIMS = {
    "tiles in play": ("squares", "confidences"),
    "cards beside": ("squares", "beside_confidences"),
    "strangers": ("strangers", "confidences"),
    "spots of light": ("spots", "confidences"),
}
"""Claims that are held against how often they are right: the part, and where its rows have them."""
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


def summary(subjects: Sequence[Subject]) -> list[str]:
    """Return a short table: each game's mistakes and exact tables, drawn and rendered."""
    lines = [
        "| game | held-out tables | tiles wrong | tables exact | renders | tiles wrong "
        "| tables exact |",
        "|---|--:|--:|--:|--:|--:|--:|",
    ]
    for game in GAMES:
        cells = [
            cell
            for parts in (("squares", "hexes"), ("photoreal",))
            for cell in _short(subjects, parts, game)
        ]
        if any(cell != NOT_COUNTED for cell in cells):
            lines.append(f"| {' | '.join([game, *cells])} |")
    return lines


def _short(subjects: Sequence[Subject], parts: Sequence[str], game: str) -> list[str]:
    """Return tables, share of wrong tiles and share of exact tables."""
    found = [s for s in subjects if s.part in parts and s.name == game]
    figures = {figure.name: figure for subject in found for figure in subject.figures}
    bad, exact = figures.get(BAD), figures.get(EXACT)
    if bad is None or exact is None or not exact.count:
        return [NOT_COUNTED] * 3
    low, high = exact.interval
    most = bad.interval[1]
    return [
        str(exact.count),
        f"{bad.share:.2f} ‰ (at most {most:.1f})",
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


def page(subjects: Sequence[Subject], texts: Mapping[str, str], *, with_pictures: bool) -> str:
    """Return the whole page: all figures, what was printed by its title, the worst pictures."""
    lines = [HEAD, *summary(subjects), ""]
    if {subject.mark for subject in subjects} - {reader_mark()}:
        lines.append("Some of this was counted with an earlier state of the code or the models.\n")
    for part, title in TITLES.items():
        own = sorted((s for s in subjects if s.part == part), key=_by_game)
        if own:
            lines += [f"## {title}\n", *_table(own), ""]
            lines += [*openings(), ""] if part == "sealed" else []
            lines += _pictures(own) if with_pictures else []
    for title, text in texts.items():
        lines += [f"## {title}\n", "```text", text.strip(), "```", ""]
    return "\n".join(lines)


def _by_game(subject: Subject) -> tuple[int, str]:
    known = subject.name in GAMES
    return GAMES.index(subject.name) if known else len(GAMES), subject.name


def _table(subjects: Sequence[Subject]) -> Iterator[str]:
    yield "| of | what | counted | share (95 %) | wanted |"
    yield "|---|---|--:|--:|---|"
    for subject in subjects:
        yield from (_row(subject.name, figure) for figure in subject.figures if figure.count)


def _row(name: str, figure: Figure) -> str:
    low, high = figure.interval
    unit = "%" if figure.per == 100 else "‰"
    verdict = {True: " ✓", False: " **not met**", None: ""}[figure.holds]
    limit = figure.most if figure.most is not None else figure.least
    side = "≤" if figure.most is not None else "≥"
    wanted = "" if limit is None else f"{side} {limit:g} {unit}{verdict}"
    share = f"{figure.share:.2f} {unit} ({low:.2f} to {high:.2f})"
    return f"| {name} | {figure.name} | {figure.hits} of {figure.count} | {share} | {wanted} |"


def _pictures(subjects: Sequence[Subject]) -> Iterator[str]:
    for subject in subjects:
        if subject.worst:
            yield f"### {subject.name}: not wholly right\n"
            yield from (f"![{path}]({path})" for path in subject.worst)
            yield ""


def claim_lines(results: Path) -> Iterator[str]:
    """Yield the mean confidence of claims, and how often they are right, by bins."""
    for name, (part, key) in CLAIMS.items():
        paths = sorted((results / part).glob("*.jsonl"))
        rows: list[Json] = [row for path in paths for row in kept_rows(path)]
        said = [(float(sure), bool(right)) for row in rows for sure, right in row.get(key, ())]
        inside = [one for one in said if BINS[0] <= one[0] < BINS[-1]]
        few = "" if len(inside) >= FEWEST else f" (fewer than {FEWEST}: says little)"
        if rows:
            yield f"{name}: {len(inside)} claims between {BINS[0]} and {BINS[-1]}{few}"
        for low, high in (*pairwise(BINS), (BINS[0], BINS[-1])):
            some = [one for one in inside if low <= one[0] < high]
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


def write_report(results: Path, to: Path | None = None) -> Path:
    """Write the page and return where it is."""
    path = to or results / REPORT
    kept = {title: results / "texts" / f"{part}.txt" for part, title in TEXTS.items()}
    said = "\n".join(claim_lines(results))
    texts = {"What confidences say, and how often they are right": said} if said else {}
    texts |= {title: file.read_text("utf-8") for title, file in kept.items() if file.exists()}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(told_subjects(results), texts, with_pictures=to is None), "utf-8")
    return path


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page that the command line asks for."""
    parser = parser_of("report", __doc__)
    parser.add_argument("--to", type=Path, metavar="FILE", help="a page without pictures")
    parser.add_argument("--readme", type=Path, metavar="FILE", help="gets the short table")
    asked = parser.parse_args(arguments)
    subjects = told_subjects(asked.out)
    if not subjects:
        sys.stderr.write(f"there are no results in {asked.out}; run 'make evaluate' first\n")
        return 2
    sys.stdout.write(f"{write_report(asked.out, asked.to)}\n")
    if asked.readme is not None:
        text = asked.readme.read_text("utf-8")
        asked.readme.write_text(with_summary(text, summary(subjects)), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
