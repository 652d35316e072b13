"""Parts of Carnival's rule book: snakes, laying tiles, the last round, and scores."""
