"""Which rows, how many, where to: every choice follows from the seed and `_id`."""
