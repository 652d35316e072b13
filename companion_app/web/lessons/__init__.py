"""Teaching boxes, the self-test, and reading photos for the page."""
