"""The interface of a rule book, and the values that go in and come out of it.

A position is agreed truth and immutable. ``judge`` returns every broken rule at once. ``apply``
does not check the move: it was judged before, or the table overruled the referee.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeVar

from engine.lattice import Cell
from engine.placement import NOTHING, Layout
from engine.tiles import TileSet
from engine.wording import Sentence, in_english

Json = Any
"""A JSON value."""

Place = tuple[int, ...]
"""A cell to point at: ``(x, y)``, ``(q, r)`` or, where there are several boards,
``(board, q, r)``."""

EMPTY: Mapping[str, Json] = MappingProxyType({})


def _empty() -> Mapping[str, Json]:
    return EMPTY


RULINGS = re.compile(r"\brulings? (\d+(?:(?:, | and | to )\d+)*)")
"""A citation of rulings, such as ``ruling 4``, ``rulings 3 and 4`` or ``rulings 3 to 5``."""


def cited(text: str) -> tuple[int, ...]:
    """Return the numbers of the rulings that a text cites, in its order."""
    numbers: list[int] = []
    for said in RULINGS.findall(text):
        for part in re.split(", | and ", said):
            first, _, last = part.partition(" to ")
            numbers += range(int(first), int(last or first) + 1)
    return tuple(numbers)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule as in the printed rules: of what is not allowed, or of what counts and what may be."""

    id: str
    text: str
    """Sentences for players: what is not allowed, what must be done, or what counts."""
    source: str
    """Where the rule is printed or ruled: ``rulebook, "Special cases"; ruling 4``."""
    says: Sentence = ""
    """The sentence of a violation, with ``{names}`` to fill in; empty where nobody can break it."""
    cases: Mapping[str, Sentence] = field(default_factory=_empty, hash=False)
    """More precise sentences of a violation, by ``Violation.case``."""

    @property
    def can_be_broken(self) -> bool:
        """Say whether a move or a table can break it; the others say what counts or what may be."""
        return bool(self.says)

    @property
    def rulings(self) -> tuple[int, ...]:
        """Return the numbers of the rulings that the source cites, as in ``RULINGS.md``."""
        return cited(self.source)


@dataclass(frozen=True, slots=True)
class Summary:
    """A game in four answers, for people who have never played it."""

    goal: str
    turn: str
    end: str
    scoring: str


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule broken, in a sentence for players, and the cells to point at."""

    rule: Rule
    cells: tuple[Place, ...] = ()
    params: Mapping[str, str] = field(default_factory=_empty)
    snake: str | None = None
    """Sssnake: on whose field the cells are."""
    case: str = ""
    """The key of the sentence in ``Rule.cases``; empty if none of them fits."""

    @property
    def text(self) -> str:
        """Return the sentence for players."""
        rule = self.rule
        return in_english(rule.cases.get(self.case) or rule.says or rule.text, self.params)


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a move is legal, and every rule it breaks."""

    violations: tuple[Violation, ...] = ()

    @property
    def legal(self) -> bool:
        """Say whether no rule is broken."""
        return not self.violations


@dataclass(frozen=True, slots=True)
class Reason:
    """The reason for points: an id for translators and a sentence with ``{names}``."""

    id: str
    says: Sentence


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """Points and the reason for them; a player's lines add up to the score."""

    points: int
    reason: Reason
    cells: tuple[Place, ...] = ()
    params: Mapping[str, str] = field(default_factory=_empty)
    snake: str | None = None

    @property
    def why(self) -> str:
        """Return the reason in a sentence for players."""
        return in_english(self.reason.says, self.params)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a position: scores at any time, winners once the game is over."""

    scores: Mapping[str, int | None]
    lines: Mapping[str, tuple[ScoreLine, ...]]
    over: bool
    winners: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Answer:
    """One possible answer to an open question, and the scores it leads to."""

    answer: str
    scores: Mapping[str, int | None]


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """Something that the score depends on and the table alone does not show."""

    question: str
    answers: tuple[Answer, ...]
    cells: tuple[Place, ...] = ()
    """The cells that the question is about."""


@dataclass(frozen=True, slots=True)
class Move:
    """What one player did. Fields that a kind of move does not use are ``None``."""

    player: str
    do: str
    """``place``, ``replace``, ``turn``, ``roll``, ``discard``, ``finale`` or ``pass``."""
    tile: str | None = None
    at: Cell | None = None
    turns: int | None = None
    cells: tuple[Cell, ...] | None = None
    """Hex tiles: the cells covered, sorted."""
    board: int | None = None
    origin: tuple[int, Cell] | None = None
    """5G: board and cell the snake escapes from (``from`` in records)."""
    to: tuple[int, Cell] | None = None
    """5G with ``far_drill``: board and cell of the own end drilled onto."""
    snake: str | None = None
    """Sssnake: whose snake; Carnival: whose head a hat goes on."""
    value: int | None = None
    tiles: tuple[str, ...] | None = None
    declares: str | None = None


@dataclass(frozen=True, slots=True)
class Option:
    """A choice that players make before a game, declared once: all that asks for it reads it here.

    Command line, ``rules``, wizard, README and random play in tests take its values from here.
    """

    name: str
    text: str
    """What the option changes, in words for owners."""
    values: tuple[Json, ...]
    """The values that people choose among, in their order; the first is the default."""
    parse: Callable[[Json], Json] = field(repr=False)
    """Checks a JSON value and returns its normal form; ``ValueError`` says what is wrong."""
    more: Literal["", "size", "colours", "cells"] = ""
    """What else a value may be: two numbers, two colours for each player, or two cells."""
    players: tuple[int, ...] = ()
    """The numbers of players that it is for; empty for any."""
    only_with: Mapping[str, tuple[Json, ...]] = field(default_factory=_empty, hash=False)
    """Other options, each with the values of it that this one makes sense with."""
    laid_before: tuple[Json, ...] = ()
    """The values that need cards laid before the game."""

    @property
    def default(self) -> Json:
        """Return what holds where nobody chooses."""
        return self.values[0]


@dataclass(frozen=True, slots=True)
class Start:
    """How a game begins: the players in turn order, and what lies on the table already."""

    players: tuple[str, ...]
    options: Mapping[str, Json] = field(default_factory=_empty)
    """Only the options that were given, already in normal form."""
    layout: Layout = NOTHING
    next: str | None = None
    """The player to move first; ``None``: the first of ``players``."""
    midgame: bool = False
    """True when ``layout`` is a game in progress, not only its set-up."""
    tokens: Mapping[str, int] = field(default_factory=_empty)
    """Diamond tokens by player, for a Carnival game that starts in progress."""
    out: Mapping[str, int] = field(default_factory=_empty)
    """Cards out of the game by kind, for a Sssnake game that starts in progress."""


class Position(Protocol):
    """What the positions of all games have in common."""

    @property
    def players(self) -> tuple[str, ...]:
        """The players in turn order."""
        ...

    @property
    def to_move(self) -> str:
        """The player to move."""
        ...


P = TypeVar("P", bound=Position)


def nothing_more(_box: TileSet, _start: Start, _players: str) -> None:
    """Refuse nothing beyond what every game refuses."""


@dataclass(frozen=True, slots=True)
class Facts:
    """The constants of a game, as data that tests check."""

    name: str
    title: str
    lattice: Literal["square", "hex"]
    fewest_players: int
    most_players: int
    player_names: tuple[str, ...] | None
    """The names players may have (colours), or ``None`` for any name."""
    options: tuple[Option, ...]
    summary: Summary
    rules: tuple[Rule, ...]
    """The rules in the order in which players meet them."""
    actions: tuple[str, ...] = ("place", "pass")
    """What a move may ``do`` in this game; anything else is a bad record."""
    hidden: bool = False
    """Whether players have hidden hands; a record may tell them under ``hand``."""
    coloured_moves: bool = True
    """False where a move's ``tile`` is written without its colour, which is the player's."""
    move_keys: tuple[str, ...] = ()
    """Extra keys of a move that lays a tile, beyond those of the lattice."""
    counts: tuple[str, ...] = ()
    """Extra keys of a record that starts in progress: ``tokens`` or ``out``."""
    several_boards: bool = False
    """Whether every player has a board, so that places begin with the board's number."""
    several_fields: bool = False
    """Whether every player has a field of cards, so that places begin with the field's number."""
    unused_put_away: bool = False
    """Whether the tiles of colours that nobody plays are put away before the game."""
    two_sit_opposite: bool = False
    """Whether two players skip a seat, so that they sit opposite in the order of names."""
    check_given: Callable[[TileSet, Start, str], None] = nothing_more
    """Refuses a start that somebody gives, and that no table of this game can hold; the string is
    the place of the players in what was given. ``RecordError`` names the place."""


class Game(Protocol[P]):
    """A rule book."""

    facts: Facts

    def opening(self, start: Start, tile_set: TileSet) -> P:
        """Return the first position.

        Raises:
            RecordError: the start does not fit the game; the error names the place in the record.
        """
        ...

    def legal_moves(self, position: P) -> list[Move]:
        """Return every legal move once, in a stable order.

        A stuck player has a lone pass; a finished game has no moves.
        """
        ...

    def judge(self, position: P, move: Move) -> Verdict:
        """Say whether a move is legal, with every rule that it breaks."""
        ...

    def apply(self, position: P, move: Move) -> P:
        """Return the position after a move."""
        ...

    def outcome(self, position: P) -> Outcome:
        """Return the scores with their lines and, once the game is over, the winners."""
        ...

    def layout(self, position: P) -> Layout:
        """Return what lies on the table."""
        ...

    def inspect(self, position: P) -> tuple[Violation, ...]:
        """Return the rules that the table itself breaks, whoever broke them."""
        ...

    def questions(self, position: P) -> tuple[OpenQuestion, ...]:
        """Return what the score depends on and the table does not show: nothing, if all is open."""
        return ()

    def readings(self, position: P, change: Change) -> list[Move]:
        """Return the moves, legal or not, that explain a change of the table."""
        ...


@dataclass(frozen=True, slots=True)
class Change:
    """The difference between two layouts."""

    laid: Layout = NOTHING
    """What lies on the table now and did not before."""
    lifted: Layout = NOTHING
    """What lay on the table before and does not now."""


# --- what every rule book does alike -------------------------------------------------------------


def not_your_turn(rule: Rule, position: Position, move: Move) -> Iterator[Violation]:
    """Players move in turn."""
    if move.player != position.to_move:
        yield says(rule, turn=position.to_move, player=move.player)


def says(
    rule: Rule, *cells: Place | None, case: str = "", snake: str | None = None, **names: object
) -> Violation:
    """Return a violation with the words of its sentence; cells that are ``None`` are left out."""
    pointed = tuple(dict.fromkeys(cell for cell in cells if cell is not None))
    words = {name: str(value) for name, value in names.items()}
    return Violation(
        rule, pointed, words if snake is None else words | {"snake": snake}, snake, case
    )


def in_order_from(players: tuple[str, ...], first: str) -> tuple[str, ...]:
    """Return the players in turn order, beginning with ``first``."""
    number = players.index(first)
    return players[number:] + players[:number]


def outcome_of(
    lines: Mapping[str, tuple[ScoreLine, ...]], *, over: bool, without: Collection[str] = ()
) -> Outcome:
    """Return the outcome of lines of points; once the game is over, the best win, ties share.

    Players ``without`` a score cannot win.
    """
    scores = {
        player: None if player in without else sum(line.points for line in own)
        for player, own in lines.items()
    }
    best = max((score for score in scores.values() if score is not None), default=0)
    winners = tuple(player for player, score in scores.items() if score == best)
    return Outcome(scores, lines, over, winners if over else ())


AnyGame = Game[Any]
Games = Mapping[str, AnyGame]
Moves = Sequence[Move]
