"""Rule book of Carnival: the Russian rules (title unknown), and rulings on open points.

Every snake grows from the house, and players may help or hinder each other. Hands are hidden: a
move is judged by the table, by what is left of the box, and by what players say. Comments cite
rulings by number: (D) deduced from the text, (R) ruled.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from engine import options
from engine.carnival.laying import declared, judge_tile, layable, wearers_at
from engine.carnival.position import NOTHING, CarnivalPosition, Hat, LastRound, Token
from engine.carnival.score import open_questions, score_lines, token_worth
from engine.carnival.setup import check_given, opened, wrong_on_the_table
from engine.carnival.snakes import named
from engine.game import (
    Change,
    Facts,
    Game,
    Move,
    OpenQuestion,
    Outcome,
    Start,
    Verdict,
    Violation,
    in_order_from,
    not_your_turn,
    outcome_of,
    says,
)
from engine.lattice import Cell
from engine.placement import Layout, Placement
from engine.sentences import options_of, rules_of, summary_of
from engine.snakes import card
from engine.tiles import TileKind, TileSet

say = rules_of("carnival")
TEXT = options_of("carnival")

COLOURS = ("yellow", "violet", "black", "red")


class Carnival(Game[CarnivalPosition]):
    """The rule book."""

    facts = Facts(
        name="carnival",
        unused_put_away=True,
        two_sit_opposite=True,
        title="Carnival",
        lattice="square",
        fewest_players=2,
        most_players=4,
        player_names=COLOURS,
        options=(
            options.one_of("hands", TEXT["hands"], "trust", "ask"),
            options.one_of("gift_beside_log", TEXT["gift_beside_log"], "side", "gift"),
            options.one_of("snakes", TEXT["snakes"], 2, 1, players=(2,)),
            options.colours(TEXT["colours"], only_with={"snakes": (2,)}),
        ),
        summary=summary_of("carnival"),
        rules=tuple(say),
        actions=("place", "replace", "finale", "pass"),
        hidden=True,
        move_keys=("snake", "declares"),
        counts=("tokens",),
        check_given=check_given,
    )

    # --- opening ---------------------------------------------------------------------------

    def opening(self, start: Start, tile_set: TileSet) -> CarnivalPosition:
        """Return the first position: the house, or the layout of a game in progress."""
        chosen = {o.name: o.default for o in self.facts.options} | dict(start.options)
        return opened(start, tile_set, chosen)

    # --- legal moves -----------------------------------------------------------------------

    def legal_moves(self, position: CarnivalPosition) -> list[Move]:
        """List the moves that the table allows with the tiles that are left.

        If there are none, list the last round when no player has any, else a lone pass. Hands are
        hidden, so a pass is always legal, but not listed beside other moves (ruling 11).
        """
        if position.is_over:
            return []
        player = position.to_move
        moves = list(layable(position, player))
        if not moves and position.last_round is None and _nothing_can_be_laid(position):
            return [Move(player, "finale")]
        return moves or [Move(player, "pass")]

    # --- judge -----------------------------------------------------------------------------

    def judge(self, position: CarnivalPosition, move: Move) -> Verdict:
        """Say whether a move is legal, with every rule that it breaks."""
        if position.is_over:
            # A pass after the end of the game is legal and changes nothing.
            if move.do == "pass":
                return Verdict()
            return Verdict((Violation(say.GAME_OVER), *_judge_action(position, move)))
        return Verdict((*_judge_turn(position, move), *_judge_action(position, move)))

    # --- apply -----------------------------------------------------------------------------

    def apply(self, position: CarnivalPosition, move: Move) -> CarnivalPosition:
        """Return the position after a move."""
        if move.do == "finale":
            return position.but(last_round=position.last_round or LastRound()).settled()
        if move.do == "pass" and position.is_over:
            return position
        after = _passed(position, move.player) if move.do == "pass" else _laid(position, move)
        # The turn goes on from whoever moved, in turn or overruled.
        following = in_order_from(position.players, move.player)[1]
        return after.but(to_move=following).settled()

    # --- outcome ---------------------------------------------------------------------------

    def outcome(self, position: CarnivalPosition) -> Outcome:
        """Count printed points, gifts, troubles, tokens and hats (ruling 10)."""
        lines = {player: score_lines(position, player) for player in position.players}
        return outcome_of(lines, over=position.is_over)

    # --- the table -------------------------------------------------------------------------

    def layout(self, position: CarnivalPosition) -> Layout:
        """Return what lies on the table, seen from above: a hat hides the head under it."""
        seen = {at: Placement(c.tile, at, c.turns) for at, c in position.cards.items()}
        seen |= {hat.at: Placement(hat.tile, hat.at) for hat in position.hats}
        return Layout(frozenset(seen.values()))

    def inspect(self, position: CarnivalPosition) -> tuple[Violation, ...]:
        """Return the rules that the table itself breaks."""
        return tuple(wrong_on_the_table(position))

    def questions(self, position: CarnivalPosition) -> tuple[OpenQuestion, ...]:
        """Ask who laid the diamonds and who wears the hats, where the table does not show it."""
        return open_questions(position)

    def readings(self, position: CarnivalPosition, change: Change) -> list[Move]:
        """Return the moves that laid one tile, on an empty cell or in place of another tile.

        A declaration cannot be seen: a reading with ``declares`` assumes it, and the caller must
        ask the player. A hat between two heads has one reading for each head.
        """
        laid, lifted = tuple(change.laid.cards), tuple(change.lifted.cards)
        if len(laid) != 1 or len(lifted) > 1 or any(old.at != laid[0].at for old in lifted):
            return []
        (new,) = laid
        kind = position.box[new.tile]
        do = "replace" if lifted and kind.role != "hat" else "place"
        move = Move(position.to_move, do, new.tile, new.at, new.turns)
        wearers = wearers_at(position, new.at) if kind.role == "hat" else []
        if len(wearers) > 1:
            return [replace(move, snake=colour) for colour in wearers]
        return list(dict.fromkeys((move, declared(position, move, kind))))


# --- turns and what was said ------------------------------------------------------------------


def _judge_turn(position: CarnivalPosition, move: Move) -> Iterator[Violation]:
    # Any player may announce the last round, in or out of turn (rulebook, Конец игры).
    if move.do != "finale":
        yield from not_your_turn(say.NOT_YOUR_TURN, position, move)


def _judge_action(position: CarnivalPosition, move: Move) -> Iterator[Violation]:
    if move.do == "finale":
        yield from _judge_finale(position)
    elif move.do != "pass":
        # A pass is never refused: a player with a tile to lay must lay it (ruling 9, R), but only
        # that player sees the hand.
        yield from judge_tile(position, move)


def _judge_finale(position: CarnivalPosition) -> Iterator[Violation]:
    """Yield why the last round cannot be announced (ruling 9).

    Hands are hidden, so on trust the announcement is believed. With ``hands`` set to ``ask``, it is
    refused when a tile is left that every player could lay. In a game that started in progress
    it is believed too, because the tiles out of the game are unknown.
    """
    if position.last_round is not None:
        yield Violation(say.ALREADY_ANNOUNCED)
    elif position.agreed.asks and position.supply.pile is not None:
        every = [_tiles_layable(position, player) for player in position.players]
        sure = next((tile for tile in position.box.kinds if all(tile in t for t in every)), None)
        if sure is not None:
            tile = named(position.box[sure])
            yield says(say.FINALE_TOO_EARLY, every[0][sure], tile=tile)


def _nothing_can_be_laid(position: CarnivalPosition) -> bool:
    return not any(True for player in position.players for _ in _ways(position, player))


def _tiles_layable(position: CarnivalPosition, player: str) -> dict[str | None, Cell | None]:
    """Return the tiles that a player could lay, each with a cell; discarded tiles included."""
    return {move.tile: move.at for move in _ways(position, player)}


def _ways(position: CarnivalPosition, player: str) -> Iterator[Move]:
    """Yield the moves that a player could make; with discarded tiles too."""
    return layable(position.but(supply=replace(position.supply, discard=NOTHING)), player)


# --- changing the position --------------------------------------------------------------------


def _passed(position: CarnivalPosition, player: str) -> CarnivalPosition:
    """Return the position after a pass; before the last round a tile is drawn (ruling 11)."""
    last = position.last_round
    if last is None:
        return position.but(supply=position.supply.after(None))
    return position.but(last_round=replace(last, out=last.out | {player}))


def _laid(position: CarnivalPosition, move: Move) -> CarnivalPosition:
    """Return the position after a tile is laid; before the last round a tile is drawn."""
    assert move.tile is not None and move.at is not None and move.turns is not None
    kind, cell = position.box[move.tile], move.at
    if kind.role == "hat":
        return _hat_laid(position, kind, cell, move.snake)
    lying = position.cards.get(cell)
    tokens = _tokens_kept(position, cell) if lying else position.tokens
    if kind.role == "diamond":
        tokens = (*tokens, Token(move.player, cell))
    supply = position.supply
    if position.last_round is None:
        supply = supply.after(lying.tile if lying else None)
    return position.with_tile(cell, card(kind, move.turns)).but(tokens=tokens, supply=supply)


def _tokens_kept(position: CarnivalPosition, cell: Cell) -> tuple[Token, ...]:
    """Return the tokens; the worth of a replaced diamond's token is fixed (ruling 7)."""
    return tuple(
        replace(token, worth=token_worth(position, token))
        if token.cell == cell and token.worth is None
        else token
        for token in position.tokens
    )


def _hat_laid(
    position: CarnivalPosition, kind: TileKind, cell: Cell, whose: str | None
) -> CarnivalPosition:
    wearers = [whose] if whose else wearers_at(position, cell)
    hat = Hat(kind.name, cell, wearers[0] if wearers else None)
    last = position.last_round
    # An overruled hat during the heads phase ends that phase.
    if last is None or last.phase == "heads":
        last = LastRound("hats")
    if position.role_at(cell) != "head":
        position = position.with_tile(cell, card(kind, 0))
    return position.but(hats=(*position.hats, hat), last_round=last)
