"""Boards of Snekagon that an owner taught."""
