"""What goes between table and hall: keys, signed messages, and the https line that carries them."""
