"""Camera and table: the lens, the table plane, the light, and whether the camera was knocked."""
