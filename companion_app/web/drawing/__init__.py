"""SVG drawings of the table with tiles that can be tapped, and the printed score sheet."""
