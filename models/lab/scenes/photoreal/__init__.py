"""The same tables through a photoreal renderer: ``python -m models.lab.scenes.photoreal``."""
