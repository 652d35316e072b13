"""Rule book of Schlangennest, G. Cornett 1995: the English rules, and rulings on open points.

Cards with a coloured and a grey strand form one snake of each colour. Comments cite rulings by
number: (F) found in a public source, (D) deduced from the text, (R) ruled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain as concatenated
from itertools import islice
from types import MappingProxyType

from engine import options
from engine.errors import RecordError
from engine.game import (
    Change,
    Facts,
    Game,
    Move,
    Option,
    Outcome,
    ScoreLine,
    Start,
    Verdict,
    Violation,
    in_order_from,
    not_your_turn,
    outcome_of,
    says,
)
from engine.lattice import bounding_box
from engine.nest.laying import cells_outside, judge_place, judge_replace, judge_turn
from engine.nest.meetings import Ends, colours_joined, crowds, is_crowded, none_left, outside
from engine.nest.position import COLOURS, SHAPES, Agreed, NestPosition
from engine.nest.setup import (
    FRAMED_PLAYERS,
    SIZES,
    agreed_field,
    check_given,
    colours_of,
    parse_size,
)
from engine.nest.turns import actions, can_act, judge_action, made, next_turn
from engine.placement import Layout, Placement
from engine.sentences import options_of, rules_of, summary_of, why
from engine.snakes import card
from engine.tiles import TileSet

say = rules_of("schlangennest")
TEXT = options_of("schlangennest")


class Schlangennest(Game[NestPosition]):
    """The rule book."""

    facts = Facts(
        name="schlangennest",
        title="Schlangennest",
        lattice="square",
        fewest_players=2,
        most_players=4,
        player_names=COLOURS,
        options=(
            Option(
                "size",
                TEXT["size"],
                (*SIZES, None),
                parse_size,
                more="size",
                # The cards of a fixed border or of a frame mark the field.
                only_with={"border": ("grows",), "frame": (False,)},
            ),
            options.one_of(
                "border",
                TEXT["border"],
                "grows",
                "fixed",
                players=(2, 3),
                only_with={"two_snakes": ("off",)},
                laid_before=("fixed",),
            ),
            options.flag(
                "frame",
                TEXT["frame"],
                players=(FRAMED_PLAYERS,),
                only_with={"two_snakes": ("off",)},
                laid_before=(True,),
            ),
            options.flag("tail_first", TEXT["tail_first"]),
            options.one_of("two_snakes", TEXT["two_snakes"], "off", "both", "one", players=(2,)),
            options.colours(TEXT["colours"], only_with={"two_snakes": ("both", "one")}),
        ),
        summary=summary_of("schlangennest"),
        rules=tuple(say),
        actions=("place", "turn", "replace", "pass"),
        check_given=check_given,
    )

    # --- opening ---------------------------------------------------------------------------

    def opening(self, start: Start, tile_set: TileSet) -> NestPosition:
        """Return the first position: set-up cards, or the layout of a game in progress."""
        for colour, shape in ((c, s) for c in COLOURS for s in SHAPES):
            if f"{colour}/{shape}" not in tile_set:
                raise RecordError("set", f"the box {tile_set.name} has no {colour}/{shape}")
        chosen = {o.name: o.default for o in self.facts.options} | dict(start.options)
        cards = {
            p.at: card(tile_set[p.tile], p.turns)
            for p in start.layout.placements()
            if isinstance(p, Placement)
        }
        colours = colours_of(start.players, chosen)
        field = agreed_field(chosen, start, cards, colours)
        two = chosen["two_snakes"]
        agreed = Agreed(colours, field, chosen["tail_first"] or two != "off", two)
        position = NestPosition(
            tile_set, agreed, MappingProxyType(cards), start.next or start.players[0]
        )
        if position.is_joined or is_crowded(position):
            position = replace(position, agreed=replace(agreed, irregular=True))
        if all(position.is_finished(colour) for colour in colours[position.to_move]):
            return next_turn(position)
        return position

    # --- legal moves -----------------------------------------------------------------------

    def legal_moves(self, position: NestPosition) -> list[Move]:
        """List every legal move, by colour, card, cell and turn; a lone pass when stuck."""
        moves = list(actions(position))
        if moves or self._is_over(position):
            return moves
        return [Move(position.to_move, "pass")]

    # --- judge -----------------------------------------------------------------------------

    def judge(self, position: NestPosition, move: Move) -> Verdict:
        """Say whether a move is legal, with every rule that it breaks."""
        if move.do == "pass":
            return self._judge_pass(position, move)
        broken: list[Violation] = []
        if self._is_over(position):
            broken.append(Violation(say.GAME_OVER))
        broken += not_your_turn(say.NOT_YOUR_TURN, position, move)
        judge = {"place": judge_place, "turn": judge_turn, "replace": judge_replace}[move.do]
        broken += judge_action(position, move)
        broken += judge(position, move)
        return Verdict(tuple(broken))

    def _judge_pass(self, position: NestPosition, move: Move) -> Verdict:
        if self._is_over(position):
            return Verdict()
        early = tuple(not_your_turn(say.NOT_YOUR_TURN, position, move))
        return Verdict(early or tuple(_instead_of_passing(position)))

    # --- apply -----------------------------------------------------------------------------

    def apply(self, position: NestPosition, move: Move) -> NestPosition:
        """Return the position after a move."""
        if move.do == "pass" and self._is_over(position):
            return position
        return made(position, move)

    # --- outcome ---------------------------------------------------------------------------

    def outcome(self, position: NestPosition) -> Outcome:
        """Count the strands of each player's snakes: coloured, grey and caps (ruling 9)."""
        lines = {
            player: tuple(concatenated.from_iterable(_lines(position, c) for c in colours))
            for player, colours in position.agreed.colours.items()
        }
        return outcome_of(lines, over=self._is_over(position))

    def _is_over(self, position: NestPosition) -> bool:
        """Say whether the game is over: all players are finished or stuck (ruling 8)."""
        return not any(
            can_act(position.of(player)) if player != position.to_move else can_act(position)
            for player in in_order_from(position.players, position.to_move)
        )

    # --- the table -------------------------------------------------------------------------

    def layout(self, position: NestPosition) -> Layout:
        """Return what lies on the table."""
        return Layout(frozenset(Placement(c.tile, at, c.turns) for at, c in position.cards.items()))

    def inspect(self, position: NestPosition) -> tuple[Violation, ...]:
        """Return the rules that the table itself breaks."""
        web = position.web
        broken: list[Violation] = []
        for snake in web.coloured:
            broken += colours_joined(position, snake)
        ends = Ends(web)
        broken += crowds(ends, ends.all)
        for colour in concatenated(*position.agreed.colours.values()):
            pieces = web.of_colour(colour)
            if len(pieces) > 1:
                cells = tuple(sorted({cell for p in pieces for cell, _ in p.strands}))
                broken.append(Violation(say.IN_PIECES, cells, {"colour": colour}))
        box = bounding_box(position.judged_cells)
        if not position.agreed.field.holds(box):
            broken.append(outside(position, box, *cells_outside(position)))
        for tile in web.laid:
            if position.left(tile) < 0:
                broken.append(none_left(position, tile))
        return tuple(broken)

    def readings(self, position: NestPosition, change: Change) -> list[Move]:
        """Return the move that laid, turned or swapped one card."""
        laid, lifted = tuple(change.laid.cards), tuple(change.lifted.cards)
        if len(laid) != 1 or len(lifted) > 1:
            return []
        new = laid[0]
        player = position.agreed.owner(position.box[new.tile].colour) or position.to_move
        if not lifted:
            return [Move(player, "place", new.tile, new.at, new.turns)]
        old = lifted[0]
        if old.at != new.at:
            return []
        if old.tile == new.tile:
            return [Move(player, "turn", at=new.at, turns=new.turns)]
        return [Move(player, "replace", new.tile, new.at, new.turns)]


# --- passing


def _instead_of_passing(position: NestPosition) -> Iterator[Violation]:
    """Yield the violation of a pass when a move is possible; it points at one legal move."""
    for way in islice(actions(position), 1):
        assert way.at is not None
        tile = way.tile or position.cards[way.at].tile
        yield says(say.MUST_MOVE, way.at, case=way.do, player=way.player, tile=tile)


# --- score


def _lines(position: NestPosition, colour: str) -> Iterator[ScoreLine]:
    """Yield a point for each strand of a snake; of a broken snake only the longest piece counts."""
    pieces = position.web.of_colour(colour)
    snake = min(pieces, key=lambda s: (-s.length, min(s.strands)), default=None)
    for cell, number in sorted(snake.strands) if snake else ():
        strand = position.cards[cell].strands[number]
        params = {"colour": strand.colour, "snake": colour, "cap": strand.cap or ""}
        yield ScoreLine(1, why.CAP if strand.cap else why.PART, (cell,), params)
