"""Boards that an owner taught."""
