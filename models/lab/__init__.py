"""The laboratory: scenes to learn from, training and evaluation; nothing at a table imports it."""
