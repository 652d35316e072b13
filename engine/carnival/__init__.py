"""The carnival's parts: its snakes, what may lie where, the last round, and what it is worth."""
