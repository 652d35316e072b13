"""The player: searches a position and ranks the moves worth trying, best first."""

from __future__ import annotations

import random
from dataclasses import replace
from math import exp, floor, sqrt
from typing import Any

from engine.game import AnyGame, Move
from engine.play.book_world import BookWorld
from engine.play.curve import curves, put_right
from engine.play.levels import BY_THE_BOOK, HIGHEST, SKILLS, Level, Skill
from engine.play.search import Node, grow
from engine.play.thought import Budget, Idea, Seat, Thought, Watch, expected_for
from engine.play.world import Token, World, chances, lead, shares
from engine.play.worlds import needed, world_of

DOUBT = 2.0
"""Pseudo-visits added to every move for the ranking, as a multiple of the root of all looks."""
DOUBTED = 0.15
"""How far the value of the pseudo-visits lies below the average value of all looks."""
LONGEST_LINE = 8

NOBODY_ELSE = Seat()


def think(
    game: AnyGame,
    position: Any,
    seat: Seat = NOBODY_ELSE,
    budget: Budget | None = None,
    level: int = HIGHEST,
    seed: int = 0,
) -> Thought:
    """Return the moves worth trying for the player to move, best first.

    At the highest level the game's curve calibrates values to shares of games won. The same seed
    and number of looks give the same answer. Only the position and what ``seat`` knows are used.

    Raises:
        RecordError: the hand of the player to move is needed and missing, or is impossible.
    """
    thought = searched(game, position, seat, budget, level, seed)
    curve = curves().get(game.facts.name)
    if curve is None or level < HIGHEST or not thought.ideas:
        return thought
    players, laid = position.players, tiles_laid(game, position)
    mover = players.index(position.to_move)
    expected = put_right(curve, [thought.expected[who] for who in players], mover, laid)
    ideas = tuple(
        replace(idea, value=curve.share(idea.value, len(players), laid)) for idea in thought.ideas
    )
    return replace(thought, ideas=ideas, expected=expected_for(players, expected))


def tiles_laid(game: AnyGame, position: Any) -> int:
    """Return how many tiles lie on the table, a measure of a game's progress."""
    layout = game.layout(position)
    return len(layout.cards) + len(layout.pieces)


def searched(
    game: AnyGame, position: Any, seat: Seat, budget: Budget | None, level: int, seed: int
) -> Thought:
    """Return the result of the search, with uncalibrated values."""
    needs = needed(game, position)
    if needs is not None:
        return Thought(needs=needs)
    world = world_of(game, position, seat)
    if world.is_over():
        return Thought(expected=expected_for(position.players, shares(world.points())))
    rng = random.Random(seed)
    skill = BY_THE_BOOK if isinstance(world, BookWorld) else SKILLS[game.facts.name]
    chosen = _level(skill, level)
    if chosen is not None and not chosen.looks:
        return _judged_once(world, chosen, position.players, rng)
    bounded = _bounded(budget, chosen, skill)
    sees = None if chosen is None else _seen(chosen, rng)
    return _looked_ahead(world, skill, bounded, position.players, rng, sees)


def _level(skill: Skill, level: int) -> Level | None:
    return None if level >= HIGHEST else skill.levels[level - 1]


def _bounded(budget: Budget | None, level: Level | None, skill: Skill) -> Budget:
    """Return the budget, capped at the level's looks; the default is about 0.1 s of looks."""
    if budget is None or budget == Budget():
        budget = Budget(looks=skill.looks)
    if level is None:
        return budget
    return replace(budget, looks=min(level.looks, budget.looks or level.looks))


# --- without looking ahead -----------------------------------------------------------------------


def _judged_once(
    world: World, level: Level, players: tuple[str, ...], rng: random.Random
) -> Thought:
    """Rank the moves that a level sees by static evaluation, without a search."""
    sees = _seen(level, rng)
    found = world.prospects(rng, sees)
    if sees is not None and len(found) > sees:
        found = rng.sample(found, sees)
    if level.by_score:
        found = [(_lead_by_score(world, token, rng), token) for _, token in found]
    rng.shuffle(found)
    found.sort(key=lambda one: -one[0])
    share = 1 / len(found)
    ideas = tuple(Idea(world.move(token), _chance(value, world), share) for value, token in found)
    after = world.deal(rng)
    after.play(found[0][1], rng)
    expected = chances(after.standing(), world.scale)
    return Thought(
        ideas,
        len(found),
        expected_for(players, expected),
        (ideas[0].move,),
    )


def _seen(level: Level, rng: random.Random) -> int | None:
    """Return the number of moves that a level considers this time; ``None``: all."""
    return None if level.sees is None else floor(level.sees + rng.random())


def _lead_by_score(world: World, token: Token, rng: random.Random) -> float:
    after = world.deal(rng)
    after.play(token, rng)
    return lead(after.points(), world.turn)


def _chance(value: float, world: World) -> float:
    """Return the chance to win if every other seat trails by ``value`` points."""
    return 1 / (1 + (world.seats - 1) * exp(-max(-300.0, min(300.0, value / world.scale))))


# --- looking ahead -------------------------------------------------------------------------------


def _looked_ahead(
    world: World,
    skill: Skill,
    budget: Budget,
    players: tuple[str, ...],
    rng: random.Random,
    sees: int | None,
) -> Thought:
    watch = Watch(budget)
    root = grow(world, skill.depth, watch, rng, sees)
    tried = {token: edge for token, edge in root.edges.items() if edge.visits}
    if not tried:
        return _judged_once(world, Level(), players, rng)
    looks = sum(edge.visits for edge in tried.values())
    seat = world.turn
    average = sum(edge.sums[seat] for edge in tried.values()) / looks
    doubt = DOUBT * sqrt(looks)
    lowest = max(0.0, average - DOUBTED) * doubt
    ranked = sorted(
        (
            ((edge.sums[seat] + lowest) / (edge.visits + doubt), edge.visits / looks, token)
            for token, edge in tried.items()
        ),
        key=lambda one: (-one[0], -one[1]),
    )
    ideas = tuple(Idea(world.move(token), value, share) for value, share, token in ranked)
    best = tried[ranked[0][2]]
    expected = expected_for(players, [total / best.visits for total in best.sums])
    return Thought(ideas, watch.looks, expected, tuple(_line(world, root, ranked[0][2], rng)))


def _line(world: World, root: Node, first: Token, rng: random.Random) -> list[Move]:
    """Return the principal variation; in a game with hidden tiles only its first move."""
    line = [world.move(first)]
    if world.hides:
        return line
    at, node, token = world.deal(rng), root, first
    while len(line) < LONGEST_LINE:
        at.play(token, rng)
        edge = node.edges.get(token)
        node = edge.ways.get(at.omen, Node()) if edge else Node()
        if not node.edges:
            break
        token = max(node.edges, key=lambda one: node.edges[one].visits)
        line.append(at.move(token))
    return line
