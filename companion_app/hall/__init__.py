"""The hall: many tables in one room, live, with an arbiter. Needs the extra ``hall``."""
