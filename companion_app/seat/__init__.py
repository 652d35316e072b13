"""The machine's seat: a process of its own that thinks for it, and whoever asks it."""
