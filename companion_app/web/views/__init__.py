"""What the page may ask for: one blueprint a subject."""
