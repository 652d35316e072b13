"""Looks ahead: a tree that grows where it pays, with good play instead of chance at its leaves.

UCT with the prior of a static evaluation (PUCT), every seat for itself (max^n). Moves come into a
node best first as it is visited (progressive widening). What is hidden is dealt anew for every
look and the tree is shared by all deals (open loop), so nothing is peeked at; what chance brought
parts the ways of the tree.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass, field
from math import exp, sqrt

from engine.play.thought import Watch
from engine.play.world import Token, World, chances, shares

ROUNDS_BEFORE_HALVING = 8


@dataclass(frozen=True, slots=True)
class Depth:
    """How far and how well to look, chosen by measuring; ``README.md`` has the figures."""

    explore: float = 0.6
    """How much a move is tried that has not shown itself yet."""
    warmth: float = 1.0
    """So many points of a move's prospect make it 2.7 times as likely to be tried first."""
    widen: float = 1.5
    """A node of n visits tries its best ``widen * sqrt(n) + 2`` moves."""
    inner: int | None = None
    """So many moves of a node below the root are weighed; all where it is missing."""
    sampled: int | None = 4
    """The best of so many moves is played at the leaves; the best of all where it is missing."""
    horizon: int = 1000
    """So many moves are played at a leaf before the position is judged as it stands."""
    settle: int = 2
    """A leaf becomes a node when it was visited so often."""
    paired: int = 0
    """So many of the best moves are tried with the same dice and deals, and the worse half is
    dropped again and again; no tree then. What differs is the move and not the luck."""


@dataclass(slots=True)
class Node:
    """What is known of a place in the tree."""

    visits: int = 0
    ranked: list[tuple[float, Token]] | None = None
    """The moves, most promising first, with their priors; only where nothing is hidden."""
    edges: dict[Token, Edge] = field(default_factory=dict)


@dataclass(slots=True)
class Edge:
    """A move that was tried."""

    visits: int = 0
    sums: list[float] = field(default_factory=list)
    ways: dict[Hashable, Node] = field(default_factory=dict)
    """Where it led, by what chance brought."""


def grow(world: World, depth: Depth, watch: Watch, rng: random.Random) -> Node:
    """Look until the watch says stop, and return the root of the tree."""
    root = Node()
    if depth.paired:
        _pair(root, world, depth, watch, rng)
        return root
    while watch.goes_on():
        _look(root, world.deal(rng), depth, rng)
        if root.ranked is not None and len(root.ranked) == 1:
            break
    return root


def _pair(root: Node, world: World, depth: Depth, watch: Watch, rng: random.Random) -> None:
    """Try the best moves side by side, round after round with other luck."""
    found = sorted(world.prospects(rng), key=lambda one: -one[0])[: depth.paired]
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
    """Return what every seat may expect, from so many games played on in the same way."""
    sums = [0.0] * world.seats
    for _ in range(looks):
        for seat, value in enumerate(_played_out(Node(), world.deal(rng), depth, rng)):
            sums[seat] += value / looks
    return sums


def _look(root: Node, world: World, depth: Depth, rng: random.Random) -> None:
    node, path = root, [root]
    taken: list[tuple[Edge, Node]] = []
    while not world.is_over():
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
    """Return the move to try next, for whoever's turn it is."""
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
    """Play on from a leaf, each time the best of a few moves, and say how it ends."""
    for number in range(depth.horizon):
        if number == 0 and depth.sampled is None and not world.hides and not world.is_over():
            # All moves were weighed: the leaf is a node from now on.
            node.ranked = _with_priors(world, depth, rng, depth.inner)
            world.play(node.ranked[0][1], rng)
            continue
        found = world.prospects(rng, depth.sampled)
        if not found:
            return shares(world.points())
        world.play(max(found, key=lambda one: one[0])[1], rng)
    if world.is_over():
        return shares(world.points())
    return chances(world.standing(), world.scale)
