"""The rules of the five snake games: pure values in, verdicts and scores out."""
