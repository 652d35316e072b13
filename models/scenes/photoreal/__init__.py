"""The same tables through a photoreal renderer: ``python -m models.scenes.photoreal``."""
