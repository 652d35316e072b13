"""What lies on tables and under it: tiles, boards, props, surfaces, boxes that never existed."""
