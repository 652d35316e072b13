"""From a table to a picture: where it is seen from, how it is painted, lit and photographed."""
