"""Art and print sheets, scenes, training, and the trained models."""
