"""Training of the networks, from what the repository contains."""
