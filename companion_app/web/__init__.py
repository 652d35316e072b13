"""The page on every phone: a Flask application over the live referee and the match store."""
