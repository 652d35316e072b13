"""No leagues, and nothing is shown later than it is.

What there was of leagues is in a file by now (``database.migrate``).
"""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Remove a table and a column."""
    op.drop_table("leagues")
    op.drop_column("tournaments", "delay_s")
