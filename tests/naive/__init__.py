"""Second, naive referees, written from the rulings alone; tests compare the engine with them."""
