"""From an outline to what it shows."""
