"""No leagues, nothing is shown later than it is, photos wait here alone, tables send by https.

What there was of leagues is in a file by now (``database.migrate``). The queue of photos of 1.0.0
was procrastinate's, in tables of its own; photos that wait in it are in ``photos`` too.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
_WITHOUT_QUEUE = """
DO $$ DECLARE part record; BEGIN
FOR part IN SELECT tablename AS name FROM pg_tables
    WHERE schemaname = current_schema() AND starts_with(tablename, 'procrastinate_')
LOOP EXECUTE format('DROP TABLE %I CASCADE', part.name); END LOOP;
FOR part IN SELECT oid::regprocedure AS name FROM pg_proc
    WHERE pronamespace = current_schema()::regnamespace AND starts_with(proname, 'procrastinate_')
LOOP EXECUTE format('DROP FUNCTION %s CASCADE', part.name); END LOOP;
FOR part IN SELECT typname AS name FROM pg_type
    WHERE typnamespace = current_schema()::regnamespace AND starts_with(typname, 'procrastinate_')
LOOP EXECUTE format('DROP TYPE %I CASCADE', part.name); END LOOP;
END $$
"""


def upgrade() -> None:
    """Remove tables and a column, and add two."""
    op.drop_table("leagues")
    op.drop_column("tournaments", "delay_s")
    op.add_column("photos", sa.Column("lease_s", sa.Float))
    by_https = sa.Column("by_https", sa.Boolean, nullable=False, server_default=sa.false())
    op.add_column("tables", by_https)
    if op.get_context().dialect.name == "postgresql":
        op.execute(_WITHOUT_QUEUE)
