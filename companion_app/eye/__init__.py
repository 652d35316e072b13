"""The eye: camera, live loop, referee and store in a process of their own; it owns the game."""
