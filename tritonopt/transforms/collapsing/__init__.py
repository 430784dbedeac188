"""Loops over indices around a loop over tiles, as one loop over tiles of all the elements."""
