"""The line between eye and page: typed messages about what the log of games does not say."""
