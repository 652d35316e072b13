"""Holds the live referee to whole simulated games, with fouls and every disturbance."""
