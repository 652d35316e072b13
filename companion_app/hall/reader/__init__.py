"""Photos of tables without a box: kept in the hall's database, read by any number of workers."""
