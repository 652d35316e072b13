"""Parts of Schlangennest's rule book: position, set-up, turns, and the rules by subject."""
