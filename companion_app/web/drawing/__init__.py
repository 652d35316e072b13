"""The table as a drawing that can be tapped."""
