"""Monte Carlo tree search, with greedy rollouts instead of random ones at the leaves.

UCT with priors from a static evaluation (PUCT); every seat maximises its own result (max^n). Moves
enter a node best first as it is visited (progressive widening). Every look, that is every
simulation, deals hidden tiles anew and all deals share the tree (open loop), so hidden tiles are
never used. A node has one child for each outcome of a roll or draw.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import exp, sqrt
from operator import itemgetter

from engine.play.thought import Watch
from engine.play.world import Token, World, chances, shares

ROUNDS_BEFORE_HALVING = 8
_value = itemgetter(0)


@dataclass(frozen=True, slots=True)
class Depth:
    """Search parameters, chosen by measurement; ``README.md`` has the figures."""

    explore: float = 0.6
    """The exploration constant of PUCT."""
    warmth: float = 1.0
    """The softmax temperature of the priors, in points of a move's prospect."""
    widen: float = 1.5
    """A node of n visits tries its best ``widen * sqrt(n) + 2`` moves."""
    inner: int | None = None
    """The number of moves evaluated at a node below the root; ``None``: all."""
    sampled: int | None = 4
    """Rollouts play the best of this many sampled moves; ``None``: the best of all."""
    horizon: int = 1000
    """The length of a rollout in moves; the position after it is evaluated."""
    settle: int = 2
    """The number of visits from which on a leaf is expanded."""
    paired: int = 0
    """The number of moves compared by sequential halving instead of a tree; 0: use the tree. All
    of them meet the same dice and deals (common random numbers), which reduces the variance."""


@dataclass(slots=True)
class Node:
    """Statistics of one node of the tree."""

    visits: int = 0
    ranked: list[tuple[float, Token]] | None = None
    """Priors and moves, best first; cached at the root and in games without hidden tiles."""
    edges: dict[Token, Edge] = field(default_factory=dict)


@dataclass(slots=True)
class Edge:
    """Statistics of one move that was tried: visits, and the sum of results by seat."""

    visits: int = 0
    sums: list[float] = field(default_factory=list)
    ways: dict[Hashable, Node] = field(default_factory=dict)
    """The child nodes, keyed by ``World.omen``, the outcome of chance."""


def grow(
    world: World, depth: Depth, watch: Watch, rng: random.Random, sees: int | None = None
) -> Node:
    """Search until the budget is used up, and return the root of the tree.

    Args:
        world: the position.
        depth: search parameters.
        watch: the budget.
        rng: the source of deals, rolls and samples.
        sees: the number of moves sampled at the root; ``None``: all.
    """
    root = Node()
    if depth.paired:
        _pair(root, world, depth, watch, rng, sees)
        return root
    if sees is not None:
        root.ranked = _with_priors(world, depth, rng, sees)
    while watch.goes_on():
        _look(root, world.deal(rng), depth, rng)
        if root.ranked is not None and len(root.ranked) == 1:
            break
    return root


def _pair(
    root: Node, world: World, depth: Depth, watch: Watch, rng: random.Random, sees: int | None
) -> None:
    """Compare the best moves by sequential halving; each round has one random seed for all."""
    found = sorted(world.prospects(rng, sees), key=lambda one: -one[0])[: depth.paired]
    seat, tokens = world.turn, [token for _, token in found]
    rounds = 0
    while tokens:
        luck = rng.getrandbits(32)
        for token in tokens:
            if not watch.goes_on():
                return
            same = random.Random(luck)
            at = world.deal(same)
            at.play(token, same)
            edge = root.edges.setdefault(token, Edge(0, [0.0] * world.seats))
            edge.visits += 1
            for number, value in enumerate(_played_out(Node(), at, depth, same)):
                edge.sums[number] += value
        rounds += 1
        if len(tokens) == 1:
            return
        if rounds % ROUNDS_BEFORE_HALVING == 0 and len(tokens) > 2:
            tokens.sort(key=lambda token: -root.edges[token].sums[seat])
            tokens = tokens[: (len(tokens) + 1) // 2]


def outlook(world: World, depth: Depth, looks: int, rng: random.Random) -> list[float]:
    """Return every seat's expected result, averaged over ``looks`` rollouts."""
    sums = [0.0] * world.seats
    for _ in range(looks):
        for seat, value in enumerate(_played_out(Node(), world.deal(rng), depth, rng)):
            sums[seat] += value / looks
    return sums


def _look(root: Node, world: World, depth: Depth, rng: random.Random) -> None:
    node, path = root, [root]
    taken: list[tuple[Edge, Node]] = []
    # A node whose moves are ranked has some.
    while node.ranked or not world.is_over():
        token = _chosen(node, world, depth, rng, is_root=node is root)
        edge = node.edges.get(token)
        if edge is None:
            edge = node.edges[token] = Edge(0, [0.0] * world.seats)
        taken.append((edge, node))
        world.play(token, rng)
        node = edge.ways.setdefault(world.omen, Node())
        path.append(node)
        if node.visits < depth.settle:
            break
    result = _played_out(node, world, depth, rng)
    for passed in path:
        passed.visits += 1
    for edge, _ in taken:
        edge.visits += 1
        for seat, value in enumerate(result):
            edge.sums[seat] += value


def _chosen(node: Node, world: World, depth: Depth, rng: random.Random, *, is_root: bool) -> Token:
    """Return the move to try next: the one with the highest PUCT score for the seat to move."""
    ranked = node.ranked
    if ranked is None:
        ranked = _with_priors(world, depth, rng, None if is_root else depth.inner)
        if not world.hides or is_root:
            node.ranked = ranked
    seat = world.turn
    width = int(depth.widen * sqrt(node.visits)) + 2
    known = node.edges
    pull = depth.explore * sqrt(node.visits + 1)
    average = _average(node, seat)
    best, chosen = -1.0, ranked[0][1]
    for prior, token in ranked[:width]:
        edge = known.get(token)
        if edge is None:
            score = average + pull * prior
        else:
            score = edge.sums[seat] / edge.visits + pull * prior / (1 + edge.visits)
        if score > best:
            best, chosen = score, token
    return chosen


def _average(node: Node, seat: int) -> float:
    tried = [edge for edge in node.edges.values() if edge.visits]
    visits = sum(edge.visits for edge in tried)
    if not visits:
        return 0.5
    return max(0.0, sum(edge.sums[seat] for edge in tried) / visits - 0.05)


def _with_priors(
    world: World, depth: Depth, rng: random.Random, most: int | None
) -> list[tuple[float, Token]]:
    found = world.prospects(rng, most)
    found.sort(key=lambda one: -one[0])
    best = found[0][0]
    weights = [exp((value - best) / depth.warmth) for value, _ in found]
    total = sum(weights)
    return [(w / total, token) for w, (_, token) in zip(weights, found, strict=True)]


def _played_out(node: Node, world: World, depth: Depth, rng: random.Random) -> list[float]:
    """Run a greedy rollout from a leaf and return every seat's result or chance to win."""
    for number in range(depth.horizon):
        if number == 0 and depth.sampled is None and not world.hides and not world.is_over():
            # All moves are evaluated here, so their priors are kept for the leaf's expansion.
            node.ranked = _with_priors(world, depth, rng, depth.inner)
            world.play(node.ranked[0][1], rng)
            continue
        found = world.prospects(rng, depth.sampled)
        if not found:
            return shares(world.points())
        world.play(max(found, key=_value)[1], rng)
    if world.is_over():
        return shares(world.points())
    return chances(world.standing(), world.scale)
