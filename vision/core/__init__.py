"""What every stage shares: types, errors, geometry, files."""
