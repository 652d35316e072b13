"""Tables to see: pictures of any position of any game, with the exact truth beside them.

``models.scenes.scene.make_scene`` makes one picture from a seed, ``models.scenes.sequence.film``
films a whole game, and ``python -m models.scenes.photoreal`` sends the same positions through a
photoreal renderer.
"""
