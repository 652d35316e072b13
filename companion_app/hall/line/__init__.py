"""What goes between table and hall: keys, signed messages, the broker that carries them."""
