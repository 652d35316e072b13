"""Called by Alembic: runs the migrations on the connection that it is given."""

from __future__ import annotations

from alembic import context

from companion_app.hall.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
