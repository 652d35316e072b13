"""Leagues: tournaments added up in one table."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "leagues",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("made_s", sa.Float, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("counting", sa.Integer),
        sa.Column("evenings", sa.Text, nullable=False),
    )
