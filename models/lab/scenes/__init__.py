"""Tables to see: pictures of any position of any game, with the exact truth beside them.

``scene.make_scene`` makes one picture from a seed, ``games.film`` films whole games, and
``python -m models.lab.scenes.photoreal`` sends the same positions through a photoreal renderer.
"""
