"""The command ``snake-eye``, and the companion that joins camera, rules and page."""
