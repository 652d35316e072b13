"""Who is let in, and how answers reach every phone."""
