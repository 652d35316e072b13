"""Leagues are no more; what there was of them is in a file by now (``database.migrate``)."""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Remove the table."""
    op.drop_table("leagues")
