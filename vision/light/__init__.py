"""What light does to print, and how it is undone."""
