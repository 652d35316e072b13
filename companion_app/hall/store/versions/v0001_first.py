"""The first schema, written out in full, since ``schema.py`` has only the newest one."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "facts",
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "tables",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("public_key", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("joined_s", sa.Float, nullable=False),
        sa.Column("revoked_s", sa.Float),
        sa.Column("acked", sa.BigInteger, nullable=False),
        sa.Column("heard_s", sa.Float),
        sa.Column("health_n", sa.BigInteger, nullable=False, server_default="0"),
        sa.Column("health", sa.Text, nullable=False, server_default="{}"),
        sa.Column("ruled", sa.BigInteger, nullable=False, server_default="0"),
    )
    op.create_table(
        "events",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("game", sa.Text, primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("line", sa.Text, nullable=False),
        sa.Column("stored_s", sa.Float, nullable=False),
    )
    op.create_index("events_in_order", "events", ["table_id", "number"])
    op.create_table(
        "pictures",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("jpeg", sa.LargeBinary, nullable=False),
        sa.Column("stored_s", sa.Float, nullable=False),
    )
    op.create_table(
        "standings",
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), primary_key=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
    )
    op.create_table(
        "alerts",
        sa.Column("id", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("about", sa.Text, nullable=False),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("opened_s", sa.Float, nullable=False),
        sa.Column("claimed_by", sa.Text, nullable=False, server_default=""),
        sa.Column("closed_s", sa.Float),
        sa.UniqueConstraint("table_id", "kind", "about", name="alert_once"),
    )
    op.create_table(
        "decisions",
        sa.Column("id", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("table_id", sa.Text, sa.ForeignKey("tables.id"), nullable=False),
        sa.Column("ruling", sa.BigInteger, nullable=False),
        sa.Column("at_s", sa.Float, nullable=False),
        sa.Column("who", sa.Text, nullable=False),
        sa.Column("what", sa.Text, nullable=False),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("done", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("answer", sa.Text, nullable=False, server_default=""),
        sa.UniqueConstraint("table_id", "ruling", name="ruling_once"),
    )
    op.create_table(
        "photos",
        sa.Column("id", _NUMBER, primary_key=True, autoincrement=True),
        sa.Column("whose", sa.Text, nullable=False),
        sa.Column("game", sa.Text, nullable=False),
        sa.Column("box", sa.Text, nullable=False),
        sa.Column("language", sa.Text, nullable=False),
        sa.Column("jpeg", sa.LargeBinary, nullable=False),
        sa.Column("asked_s", sa.Float, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("tries", sa.Integer, nullable=False, server_default="0"),
        sa.Column("answer", sa.Text),
        sa.Column("answered_s", sa.Float),
    )
