"""Models how light changes the look of a print, and compensates for it."""
