"""How well the trained models do, on tables that training never saw."""
