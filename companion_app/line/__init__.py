"""The line between eye and page: what goes over it, in plain data, and its two ends."""
