"""Learns an owner's own tiles from photographs with labels; see ``models.teaching.teach``.

What comes out is data: arrays, a manifest and a set file in the owner's folder of sets.
"""
