"""How the schema came to be, one file a version; run by Alembic."""
