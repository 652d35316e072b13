"""The schema of 1.0.0, the oldest that is taken over; databases that have it are there already."""

revision = "0003"
down_revision = None


def upgrade() -> None:
    """Do nothing: an empty database gets the newest schema at once."""
