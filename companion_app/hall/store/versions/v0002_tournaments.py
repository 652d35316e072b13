"""Tournaments and their logs."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("made_s", sa.Float, nullable=False),
        sa.Column("delay_s", sa.Float, nullable=False, server_default="0"),
        sa.Column("events", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.create_table(
        "tournament_events",
        sa.Column("tournament", sa.Text, sa.ForeignKey("tournaments.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("event", sa.Text, nullable=False),
    )
