"""Faults done for real to the match store and the companion: short forms as tests, all by soak."""
