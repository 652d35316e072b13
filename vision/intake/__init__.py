"""From a file, whatever it is, to an upright blue-first picture."""
