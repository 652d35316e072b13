"""The machine's seat: the process that computes its moves, and the client that asks it."""
