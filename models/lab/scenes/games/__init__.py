"""Games that are played on tables: positions, whole games, films of them."""
