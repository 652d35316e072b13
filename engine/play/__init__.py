"""The player: thinks about any position of the five games, at five levels."""

from engine.play.levels import HIGHEST, LOWEST
from engine.play.player import think
from engine.play.thought import Budget, Idea, Seat, Thought

__all__ = ["HIGHEST", "LOWEST", "Budget", "Idea", "Seat", "Thought", "think"]
