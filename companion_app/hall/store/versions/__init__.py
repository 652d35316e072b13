"""Migrations of the schema, one file for each version; run by Alembic."""
