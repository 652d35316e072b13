"""What Schlangennest's rule book is made of: position, set-up, turns, and the rules by subject."""
