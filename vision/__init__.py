"""From a camera frame to what is believed to lie on the table."""
