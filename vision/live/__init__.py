"""Frame after frame of one table."""
